import secretForms from '../data/secrets.json' with { type: 'json' }
import type { Line } from '../read/lines.ts'
import { commandFact, type Detector, lineFact, parsePattern } from './fact.ts'
import { isLocalFile } from './words.ts'

/** Credentials whose form alone gives them away. */
const forms = secretForms.map(({ name, form }) => [name, parsePattern(form)] as const)

const placeholder =
  /^(?:.{0,7}|(?:your|my|the|some|a|an|test|example|sample|dummy|fake|mock|placeholder|insert|replace|todo|xxx+|\*+|\.+|none|null|undefined|true|false|string|password|secret|token|changeme|redacted|hidden|value|env|process|os|config|settings|vault|secrets?|data|var|local|module|aws_|ref|param|kms|arn|op:|enc|ENC|file|await|get|import|require|new|self|this|req|user|options|input|form|props|args)(?:[-_.\s:[({/].*|\d*)?|[<$%{@#(].*|.*(?:example|EXAMPLE|xxxx|XXXX|\*\*\*\*|<[\w-]+>|\$\{|\{\{|placeholder|changeme|CHANGEME|not-a-real|notreal|dummy|redacted).*)$/i

const entropy = (text: string): number => {
  const counts = new Map<string, number>()
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

const secretNamePattern =
  /\b[\w.-]{0,40}(?:passw(?:or)?d|passwd|pwd|secret|api[_-]?key|apikey|access[_-]?key|auth[_-]?token|access[_-]?token|bearer|private[_-]?key|client[_-]?secret|encryption[_-]?key|signing[_-]?key|db_pass|token)[\w-]{0,20}["']?\s{0,4}(?::=|=>|[:=])\s{0,4}["'`]?([^\s"'`,;)}]{6,200})["'`]?/i

/** A value that says that it is for one's own machine; in a file for that machine it gives nothing away. */
const saysLocal =
  /^(?:django-insecure-.*|(?:[a-z]{1,20}[-_]){0,5}(?:only|local|dev|development|insecure|unsafe|runserver|testing)(?:[-_][a-z]{1,20}){0,5})$/i

/** New text of any kind; what is removed gives nothing away that was not there. */
const isNew = ({ change }: Line): boolean => change !== 'removed'

export const secretFacts: readonly Detector[] = [
  lineFact({
    id: 'secret-form',
    where: isNew,
    see({ text, isTest }) {
      // Every form has a run of letters, or dashes around a name; most lines of code have neither.
      if (text.length < 16 || !/(?<![\w+/=.-])[\w+/=.-]{16}|-----/.test(text)) return
      for (const [name, form] of forms) {
        const match = form.exec(text)
        if (!match || /EXAMPLE|x{8}|X{8}|0{12}|your[-_]|\*{4}/i.test(match[0]) || entropy(match[0]) < 2.5)
          continue
        return { detail: `A ${name} is written out.`, scope: isTest ? 'partial' : 'wide' }
      }
    },
  }),
  lineFact({
    id: 'secret-named',
    where: line => isNew(line) && !line.isProse,
    see({ text, isTest, isComment, file }) {
      // What an example of settings holds is there to be replaced; keys of a known form are told by another rule.
      if (isComment || /\.(?:example|sample|template|dist)$|\.(?:example|sample|template)\./i.test(file))
        return
      const value = secretNamePattern.exec(text)?.[1]
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
      return { detail: 'A password or key is written out.', scope: isTest ? 'guarded' : 'partial' }
    },
  }),
  lineFact({
    id: 'secret-in-url',
    where: isNew,
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
  commandFact({
    id: 'secret-in-arguments',
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
