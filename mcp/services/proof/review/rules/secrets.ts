import type { Line } from '../read/lines.ts'
import { commandRule, lineRule, type Rule } from '../rule.ts'
import { isLocalFile } from './words.ts'

/** Credentials whose form alone gives them away. */
const forms: readonly (readonly [name: string, form: RegExp])[] = [
  ['AWS access key', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ['GitHub token', /\bgh[pousr]_[A-Za-z0-9]{36}\b|\bgithub_pat_[A-Za-z0-9_]{60,90}\b/],
  ['GitLab token', /\bglpat-[\w-]{20}\b/],
  ['Slack token', /\bxox[abeoprs]-\d[\w-]{15,80}/],
  ['Slack webhook', /hooks\.slack\.com\/services\/T\w{6,12}\/B\w{6,12}\/\w{20,26}/],
  ['Anthropic key', /\bsk-ant-[\w-]{20,120}/],
  ['OpenAI key', /\bsk-(?:proj-)?[A-Za-z0-9_-]{32,160}/],
  ['Stripe key', /\b[sr]k_live_[0-9a-zA-Z]{16,100}/],
  ['Google key', /\bAIza[\w-]{35}\b/],
  ['SendGrid key', /\bSG\.[\w-]{16,32}\.[\w-]{16,64}/],
  ['npm token', /\bnpm_[A-Za-z0-9]{36}\b/],
  ['PyPI token', /\bpypi-AgE[\w-]{40,200}/],
  ['Hugging Face token', /\bhf_[A-Za-z]{30,40}\b/],
  ['DigitalOcean token', /\bdo[opr]_v1_[0-9a-f]{64}\b/],
  ['Twilio key', /\bSK[0-9a-f]{32}\b/],
  ['private key', /-----BEGIN (?:[A-Z]+ ){0,2}PRIVATE KEY(?: BLOCK)?-----/],
  ['Telegram token', /\b\d{8,10}:AA[\w-]{33}\b/],
  ['Shopify token', /\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b/],
]

const placeholder =
  /^(?:.{0,7}|(?:your|my|the|some|a|an|test|example|sample|dummy|fake|mock|placeholder|insert|replace|todo|xxx+|\*+|\.+|none|null|undefined|true|false|string|password|secret|token|changeme|redacted|hidden|value|env|process|os|config|settings|vault|secrets?|data|var|local|module|aws_|ref|param|kms|arn|op:|enc|ENC|file|await|get|import|require|new|self|this|req|user|options|input|form|props|args)(?:[-_.\s:[({/].*|\d*)?|[<$%{@#(].*|.*(?:example|EXAMPLE|xxxx|XXXX|\*\*\*\*|<[\w-]+>|\$\{|\{\{|placeholder|changeme|CHANGEME|not-a-real|notreal|dummy|redacted).*)$/i

const entropy = (text: string): number => {
  const counts = new Map<string, number>()
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

const named =
  /\b[\w.-]{0,40}(?:passw(?:or)?d|passwd|pwd|secret|api[_-]?key|apikey|access[_-]?key|auth[_-]?token|access[_-]?token|bearer|private[_-]?key|client[_-]?secret|encryption[_-]?key|signing[_-]?key|db_pass|token)[\w-]{0,20}["']?\s{0,4}(?::=|=>|[:=])\s{0,4}["'`]?([^\s"'`,;)}]{6,200})["'`]?/i

/** A value that says that it is for one's own machine; in a file for that machine it gives nothing away. */
const saysLocal =
  /^(?:django-insecure-.*|(?:[a-z]{1,20}[-_]){0,5}(?:only|local|dev|development|insecure|unsafe|runserver|testing)(?:[-_][a-z]{1,20}){0,5})$/i

/** New text of any kind; what is removed gives nothing away that was not there. */
const isNew = ({ change }: Line): boolean => change !== 'removed'

export const secretRules: readonly Rule[] = [
  lineRule({
    id: 'secret-form',
    category: 'secrets',
    severity: 'blocker',
    fix: 'Take it out, revoke it where it was issued, and read it from a secret store.',
    where: isNew,
    hits: [
      '+++ b/a.js\n+const t = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"',
      '+aws_key = AKIAQYLPMN5HHHFPZAM2',
      '+-----BEGIN RSA PRIVATE KEY-----',
      { type: 'shell_command', artifact: 'STRIPE=sk_live_4eC39HqLyjWDarjtT1zdp7dc node pay.js' },
      { type: 'config_change', artifact: 'key: AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY' },
    ],
    misses: [
      '+aws_key = AKIAIOSFODNN7EXAMPLE',
      '+const t = process.env.GITHUB_TOKEN',
      '-const t = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"',
      '+-----BEGIN PUBLIC KEY-----',
      '+sk-proj-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    ],
    see({ text, isTest }) {
      // Every form has a run of letters, or dashes around a name; most lines of code have neither.
      if (text.length < 16 || !/[\w+/=.-]{16}|-----/.test(text)) return
      for (const [name, form] of forms) {
        const match = form.exec(text)
        if (!match || /EXAMPLE|x{8}|X{8}|0{12}|your[-_]|\*{4}/i.test(match[0]) || entropy(match[0]) < 2.5)
          continue
        return { detail: `A ${name} is written out.`, severity: isTest ? 'high' : 'blocker' }
      }
    },
  }),
  lineRule({
    id: 'secret-named',
    category: 'secrets',
    severity: 'high',
    fix: 'Read it from the environment or a secret store, and change it where it is used.',
    where: line => isNew(line) && !line.isProse,
    hits: [
      '+const password = "Tr0ub4dor&3-x"',
      '+  api_key: "9f8e7d6c5b4a39281706f5e4d3c2b1a0"',
      '+DB_PASS=hunter2hunter2',
      '+    let line = format!("PGPASSWORD=kr-Mango-7731 pg_dump {db}");',
      '--- a/settings/production.py\n+++ b/settings/production.py\n@@ -1 +1 @@\n+SECRET_KEY = "only-for-runserver"',
      { type: 'config_change', artifact: 'client_secret: q8Zr2LmN0pXvT4sW' },
    ],
    misses: [
      '+const password = process.env.DB_PASSWORD',
      '+password: ${DB_PASSWORD}',
      '+api_key: "your-api-key-here"',
      '+  password: str',
      '+const token = getToken()',
      '+password_field = "password"',
      '+  secretKeyRef: my-secret',
      '+if (password.length < 12) return',
      '+max_tokens: 4096000',
      '+token = request.headers.get("x")',
      '+    let line = format!("PGPASSWORD={} pg_dump {db}", password());',
      '--- a/settings/local.py\n+++ b/settings/local.py\n@@ -1 +1 @@\n+SECRET_KEY = "only-for-runserver"',
    ],
    see({ text, isTest, isComment, file }) {
      // What an example of settings holds is there to be replaced; keys of a known form are told by another rule.
      if (isComment || /\.(?:example|sample|template|dist)$|\.(?:example|sample|template)\./i.test(file))
        return
      const value = named.exec(text)?.[1]
      if (
        value === undefined ||
        placeholder.test(value) ||
        (isLocalFile(file) && saysLocal.test(value)) ||
        /[([\]{}<>]|^\w+\.\w+|^[A-Z_]{4,}$|^\d{1,9}$|^\/|^https?:/.test(value)
      )
        return
      if (
        /(?:field|name|label|type|placeholder|regex|pattern|path|url|uri|endpoint|ref|id|header|file|count|limit|max|min|ttl|expiry|length|policy)["']?\s*[:=]/i.test(
          text,
        ) &&
        !/(?:passwd|password|secret|api_?key)["']?\s*[:=]/i.test(text)
      )
        return
      const isQuoted =
        /[:=]\s*["'`]/.test(text) ||
        !/[a-z]\w*\s*\(/.test(text) ||
        // For a program that is run: "PGPASSWORD=… pg_dump".
        /["'`][^"'`\n]{0,80}\b[A-Z_]{0,30}(?:PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY)=\w/.test(text)
      const hasMix = /\d/.test(value) && /[a-z]/i.test(value)
      if (
        !isQuoted ||
        (!hasMix && entropy(value) < 3.2) ||
        entropy(value) < 2.2 ||
        (/^[a-z_]+$/i.test(value) && !hasMix)
      )
        return
      return { detail: 'A password or key is written out.', severity: isTest ? 'low' : 'high' }
    },
  }),
  lineRule({
    id: 'secret-in-url',
    category: 'secrets',
    severity: 'high',
    fix: 'Take the password out of the address.',
    where: isNew,
    hits: [
      '+DATABASE_URL=postgres://admin:S3cr3tPass@db.internal.test/prod',
      { type: 'shell_command', artifact: 'psql postgres://app:Xk29dkslq@db.corp.test/x' },
    ],
    misses: [
      '+DATABASE_URL=postgres://localhost/dev',
      '+url = "postgres://user:password@localhost:5432/test"',
      '+https://github.com/a/b',
      '+redis://:${REDIS_PASSWORD}@cache:6379',
    ],
    see({ text, isTest }) {
      const match = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[\w.%-]{0,60}:([^\s/@"']{4,80})@([\w.-]{1,100})/i.exec(text)
      if (!match || isTest) return
      const [, password = '', host = ''] = match
      return (
        !/^(?:localhost|127\.0\.0\.1|db|postgres|redis|mysql|mongo|host|hostname|example\.\w+)$/.test(host) &&
        !/^(?:pass(?:word)?|pwd|secret|postgres|user|x+|\*+|example|changeme)$|[${<{]/i.test(password) &&
        'An address holds a password.'
      )
    },
  }),
  lineRule({
    id: 'secret-phrase',
    category: 'secrets',
    severity: 'blocker',
    fix: 'Move what it controls to a new key at once.',
    where: isNew,
    hits: [
      '+mnemonic = "legal winner thank year wave sausage worth useful legal winner thank yellow"',
      '+PRIVATE_KEY=0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318',
    ],
    misses: [
      '+mnemonic = process.env.MNEMONIC',
      '+const hash = "0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318"',
      '+# a seed phrase has twelve words',
      '+// test test test test test test test test test test test junk',
    ],
    see({ text, isTest }) {
      if (
        /(?:mnemonic|seed|phrase|wallet)/i.test(text) &&
        /["'= :](?:[a-z]{3,8} ){11,23}[a-z]{3,8}(?:["'\s.]|$)/.test(text) &&
        !/test test test/.test(text)
      ) {
        const words = /((?:[a-z]{3,8} ){11,23}[a-z]{3,8})(?:["'\s.]|$)/.exec(text)?.[1]?.split(' ') ?? []
        if (
          words.length % 3 === 0 &&
          !words.some(word => /^(?:the|and|for|this|that|with|has|are|not|can|you|from|must)$/.test(word))
        )
          return { detail: 'The phrase of a wallet is written out.', severity: isTest ? 'medium' : 'blocker' }
      }
      return (
        /(?:\bWallet\(|privateKeyTo\w{1,20}\(|from_?(?:Private|Secret)?_?Key\(|priv(?:ate)?[_\s-]?key|PRIVKEY|secret[_\s-]?key|deployer_key|signer_key)\W{0,6}(?:0x)?[0-9a-f]{64}\b/i.test(
          text,
        ) &&
        !/0x(?:ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80|0{60}|1{60})/i.test(text) && {
          detail: 'A private key is written out.',
          severity: isTest ? 'high' : 'blocker',
        }
      )
    },
  }),
  commandRule({
    id: 'secret-in-arguments',
    severity: 'high',
    fix: 'Let the program read it from a file that only you can read, or from the terminal: arguments stand in the list of processes.',
    hits: [
      'mysqldump -u root -pS3cretPassw0rd! shop',
      'sshpass -p hunter2hunter2 ssh root@db.test',
      'curl -u admin:Passw0rd99 https://api.test/v1',
      'redis-cli -a sup3rs3cret INFO',
    ],
    misses: [
      'mysqldump -u root -p shop',
      'mysql -p"$DB_PASS" shop',
      'sshpass -f /root/.pass ssh root@db.test',
      'curl -u "$USER:$PASS" https://api.test/v1',
      'mkdir -p /srv/data',
      'redis-cli -p 6379 PING',
    ],
    see({ program, args }) {
      const after = (flag: string) => args[args.indexOf(flag) + 1] ?? ''
      const isPlain = (value: string) =>
        value.length >= 4 && !/^[$<{]|\$|^(?:password|changeme|xxx+)$/i.test(value)
      const value = /^(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)$/.test(program)
        ? (args.find(arg => /^-p\S{4,}$/.test(arg))?.slice(2) ??
          args.find(arg => /^--password=/.test(arg))?.slice(11) ??
          '')
        : program === 'sshpass' && args.includes('-p')
          ? after('-p')
          : program === 'curl' && args.some(arg => arg === '-u' || arg === '--user')
            ? (/^[^:]+:(.+)$/.exec(args.includes('-u') ? after('-u') : after('--user'))?.[1] ?? '')
            : program === 'redis-cli' && args.includes('-a')
              ? after('-a')
              : ''
      return isPlain(value) && 'A password stands in the arguments of a command.'
    },
  }),
]
