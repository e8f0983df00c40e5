import { type Assignment, forEachChild, parse, type SyntaxNode, type Word } from 'unbash'
import type { Place } from '../finding.ts'

/** One simple command as it would run: its words without quotes, what feeds it and where it writes. */
export type Command = {
  /** Without its directory: `rm` for `/bin/rm`. */
  program: string
  args: readonly string[]
  /** The commands before it in its pipe. */
  feeders: readonly Command[]
  /** Commands whose output is a word or the input of it: `$(…)`, `<(…)`. */
  inner: readonly Command[]
  redirects: readonly { operator: string; target: string }[]
  /** Text that it reads: here-documents and here-strings. */
  input: string
  assignments: readonly { name: string; value: string }[]
  /** The commands that had to succeed before it: those before `&&`. */
  after: readonly Command[]
  /** The command whose words run it: `find` of `find -exec rm`. */
  outer?: Command
  text: string
  place: Place
}

export type ShellReading = {
  commands: Command[]
  /** Why a part cannot be read; empty when everything was. */
  problems: string[]
  /** Functions that call themselves in a pipe or the background. */
  forkBombs: Place[]
}

const maxDepth = 6
const maxCommands = 800
const maxBrackets = 60

/** Programs that run the rest of their words, and which of their options take a word. */
const wrappers: Readonly<Record<string, RegExp>> = {
  sudo: /^-[ughpCTrt]$|^--(?:user|group|host)$/,
  doas: /^-[uC]$/,
  env: /^-[uCS]$/,
  nohup: /^$/,
  time: /^-[fo]$/,
  nice: /^-n$/,
  ionice: /^-[cnp]$/,
  command: /^$/,
  builtin: /^$/,
  exec: /^-a$/,
  xargs: /^-[IiLlnPsadE]$/,
  parallel: /^-[jIN]$|^--jobs$/,
  stdbuf: /^-[ioe]$/,
  setsid: /^$/,
  unbuffer: /^$/,
  timeout: /^-[ks]$/,
  chroot: /^$/,
  busybox: /^$/,
  strace: /^-[eopu]$/,
  flock: /^-[wEc]$/,
  watch: /^-n$/,
  caffeinate: /^-[tw]$/,
  'systemd-run': /^-[pu]$/,
  chrt: /^-p$/,
  taskset: /^$/,
  proxychains: /^-f$/,
}

/** Words between a wrapper's options and what it runs. */
const operands: Readonly<Record<string, number>> = { timeout: 1, chroot: 1, flock: 1, chrt: 1, taskset: 1 }

