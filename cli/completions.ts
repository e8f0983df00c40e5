import { services } from '../app/services.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import { readArguments } from './arguments.ts'
import { usages } from './usage.ts'

const commands = [...Object.keys(usages), 'help']
const shells = ['bash', 'zsh', 'fish']
const slugs = services.map(({ slug }) => slug)
const tools = services.flatMap(service => service.tools.map(tool => `${service.slug}.${tool.name}`))

const bash = () => `_octagent() {
  local word=\${COMP_WORDS[COMP_CWORD]} words
  case "\${COMP_CWORD}:\${COMP_WORDS[1]}" in
    1:*) words="${commands.join(' ')}" ;;
    2:serve|2:list) words="${slugs.join(' ')}" ;;
    2:call) words="${tools.join(' ')}" ;;
    2:completions) words="${shells.join(' ')}" ;;
    *:connect|*:limits) words="--budget --per-call --total --network --key --json --help" ;;
    *:migrate) words="--from --to --json --help DATABASE_URL" ;;
    *:spent) words="--release --json --help" ;;
    *) words="--json --help --url --key --pay --port" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _octagent octagent`

const zsh = () => `#compdef octagent
_octagent() {
  if (( CURRENT == 2 )); then compadd -- ${commands.join(' ')}; return; fi
  case "$words[2]" in
    serve|list) compadd -- ${slugs.join(' ')} ;;
    call) compadd -- ${tools.join(' ')} ;;
    completions) compadd -- ${shells.join(' ')} ;;
    migrate) compadd -- --from --to --json --help DATABASE_URL; _files -/ ;;
  esac
}
compdef _octagent octagent`

const fish = () =>
  [
    `complete -c octagent -f -n __fish_use_subcommand -a '${commands.join(' ')}'`,
    `complete -c octagent -f -n '__fish_seen_subcommand_from serve list' -a '${slugs.join(' ')}'`,
    `complete -c octagent -f -n '__fish_seen_subcommand_from call' -a '${tools.join(' ')}'`,
    `complete -c octagent -F -n '__fish_seen_subcommand_from migrate' -l from -r`,
    `complete -c octagent -F -n '__fish_seen_subcommand_from migrate' -l to -r`,
    `complete -c octagent -f -n '__fish_seen_subcommand_from completions' -a '${shells.join(' ')}'`,
  ].join('\n')

const scripts: Record<string, () => string> = { bash, zsh, fish }

/** `octagent completions bash|zsh|fish`: prints a script to source. */
export const completions = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, {})
  const [shell = ''] = positionals
  const script = scripts[shell]
  if (!script) throw new ToolError('invalid_input', `Completions are there for ${shells.join(', ')}.`)
  console.log(values.json ? JSON.stringify({ shell, script: script() }) : script())
  return 0
}
