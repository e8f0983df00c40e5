import { isBareHunk, isDiff } from './lines.ts'
import { isSql } from './sql.ts'

/** Piece found within a text, and the line it begins on. A mention is named by words that say not to run it. */
export type ProsePiece = {
  kind: 'script' | 'sql' | 'diff' | 'settings' | 'code'
  text: string
  line: number
  isMention: boolean
}

const programNames =
  'sudo|doas|rm|mv|cp|dd|mkfs(?:\\.\\w+)?|mkswap|wipefs|shred|chmod|chown|chattr|setfacl|find|git|docker|docker-compose|podman|nerdctl|kubectl|oc|helm|eksctl|kops|terraform|tofu|terragrunt|pulumi|cdk|serverless|ansible(?:-playbook)?|aws|gcloud|gsutil|az|doctl|heroku|fly|flyctl|vercel|gh|npm|pnpm|yarn|npx|pip3?|python3?|node|perl|ruby|php|cargo|gem|twine|curl|wget|bash|sh|zsh|eval|ssh|scp|sftp|rsync|rclone|psql|mysql|mysqladmin|mariadb|sqlite3|mongo(?:sh)?|mongodump|mongorestore|pg_dump|pg_restore|dropdb|dropuser|createdb|redis-cli|valkey-cli|systemctl|service|launchctl|iptables|ip6tables|nft|ufw|setenforce|sysctl|useradd|usermod|userdel|deluser|gpasswd|passwd|chpasswd|visudo|crontab|kill|killall|pkill|shutdown|reboot|halt|poweroff|init|telinit|apt|apt-get|yum|dnf|brew|apk|pacman|rpm|dpkg|mount|umount|lvremove|vgremove|pvremove|pvcreate|zfs|zpool|fdisk|sfdisk|parted|sgdisk|mdadm|diskutil|tar|cat|echo|printf|export|unset|make|truncate|tee|nc|ncat|socat|openssl|etcdctl|vault|consul|nomad|kafka-topics(?:\\.sh)?|kafka-consumer-groups(?:\\.sh)?|rabbitmqctl|nodetool|nats|celery|rails|rake|bundle|alembic|prisma|flyway|liquibase|artisan|history|base64|source|set|sed|awk|env|powershell|pwsh|del|erase|rd|rmdir|format|cipher|bcdedit|vssadmin|wbadmin|wevtutil|icacls|netsh|net|reg|robocopy|journalctl|auditctl|swapoff|hdparm|blkdiscard|cryptsetup|bq|clickhouse-client|cqlsh|mc|s3cmd|nginx|supervisorctl|pm2|velero|restic|borg|ip|ifconfig|ifdown|route|csrutil|ngrok|xmrig'

/** Programs whose names are words of English too: what follows has to look like a command. */
const ordinaryWords =
  /^(?:find|fly|node|service|kill|shutdown|reboot|halt|init|format|mount|make|source|set|history|vault|consul|nomad|net|route|reg|echo|cat|env|export|erase|cipher|ip|at|truncate|shred|celery|ruby|rake|bundle|render|borg|brew|eval|python|perl|go|helm|git|bash|sh|php|tar|gem|cargo|aws|npm|docker|sudo|heroku|nginx|vercel|serverless|mc|az|gh|oc|nats|artisan|prisma|pulumi|passwd|mysql|mongo|restic|velero|systemctl|curl|wget|ssh|terraform|ansible|kubectl|rsync|crontab)$/i

const verbNoun =
  '(?:Set|New|Remove|Add|Invoke|Stop|Restart|Disable|Clear|Reset|Revoke|Uninstall|Unregister|Suspend|Format|Initialize|Dismount|Limit)-[A-Z][A-Za-z]{2,40}|Get-[A-Z][A-Za-z]{2,40}(?=[^\\n|]{0,200}\\|)'

const commandStart = new RegExp(
  `(?<![\\w./@:=-])((?:/(?:usr/)?(?:local/)?s?bin/)?(?:${programNames})|${verbNoun}|:\\(\\)\\s?\\{|iex\\b|IEX\\b)(?=[\\s(])`,
  'g',
)
const wholeStart = new RegExp(commandStart.source.replace('(?<![\\w./@:=-])', '^'))