/** The name of a file or directory that was made for the while. */
const madeTemporary = /^\$\(mktemp\b[^$`]*\)$/

const isShell = (program: string): boolean => /^(?:ba|z|da|k|a|fi|tc|c)?sh$/.test(program)

const toProgram = (word: string): string => word.slice(word.lastIndexOf('/') + 1)

/** The words of what is really run, without the programs that only start it. */
const unwrap = (words: readonly string[]): string[] => {
  let rest = [...words]
  for (let turns = 0; turns < 8; turns++) {
    const wrapper = toProgram(rest[0] ?? '')
    const valued = Object.hasOwn(wrappers, wrapper) ? wrappers[wrapper] : undefined
    if (!valued) return rest
    let at = 1
    while (at < rest.length) {
      const word = rest[at] ?? ''
      if (word === '--') {
        at++
        break
      }
      if (valued.test(word)) at += 2
      else if (word.startsWith('-') || /^[A-Za-z_]\w*=/.test(word)) at++
      else break
    }
    at += operands[wrapper] ?? 0
    if (at >= rest.length) return rest
    rest = rest.slice(at)
  }
  return rest
}

const afterFlag = (args: readonly string[], flag: RegExp): string | undefined => {
  const at = args.findIndex(arg => flag.test(arg))
  return at < 0 ? undefined : args[at + 1]
}

/** The words after the options and operands of `docker exec`, `kubectl exec` and their kind. */
const afterOperand = (args: readonly string[], valued: RegExp): string[] => {
  const dashes = args.indexOf('--')
  if (dashes >= 0) return args.slice(dashes + 1)
  let at = 0
  while (at < args.length && args[at]?.startsWith('-')) at += valued.test(args[at] ?? '') ? 2 : 1
  return args.slice(at + 1)
}

const quote = (word: string): string =>
  /^[\w@%+=:,./*~{}$?-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
const join = (words: readonly string[]): string => words.map(quote).join(' ')

/** Programs whose input is a script when a pipe or here-document feeds it to them. */
const readsScript = (program: string, args: readonly string[]): boolean =>
  (isShell(program) && args.every(arg => arg.startsWith('-') && !/^-[a-z]*c$/.test(arg))) ||
  program === 'at' ||
  program === 'batch' ||
  program === 'crontab'

/** Scripts within the words of a command: `sh -c …`, `eval …`, `ssh host …`, `docker exec c …`, `find -exec …`. */
const scriptsWithin = (program: string, args: readonly string[]): string[] => {
  if (isShell(program) || program === 'su' || program === 'script' || program === 'runuser') {
    const script = afterFlag(args, /^-[a-zA-Z]*c$|^--command$/)
    return script === undefined ? [] : [script]
  }
  if (program === 'eval') return /^\$\(|^`/.test(args[0] ?? '') ? [] : [args.join(' ')]
  if (program === 'trap') return args[0] && !args[0].startsWith('-') ? [args[0]] : []
  if (program === 'ssh') {
    const script = afterOperand(args, /^-[bcDEeFIiJLlmOopQRSWw]$/)
    return script.length > 0 ? [script.join(' ')] : []
  }
  if (program === 'watch' || program === 'parallel') {
    const script = args.find(arg => /\s/.test(arg))
    return script === undefined ? [] : [script]
  }
  const [verb = '', ...rest] = args[0] === 'compose' ? args.slice(1) : args
  if (/^(?:docker|podman|docker-compose|nerdctl)$/.test(program)) {
    if (verb !== 'exec' && verb !== 'run') return []
    const valued =
      /^(?:-[uewvpmhl]|--(?:user|env|volume|name|publish|network|workdir|entrypoint|mount|memory))$/
    return [join(afterOperand(rest, valued))]
  }
  if ((program === 'kubectl' || program === 'oc') && args.includes('--')) {
    const at = args.indexOf('--')
    return args.slice(0, at).some(arg => arg === 'exec' || arg === 'run' || arg === 'debug')
      ? [join(args.slice(at + 1))]
      : []
  }
  if (
    /^(?:ansible|salt|pdsh|pssh|parallel-ssh|clush|fab|vagrant|gcloud|lxc|incus|wsl|multipass|heroku|fly|flyctl)$/.test(
      program,
    )
  ) {
    const at = args.findIndex(arg => /^(?:-a|-c|-C|--command|--args|cmd\.run|--|run)$/.test(arg))
    const inline = args.find(arg => arg.startsWith('--command='))?.slice(10)
    if (inline !== undefined) return [inline]
    return at < 0 ? [] : [args.slice(at + 1).join(' ')]
  }
  if (program === 'find' || program === 'fd') {
    const at = args.findIndex(arg => /^-(?:exec|execdir|ok)$|^-x$/.test(arg))
    if (at < 0) return []
    const end = args.findIndex((arg, nth) => nth > at && (arg === ';' || arg === '+' || arg === '\\;'))
    return [join(args.slice(at + 1, end < 0 ? undefined : end))]
  }
  return []
}

const literalOutput = ({ program, args }: Command): string | undefined => {
  if (program === 'echo') return args.filter(arg => !/^-[neE]+$/.test(arg)).join(' ')
  if (program === 'printf') return args.join(' ').replaceAll('\\n', '\n').replaceAll('%s', '')
  return undefined
}

const decodeBase64 = (text: string): string | undefined => {
  if (!/^[A-Za-z0-9+/]{8,}={0,2}$/.test(text.trim())) return undefined
  const decoded = Buffer.from(text.trim(), 'base64').toString('utf8')
  return /^[\t\n -~]+$/.test(decoded) ? decoded : undefined
}

/** The text that a pipe of `echo`, and `base64 -d` after it, feeds. */
const pipedText = (feeders: readonly Command[]): string | undefined => {
  const [first, ...others] = feeders
  const text = first && literalOutput(first)
  if (text === undefined) return undefined
  if (others.length === 0) return text
  return others.every(({ program }) => program === 'base64' || program === 'cat')
    ? decodeBase64(text)
    : undefined
}

const isWord = (node: SyntaxNode): node is Word => node.type === 'Word'
const isAssignment = (node: SyntaxNode): node is Assignment => node.type === 'Assignment'

/** True for too deep `$(…)`, read anew at each level. */
const nestsTooDeeply = (source: string): boolean => {
  let depth = 0
  for (const char of source) {
    if (char === '(') depth++
    else if (char === ')' && depth > 0) depth--
    if (depth > maxBrackets) return true
  }
  return false
}

/** All commands of a script and of the scripts within it. Never throws; what cannot be read is a problem. */
export const readShell = (source: string, firstLine = 1): ShellReading => {
  const commands: Command[] = []
  const problems: string[] = []
  const forkBombs: Place[] = []
  const values = new Map<string, string>()
  const atEnd: (() => unknown)[] = []

  const expand = (text: string): string =>
    values.size === 0
      ? text
      : text.replace(/\$(?:\{(\w+)\}|(\w+))/g, (whole, braced?: string, bare?: string) => {
          const value = values.get(braced ?? bare ?? '')
          return value === undefined || (value.includes('$') && !madeTemporary.test(value)) ? whole : value
        })

  const readScript = (script: string, depth: number, outer?: Command): Command[] => {
    if (depth > maxDepth || commands.length > maxCommands) {
      problems.push('It nests too deeply.')
      return []
    }
    const starts = [0]
    for (let at = script.indexOf('\n'); at >= 0; at = script.indexOf('\n', at + 1)) starts.push(at + 1)
    const lineAt = (at: number): number => {
      let [low, high] = [0, starts.length - 1]
      while (low < high) {
        const middle = (low + high + 1) >> 1
        if ((starts[middle] ?? 0) <= at) low = middle
        else high = middle - 1
      }
      return low + firstLine
    }
    const placeAt = (at: number): Place => outer?.place ?? { line: lineAt(at) }

    const tree = parse(script)
    for (const { message } of tree.errors ?? []) problems.push(message)
    const before = commands.length

    const visitAll = (node: SyntaxNode) => forEachChild(node, child => visit(child, []))

    let after: readonly Command[] = []

    const visit = (node: SyntaxNode, feeders: readonly Command[]): Command[] => {
      const from = commands.length
      if (node.type === 'AndOr') {
        const outer = after
        let sure: Command[] = []
        node.commands.forEach((part, nth) => {
          if (node.operators[nth - 1] === '||') sure = []
          after = [...outer, ...sure]
          sure.push(...visit(part, []))
        })
        after = outer
        return commands.slice(from)
      }
      if (node.type === 'Pipeline') {
        const fed: Command[] = []
        for (const part of node.commands) fed.push(...visit(part, [...fed]))
        return fed
      }
      if (node.type === 'Function') {
        const name = node.name.value
        const body = script.slice(node.pos, node.end)
        const calls = body.split(name).length - 1
        if (calls >= 3 && body.includes('|') && body.includes('&')) forkBombs.push(placeAt(node.pos))
      }
      if (node.type !== 'Command') {
        visitAll(node)
        return commands.slice(from)
      }
      return readCommand(node, feeders)
    }

    const readCommand = (node: SyntaxNode & { type: 'Command' }, feeders: readonly Command[]): Command[] => {
      const from = commands.length
      // What is within words runs before the command itself.
      for (const child of [...(node.name ? [node.name] : []), ...node.prefix, ...node.suffix]) visitAll(child)
      const inner = commands.slice(from)

      const assignments = node.prefix.filter(isAssignment).map(({ name, value }) => ({
        name,
        value: value.type === 'Word' ? expand(value.value) : '',
      }))
      if (!node.name) for (const { name, value } of assignments) values.set(name, value)

      let words = [node.name, ...node.suffix]
        .flatMap(part =>
          part && isWord(part) ? [part.value] : part && isAssignment(part) ? [part.text] : [],
        )
        .map(expand)
      const [head = ''] = words
      if (/\$\{?IFS\}?/.test(head)) words = [...head.split(/\$\{?IFS\}?/), ...words.slice(1)]
      else if (/^\{[^{}]*,[^{}]*\}$/.test(head)) words = [...head.slice(1, -1).split(','), ...words.slice(1)]
      words = unwrap(words)

      let input = ''
      const redirects: { operator: string; target: string }[] = []
      for (const redirect of [...node.prefix, ...node.suffix]) {
        if (redirect.type === 'Redirect')
          redirects.push({ operator: redirect.operator, target: expand(redirect.target?.value ?? '') })
        if (redirect.type === 'HereDoc') input += redirect.body.text
        if (redirect.type === 'HereString') input += expand(redirect.target?.value ?? '')
      }

      const program = toProgram(words[0] ?? '')
      const place = placeAt(node.pos)
      const command: Command = {
        program,
        args: words.slice(1),
        feeders,
        inner,
        redirects,
        input,
        assignments,
        after,
        ...(outer && { outer }),
        text: script.slice(node.pos, node.end).slice(0, 200),
        place,
      }
      commands.push(command)
      const scripts = scriptsWithin(program, command.args)
      if (readsScript(program, command.args)) {
        const piped = pipedText(feeders)
        if (piped !== undefined) scripts.push(piped)
        if (input !== '') scripts.push(input)
      }
      if (program === 'ssh' && input !== '') scripts.push(input)
      // What a trap runs knows the values that were given after it was set.
      if (program === 'trap')
        for (const within of scripts) atEnd.push(() => readScript(within, depth + 1, command))
      else for (const within of scripts) if (within.trim() !== '') readScript(within, depth + 1, command)
      return commands.slice(from)
    }

    visitAll(tree)
    return commands.slice(before)
  }

  if (nestsTooDeeply(source)) return { commands, problems: ['It nests too deeply.'], forkBombs }
  try {
    readScript(source, 0)
    for (let nth = 0; nth < atEnd.length; nth++) atEnd[nth]?.()
  } catch (error) {
    problems.push(error instanceof RangeError ? 'It nests too deeply.' : 'It cannot be read.')
  }
  return { commands, problems, forkBombs }
}
