import type { Command } from '../read/shell.ts'
import { commandFact, type Detector, narrow, partial } from './fact.ts'
import { commandsNamed, hasFlag, ownMachine } from './words.ts'

const fetchers = /^(?:curl|wget|aria2c)$/

const isShell = /^(?:ba|z|da|k|a|fi)?sh$/

const isInterpreter =
  /^(?:(?:ba|z|da|k|a|fi)?sh|python[\d.]*|perl|ruby|node|php|lua|pwsh|powershell|osascript|iex|source|\.|eval)$/i

const downloads = /^(?:curl|wget|fetch|http|https|aria2c|iwr|Invoke-WebRequest|nc|ncat)$/i

const decodes = ({ program, args }: Command): boolean =>
  (program === 'base64' && args.some(arg => /^(?:-d|-D|--decode|-di)$/.test(arg))) ||
  (program === 'xxd' && args.some(arg => /r/.test(arg) && arg.startsWith('-'))) ||
  (program === 'openssl' && args.includes('-d')) ||
  /^(?:rev|uudecode|base32|gunzip|zcat|tr)$/.test(program)

const scriptInterpreter = /^(?:python[\d.]*|perl|ruby|node|deno|bun|php)$/

const asksNet =
  /\b(?:urlopen|urlretrieve|requests\.get|httpx?\.get|https?\.get|fetch|open-uri|URI\.open|Net::HTTP|LWP|file_get_contents|curl_exec|axios)\b|https?:\/\//