/** Marks of a command line: an option, a path, a variable, a pipe, an address that is no target of a link. */
const commandMark =
  /(?:^|\s)(?:--?[a-zA-Z]|[~.]?\/|\.(?:\s|$)|\*|[A-Za-z]:\\)|[|;&]{1,2}\s|\$[({\w]|(?<!\]\([a-z]{2,8}):\/\/|\w=\S|["'{]|\b\d{3,5}\b/
/** Subcommands that nobody uses in a sentence about something else. */
const subcommand =
  /^\S+\s+(?:\w+\s+){0,2}(?:delete|destroy|drop|prune|reset|purge|down|uninstall|rm|stop|disable|mask|apply|terminate|flushall|flushdb|publish|db:\w+|migrate:\w+)\b/i

/** Words of a sentence that no command line goes on with. */
const sentenceWord =
  /\s(?:and|on|the|to|in|at|then|so|because|which|for|with|by|as|if|when|or|before|after|again|is|was|are|were|would|will|should|must|may|can|could|has|had|it|this|that|these|those|now|first|please|we|i|you|they|he|she|but|while|until|once|from|where|since|without|unless|nobody|never|not|again|afterwards|today|tonight|tomorrow)(?=[\s,.;:!?]|$)/i

const runVerb =
  '(?:run|runs|running|ran|use|uses|using|execut\\w+|type|typing|issue|issuing|call|calling|enter|entering|paste|pasting|invoke|invoking|try|trying|launch|launching|start|starting|apply|applying|copy|copying|do|doing|perform\\w*|suggest\\w*|recommend\\w*|propos\\w+)'
const before = `(?:\\s+(?:commands?|statements?|scripts?|things?|something|anything|lines?|such|like|as|a|an|the|this|following|plain|bare|here|on|in|production|directly|blindly|manually|ever|again|just|simply|of|kind|say|:)){0,6}\\s*[:,]?\\s*[\`"'“(*]*$`
/** Words before a command that say not to run it. What is not to be forgotten is to be run. */
const forbids = new RegExp(
  `(?:\\b(?:never|not|cannot|nobody|no\\s+one|none|no\\s+(?:circumstances?|case|time|account|condition))\\b|n['’]t)(?:\\s+(?!(?:forget|fail|hesitate|omit|skip|wait|mind|only|worry|stop|neglect)\\b)[\\w']+){0,3}?\\s+(?:be\\s+)?${runVerb}${before}|\\b(?:avoid|refrain\\s+from|instead\\s+of|rather\\s+than|without|forbid\\w*|prohibit\\w*|prevent\\w*|disallow\\w*|refus\\w+|declin\\w+|block\\w*|reject\\w*|stop\\w*|warn\\w*|beware|ban\\w*|guard\\w*|against|dangerous|harmful|unsafe|wrong|forbidden|prohibited)\\b(?:\\s+[\\w']+){0,3}?\\s*(?:${runVerb})?${before}|(?:\\b(?:never|not|cannot|nobody|no\\s+one)|n['’]t)\\s+(?:\\w+\\s+){0,2}?(?:allow|permit|accept|tolerate|approve)s?(?:\\s+[\\w']+){0,3}?\\s*(?:${runVerb})?${before}|\\b(?:never|don['’]t|do\\s+not)\\s*[:,]?\\s*[\`"'“(*]*$`,
  'i',
)
/** Words after a command, in its sentence, that say that it is not run. */
const isForbidden =
  /^[`"'”)*;]*\s*,?\s*(?:which\s+|that\s+|as\s+(?:it|this|that)\s+)?(?:on\s+[\w ]{1,30}\s+|in\s+[\w ]{1,30}\s+|there\s+|here\s+)?(?:(?:is|are|was|were|gets?|remains?|stays?|has\s+been)\s+(?:\w+\s+){0,2}?(?:forbidden|prohibited|banned|blocked|rejected|refused|denied|disallowed|not\s+(?:allowed|permitted|run|executed|used)|never\s+(?:run|executed|used|allowed|acceptable|ok|okay|safe))|(?:must|should|may|can|shall|will|would|could)\s*(?:not|never|n['’]t)\b|(?:mustn|shouldn|can|won)['’]?t\b|cannot\b|(?:so|therefore|hence|and|but)\s+(?:i|we)\s+(?:did\s+not|didn['’]t|have\s+not|haven['’]t|will\s+not|won['’]t)\b)/i

/** True when the words around say that what is named is not to be run. */
const isMentioned = (row: string, from: number, to: number): boolean => {
  const head = row.slice(Math.max(0, from - 200), from)
  const sentence = head.slice(Math.max(...['. ', '! ', '? ', '; '].map(end => head.lastIndexOf(end))) + 1)
  return forbids.test(sentence) || isForbidden.test(row.slice(to, to + 120))
}

const stripPrompt = (row: string): string =>
  row.replace(/^\s*(?:[-*+>|]\s+|\d{1,3}[.)]\s+)*(?:\$\s+|#\s+|PS\s?[A-Z]:[^>]{0,60}>\s*)?/, '')

/** True where a line begins as a command line does, and reads as one. */
export const isCommand = (line: string): boolean => {
  const bare = stripPrompt(line).replace(/^(?:[A-Z_]{2,30}=\S*\s+)+/, '')
  const name = wholeStart.exec(bare.slice(0, 200))?.[1]
  if (name === undefined) return false
  if (
    sentenceWord.test(bare.slice(name.length, name.length + 12)) &&
    !commandMark.test(bare.slice(name.length, 60))
  )
    return false
  const rest = bare.slice(name.length, 300)
  return (
    !ordinaryWords.test(name) ||
    commandMark.test(rest) ||
    (!/[.!?]\s*$/.test(rest) && rest.trim().split(/\s+/).length <= 6)
  )
}

const statementStart =
  /\b(?:DROP\s+(?:TABLE|DATABASE|SCHEMA|VIEW|INDEX|COLUMN|USER|ROLE|OWNED|MATERIALIZED|POLICY|TYPE|SEQUENCE|KEYSPACE|TABLESPACE|EXTENSION|LOGIN)\b|TRUNCATE\s+(?:TABLE\s+)?[\w."`[]|DELETE\s+FROM\s+[\w."`[]|UPDATE\s+[\w."`[\]]+\s+SET\s|ALTER\s+(?:TABLE|USER|ROLE|DATABASE|SYSTEM|LOGIN)\b|GRANT\s+[A-Z ,]{2,60}\s(?:ON|TO)\s|CREATE\s+(?:USER|ROLE|LOGIN)\b|COPY\s+[\w."]+\s+(?:TO|FROM)\s+PROGRAM|EXEC(?:UTE)?\s+(?:master\.\.)?xp_|SET\s+GLOBAL\s)/
const anyCase = new RegExp(statementStart.source, 'i')

const maxRow = 4000
const maxPieces = 400

/** The end of what is quoted around a position, or undefined. */
const closingQuote = (row: string, at: number): number | undefined => {
  let quote = ''
  for (let before = at - 1; before >= 0 && before >= at - 4; before--) {
    const char = row[before] ?? ''
    if (/[`"'“‘]/.test(char)) quote = char
    else if (!/[\s*(>$#]/.test(char)) break
  }
  if (quote === '') return undefined
  const close = quote === '“' ? '”' : quote === '‘' ? '’' : quote
  const end = row.indexOf(close, at)
  return end < 0 ? undefined : end
}

/** Finds the end of a command in a sentence: at the sentence's end, or where that goes on. */
const sentenceEnd = (text: string, start: number): number => {
  const stops = [
    /[.!?:](?=\s+[A-Z"“(]|\s*$)/,
    /\s[–—-]\s(?=[A-Za-z])/,
    /,\s(?=[a-z]+\s)/,
    /[)\]](?=[\s,.]|$)/,
  ]
  let end = text.length
  for (const stop of stops) {
    const at = text.slice(start).search(stop)
    if (at >= 0) end = Math.min(end, start + at)
  }
  const word = text.slice(start, end).search(sentenceWord)
  return word >= 0 ? Math.min(end, start + word) : end
}

type Found = Omit<ProsePiece, 'line'>

/** The commands and statements that stand in a line of prose, wherever in it. */
const findInRow = (whole: string): Found[] => {
  const row = whole.slice(0, maxRow)
  const found: Found[] = []
  let from = 0
  commandStart.lastIndex = 0
  // One pattern searches on: to match all makes a new one of its kilobytes for each row.
  for (let match = commandStart.exec(row); match; match = commandStart.exec(row)) {
    const at = match.index
    if (at < from) continue
    const name = (match[1] ?? '').replace(/^.*\//, '')
    const close = closingQuote(row, at)
    const isLine = at === row.length - stripPrompt(row).length && !/[.!?]\s*$/.test(row) && isCommand(row)
    const end = close ?? (isLine ? row.length : sentenceEnd(row, at + name.length))
    const text = row.slice(at, end).trim()
    const rest = text.slice(name.length)
    const isOrdered = new RegExp(`\\b${runVerb}:?\\s+[\`"'“]*$`, 'i').test(
      row.slice(Math.max(0, at - 30), at),
    )
    if (rest.trim() === '' && !(isOrdered && close !== undefined)) continue
    if (close === undefined && ordinaryWords.test(name) && !commandMark.test(rest) && !subcommand.test(text))
      continue
    from = end
    const bare = close === undefined ? text.replace(/(?<=[^\s.])[.,!?:)*]+(?=\s|$)/g, '') : text
    found.push({ kind: 'script', text: bare, isMention: isMentioned(row, at, end) })
    if (found.length > 40) break
  }
  for (let at = 0; at < row.length && found.length <= 80; ) {
    const rest = row.slice(at)
    const lower = rest.search(anyCase)
    if (lower < 0) break
    const start = rest.search(statementStart)
    const from = at + (start >= 0 ? start : lower)
    const close = closingQuote(row, from)
    const semicolon = row.indexOf(';', from)
    const isSure = start >= 0 || close !== undefined || (semicolon >= 0 && semicolon - from < 200)
    const stop = row.slice(from).search(/[.!?](?=\s+[A-Z“"]|\s*$)/)
    const end = Math.min(
      close ?? row.length,
      semicolon >= 0 ? semicolon : row.length,
      stop >= 0 ? from + stop : row.length,
    )
    if (isSure)
      found.push({ kind: 'sql', text: row.slice(from, end), isMention: isMentioned(row, from, close ?? end) })
    at = Math.max(end, from + 1)
  }
  return found
}

const shellFence = /^(?:sh|bash|shell|zsh|fish|console|terminal|cmd|bat|powershell|ps1|pwsh|shellscript)$/i
const settingFence = /^(?:ya?ml|json|jsonc|toml|ini|hcl|tf|xml|conf|nginx|env|properties|dotenv)$/i

const toPiece = (language: string, text: string): Pick<ProsePiece, 'kind' | 'text'>[] => {
  if (language === 'diff' || language === 'patch' || isDiff(text) || isBareHunk(text))
    return [{ kind: 'diff', text }]
  if (language === 'sql' || isSql(text)) return [{ kind: 'sql', text }]
  if (settingFence.test(language)) return [{ kind: 'settings', text }]
  const first = text.split('\n').find(row => row.trim() !== '' && !/^\s*#/.test(row)) ?? ''
  if (shellFence.test(language) || (language === '' && isCommand(first)))
    return [{ kind: 'script', text: text.replace(/^\s*(?:\$|PS>)\s+/gm, '') }]
  return [{ kind: 'code', text }]
}

/** The sentences of a text, and the code within it: fenced, in quotes and backticks, on a line of its own, or in a sentence. */
export const parseFences = (text: string): { prose: string; pieces: ProsePiece[] } => {
  const pieces: ProsePiece[] = []
  const prose: string[] = []
  let open: { mark: string; language: string; line: number; rows: string[]; isMention: boolean } | undefined
  let last = ''
  const close = () => {
    if (!open) return
    const { language, line, rows, isMention } = open
    for (const piece of toPiece(language, rows.join('\n'))) pieces.push({ ...piece, line, isMention })
    if (!/^(?:diff|patch|sql)$/.test(language) && pieces.at(-1)?.kind !== 'script')
      rows.forEach((row, nth) => {
        for (const found of findInRow(row))
          pieces.push({ ...found, isMention: found.isMention || isMention, line: line + nth })
      })
    open = undefined
  }
  text
    .replace(/\\\n\s*/g, match => ' '.repeat(match.length - 1))
    .split('\n')
    .forEach((row, nth) => {
      if (pieces.length > maxPieces) return
      const [, mark = '', language = ''] = /^\s*(?:[->*]\s+)?(`{3,}|~{3,})\s*([\w+-]*)/.exec(row) ?? []
      if (open ? mark.startsWith(open.mark) : mark !== '') {
        if (open) close()
        else {
          const isMention = /[:.]\s*$/.test(last) && forbids.test(`${last.replace(/[:.]\s*$/, '')} `)
          open = { mark, language: language.toLowerCase(), line: nth + 2, rows: [], isMention }
        }
        return
      }
      if (open) {
        open.rows.push(row)
        return
      }
      prose.push(row)
      if (row.trim() !== '') last = row.slice(-300)
      for (const found of findInRow(row)) pieces.push({ ...found, line: nth + 1 })
    })
  close()
  return { prose: prose.join('\n'), pieces }
}

const quotedText = /(["'`])((?:(?!\1)[^\\\n]|\\.){6,600})\1/g
const wordList = /\[\s*((?:["'][^"'\n]{1,120}["']\s*,?\s*){2,20})\]/g

const isOrdinary = (text: string): boolean => ordinaryWords.test(/^\S+/.exec(text)?.[0] ?? '')

/** The commands and statements in the strings of a line of code or of a value. */
export const findInStrings = (row: string): Found[] => {
  const found: Found[] = []
  const text = row.slice(0, maxRow)
  const add = (inner: string) => {
    if (isSql(inner) || statementStart.test(inner)) found.push({ kind: 'sql', text: inner, isMention: false })
    else if (isCommand(inner) && (commandMark.test(inner) || subcommand.test(inner) || !isOrdinary(inner)))
      found.push({ kind: 'script', text: inner, isMention: false })
  }
  if (!/["'`]/.test(text)) return found
  for (const [, , inner = ''] of text.matchAll(quotedText)) if (/\s/.test(inner)) add(inner)
  for (const [, list = ''] of text.matchAll(wordList))
    add([...list.matchAll(/["']([^"'\n]{1,120})["']/g)].map(([, word]) => word).join(' '))
  return found
}