const runsText =
  /(?<![\w.])(?:exec|eval|compile|Function|instance_eval|class_eval|system|execSync|spawnSync|popen|runInNewContext)\s*[(\s]|\bos\.system\s*\(|\bsubprocess\.\w+\s*\(|\bvm\.run\w+\s*\(|`/

const secretPath =
  /(?:\.ssh\/id_|\.ssh\/?$|\.aws\/credentials|\.kube\/config|\/etc\/(?:shadow|passwd)|\.env\b|\.npmrc|\.pypirc|\.netrc|\.docker\/config|wallet\.dat|keystore|\.gnupg|id_(?:rsa|ed25519|ecdsa)\b|\.pem\b|secrets?\.(?:ya?ml|json)|\.git-credentials|\.bash_history|\.config\/gcloud|cookies\.sqlite|Login Data|\/etc\/ssl\/private|\/etc\/ssh\/ssh_host|\/etc\/kubernetes\/pki|\.(?:p12|pfx|jks|kdbx)\b|[\w-]\.key\b|\.vault-token|\.pgpass|\.my\.cnf|\.terraform\.d\/credentials|Keychains)/

const fileLists = new WeakMap<readonly Command[], readonly string[]>()

/** The files into which a script prints secrets; gathered once. */
const secretFiles = (all: readonly Command[]): readonly string[] => {
  let files = fileLists.get(all)
  if (!files) {
    files = all
      .filter(printsSecret)
      .flatMap(({ redirects }) => redirects.map(({ target }) => target))
      .filter(target => target !== '' && !target.startsWith('/dev/'))
      .slice(0, 20)
    fileLists.set(all, files)
  }
  return files
}

/** Commands that print secrets. */
const printsSecret = ({ program, args }: Command): boolean => {
  const words = args.join(' ')
  return (
    (/^gpg2?$/.test(program) && /--export-secret/.test(words)) ||
    (program === 'kubectl' && /\bget\s+secrets?\b/.test(words)) ||
    (program === 'aws' && /get-secret-value|get-parameters?\b.*--with-decryption/.test(words)) ||
    (program === 'gcloud' && /secrets\s+versions\s+access/.test(words)) ||
    (/^(?:pass|op|bw|vault|security)$/.test(program) &&
      /^(?:show|read|get|item get|kv get|find-(?:generic|internet)-password|dump-keychain)\b/.test(words))
  )
}

const url = /\bhttps?:\/\/[^\s'"]+/

/** Installers of well-known projects, over TLS, from their own address: still a concern, not a blocker. */
const knownInstaller =
  /^https:\/\/(?:sh\.rustup\.rs|get\.docker\.com|raw\.githubusercontent\.com\/(?:nvm-sh|Homebrew|helm|ohmyzsh)\/|deb\.nodesource\.com|install\.python-poetry\.org|astral\.sh\/uv|get\.helm\.sh|bun\.sh|deno\.land|get\.k3s\.io|fnm\.vercel\.app|rpm\.nodesource\.com|cli\.github\.com|get\.pnpm\.io|pyenv\.run)(?:(?<=\/)|(?=[/?#]|$))/

const installerIn = (commands: readonly Command[]): string | undefined =>
  commands.flatMap(({ args }) => args).find(arg => knownInstaller.test(arg))

export const remoteFacts: readonly Detector[] = [
  commandFact({
    id: 'shell-run-download',
    see({ program, args, feeders, inner, redirects, text, after }, all) {
      const code = scriptInterpreter.test(program)
        ? args.filter((_, nth) => /^-\w*[ceEr]$|^--eval$/.test(args[nth - 1] ?? '')).join('\n')
        : ''
      if (code !== '' && asksNet.test(code) && runsText.test(code) && !ownMachine.test(code))
        return 'It runs what another machine sends, unread.'
      const runsInput =
        isInterpreter.test(program) &&
        !args.some(arg => /^-(?:n|m|c)$/.test(arg)) &&
        !args.some(arg => /\.(?:py|js|rb|sh|pl)$/.test(arg))
      const source = [...feeders, ...inner].filter(({ program }) => downloads.test(program))
      const own = source.every(({ args }) => args.some(arg => ownMachine.test(arg)))
      const runsInner = isInterpreter.test(program) && inner.some(({ program }) => downloads.test(program))
      if (
        source.length > 0 &&
        !own &&
        ((runsInput && feeders.some(({ program }) => downloads.test(program))) ||
          runsInner ||
          (redirects.length > 0 && runsInput))
      ) {
        const installer = installerIn(source)
        return installer
          ? partial(`It runs what ${installer} sends, unread.`)
          : 'It runs what another machine sends, unread.'
      }
      if (
        program === 'kubectl' &&
        feeders.some(({ program }) => downloads.test(program)) &&
        args.includes('apply')
      )
        return partial('It applies what another machine sends, unread.')
      if (
        (program === 'kubectl' || program === 'oc') &&
        args.some((arg, nth) => (args[nth - 1] === '-f' && url.test(arg)) || /^--filename=http/.test(arg)) &&
        /^(?:apply|create)$/.test(args[0] ?? '')
      )
        return narrow('It applies what another machine sends, unread.')
      const file = args.find(arg => /^[\w./-]+$/.test(arg) && !arg.startsWith('-'))
      const path = isInterpreter.test(program) ? file : /^(?:\.{1,2}|~)?\/\S+/.exec(text)?.[0]
      if (path === undefined) return
      const name = path.slice(path.lastIndexOf('/') + 1)
      const fetched = commandsNamed(all, fetchers).some(
        other =>
          other.args.some(
            (arg, nth) => /^-[a-zA-Z]*[oO]$|^--output$/.test(other.args[nth - 1] ?? '') && arg.endsWith(name),
          ) ||
          other.redirects.some(({ target }) => target.endsWith(name)) ||
          ((other.program === 'wget' || hasFlag(other.args, 'O')) &&
            other.args.some(arg => url.test(arg) && arg.endsWith(`/${name}`))),
      )
      const isChecked = after.some(
        ({ program, args }) =>
          /^(?:sha\d+sum|shasum|gpg|cosign|minisign)$/.test(program) || args.includes('--checksum'),
      )
      return fetched && !isChecked && partial(`It runs ${name}, which it has just downloaded.`)
    },
  }),
  commandFact({
    id: 'shell-obfuscated',
    see({ program, args, feeders, inner, text }) {
      if (
        (isShell.test(program) || /^(?:python3?|perl|ruby|node)$/.test(program)) &&
        feeders.some(decodes) &&
        !args.some(arg => /^-(?:m|c|n)$/.test(arg))
      )
        return 'It runs what it decodes.'
      if ((program === 'eval' || isShell.test(program)) && inner.some(decodes))
        return 'It runs what it decodes.'
      if (/\$\{?IFS\}?\S*\$\{?IFS\}?|\$\{?IFS\}?-/.test(text)) return 'It hides its spaces.'
      if (
        /^(?:powershell|pwsh)(?:\.exe)?$/i.test(program) &&
        args.some(arg => /^-e(?:nc?|ncodedcommand)?$/i.test(arg))
      )
        return 'It runs an encoded command.'
      if (
        /^(?:python[\d.]*|perl|ruby|node|php)$/.test(program) &&
        /(?:exec|eval)\b.{0,60}(?:b64decode|base64|fromhex|atob|unhexlify|decompress)/.test(args.join(' '))
      )
        return 'It runs what it decodes.'
      if (
        /^\$\(|^`/.test(program) ||
        /^(?:\$\{?\w+\}?){2,}$/.test(program) ||
        /^\w+\$\{?\w+\}?$/.test(program) ||
        /^\$\{?\w+:\d/.test(program)
      )
        return partial('What it runs is put together when it runs.')
      if (
        program === 'eval' &&
        args.some(arg => /\$\{?(?:\d|@|\w*(?:INPUT|ARG|CMD|PAYLOAD|TITLE|BODY)\w*)/i.test(arg))
      )
        return partial('It runs the text of a variable.')
    },
  }),
  commandFact({
    id: 'shell-exfiltrate',
    see({ program, args, feeders, inner, text }, all) {
      if (
        !/^(?:curl|wget|nc|ncat|socat|scp|sftp|rsync|ftp|http|telnet|rclone|aws|gsutil|dig|nslookup|host|ping|ssh|mail|mailx|mutt|sendmail|msmtp|telegram-send|croc|wormhole|gh|slackcat)$/.test(
          program,
        )
      )
        return
      const sends = /^(?:curl|wget|http)$/.test(program)
      // What `find -exec` or xargs puts in: one machine's files, many at a time.
      if (
        /^(?:curl|scp|nc|ncat|rsync|sftp|ftp|http)$/.test(program) &&
        args.some(arg => /\{\}/.test(arg)) &&
        (args.some(arg => /^(?:-F|-T|-d|--data\S*|--upload-file|--form)$|@\{\}/.test(arg)) ||
          program !== 'curl')
      )
        return 'It sends every file that is found.'
      const isKeyOption = (nth: number) =>
        /^(?:-i|--key|--cert|-E|--cacert|-H|--header|-u|--identity)$/.test(args[nth - 1] ?? '')
      const readsSecret = (words: readonly string[]) =>
        words.some(word => secretPath.test(word) && !/\.pub\b|\.example|\.sample/.test(word))
      if (
        (program === 'scp' || program === 'rsync' || program === 'sftp') &&
        args.some((arg, nth) => !isKeyOption(nth) && secretPath.test(arg) && !/\.pub$/.test(arg)) &&
        args.some(arg => arg.includes(':'))
      )
        return 'It copies a secret to another machine.'
      if (/^(?:aws|gsutil|rclone)$/.test(program))
        return args.includes('cp') && readsSecret(args) && 'It copies a secret to another place.'
      if (
        feeders.some(
          ({ program, args }) => /^(?:env|printenv|set|export)$/.test(program) && args.length === 0,
        )
      )
        return 'It sends the environment to another machine.'
      if (args.some(arg => secretFiles(all).some(file => arg.endsWith(file))))
        return 'It sends a secret to another machine.'
      if (feeders.some(feeder => readsSecret(feeder.args) || printsSecret(feeder)))
        return 'It sends a secret to another machine.'
      if (
        inner.some(
          ({ program, args }) =>
            readsSecret(args) || (/^(?:env|printenv)$/.test(program) && args.length === 0),
        )
      )
        return 'It sends a secret to another machine.'
      if (
        sends &&
        args.some(
          (arg, nth) =>
            !isKeyOption(nth) && /@|post-file/.test(arg) && secretPath.test(arg) && !/\.pub\b/.test(arg),
        )
      )
        return 'It sends a secret to another machine.'
      if (
        sends &&
        args.some(
          (arg, nth) =>
            !isKeyOption(nth) &&
            secretPath.test(arg) &&
            /^(?:-T|--upload-file|--data-binary|-d)$/.test(args[nth - 1] ?? ''),
        )
      )
        return 'It sends a secret to another machine.'
      return (
        sends &&
        /[?&/=]\$\{?\w*(?:SECRET|PASSWORD|PRIVATE_KEY|MNEMONIC)\w*/i.test(text) &&
        !/-H\s/.test(text) &&
        'It puts a secret into an address.'
      )
    },
  }),
  commandFact({
    id: 'shell-reverse-shell',
    see({ program, args, redirects, feeders, text }) {
      // With nothing to read or write a connection only tells whether somebody listens.
      const isProbe =
        /<\s{0,2}\/dev\/tcp\/(?:localhost|127\.0\.0\.1|\$?\w+)\/\$?\w+(?!\s*>)/.test(text) &&
        !/\bsh\s+-i\b|[&>]\s{0,2}\/dev\/|[012]>&/.test(text)
      if (
        !isProbe &&
        (redirects.some(({ target }) => /^\/dev\/(?:tcp|udp)\//.test(target)) ||
          /\/dev\/(?:tcp|udp)\/[\w.$]+\/\d+/.test(text))
      )
        return 'It gives another machine a shell.'
      if (
        /^(?:nc|ncat|netcat)$/.test(program) &&
        (args.some(arg => /^-[a-z]*[ec]$|^--(?:sh-)?exec$/.test(arg)) ||
          feeders.some(({ program }) => isShell.test(program)))
      )
        return 'It gives another machine a shell.'
      if (program === 'socat' && /exec:|system:/i.test(args.join(' ')))
        return 'It gives another machine a shell.'
      if (
        /^(?:python[\d.]*|perl|ruby|php|node)$/.test(program) &&
        /socket/i.test(text) &&
        /(?:dup2|\/bin\/(?:ba)?sh|pty\.spawn|subprocess|child_process)/.test(args.join(' '))
      )
        return 'It gives another machine a shell.'
      return (
        /stratum\+(?:tcp|ssl):|^xmrig$|--donate-level|minerd/.test(`${program} ${args.join(' ')}`) &&
        'It mines for somebody else.'
      )
    },
  }),
]
