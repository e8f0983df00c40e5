import { isBareHunk, isDiff } from './lines.ts'
import { isSql } from './sql.ts'

type Piece = { text: string; line: number }

export type Fences = {
  prose: string
  scripts: Piece[]
  statements: Piece[]
  diffs: Piece[]
  settings: Piece[]
  /** Code of any other language. */
  code: Piece[]
}

/** A sentence of a text, and the line it begins on. */
export type Sentence = { text: string; place: { line: number } }

/** The sentences of a text, line by line; a very long line is cut. */
export const readSentences = (text: string): Sentence[] =>
  text
    .split('\n')
    .flatMap((row, nth) =>
      row
        .slice(0, 2000)
        .split(/(?<=[.!?;])\s/)
        .map(part => ({ text: part, place: { line: nth + 1 } })),
    )
    .filter(({ text }) => text.length > 8)

const programs =
  /^(?:sudo|doas|rm|mv|cp|dd|mkfs[\w.]*|wipefs|shred|chmod|chown|chattr|find|git|docker|docker-compose|podman|kubectl|oc|helm|terraform|tofu|terragrunt|pulumi|ansible(?:-playbook)?|aws|gcloud|gsutil|az|doctl|heroku|fly|flyctl|vercel|gh|npm|pnpm|yarn|npx|pip3?|python3?|node|perl|ruby|php|cargo|gem|twine|curl|wget|bash|sh|zsh|eval|ssh|scp|rsync|psql|mysql|mysqladmin|sqlite3|mongo(?:sh)?|mongodump|pg_dump|pg_restore|dropdb|createdb|redis-cli|systemctl|service|iptables|nft|ufw|setenforce|sysctl|useradd|usermod|userdel|passwd|visudo|crontab|kill|killall|pkill|shutdown|reboot|halt|poweroff|apt|apt-get|yum|dnf|brew|apk|pacman|rpm|dpkg|mount|umount|lvremove|zfs|zpool|fdisk|parted|tar|cat|echo|printf|export|unset|cd|ls|make|truncate|tee|nc|ncat|socat|openssl|etcdctl|vault|consul|kafka-topics(?:\.sh)?|rails|rake|alembic|prisma|flyway|liquibase|history|base64|source|set|test|sed|awk|grep|env|powershell|pwsh|Remove-Item|Format-Volume|del|format|vssadmin|reg|journalctl|swapoff|hdparm|blkdiscard|cryptsetup|bq|clickhouse-client|cqlsh|mc|s3cmd|rclone|certbot|nginx|supervisorctl|pm2|velero|restic|borg|ip|ifconfig|nmap|:\(\))(?:\s|$|\(|\{)/

/** Whether a line begins as a command line does. */
export const isCommand = (line: string): boolean => {
  const bare = line
    .replace(/^\s*(?:[-*]\s+|\d{1,3}[.)]\s+)?(?:\$\s+|>\s+)?/, '')
    .replace(/^(?:[A-Z_]{2,30}=\S*\s+)+/, '')
  if (!programs.test(bare)) return false
  // Words such as "make", "test", "find" and "set" begin sentences as well.
  return !/^(?:make|test|find|set|export|source|format|history|service|kill|mount|sh|cat|reg|env|del|node|fly|vault|echo|ip|cd|mc|tar|cp|mv|git|docker|at)\s+(?:sure|the|that|a|an|all|out|up|it|this|our|for|is|are|and|of|to|will|was)\b/i.test(
    bare,
  )
}

const shellFence = /^(?:sh|bash|shell|zsh|console|terminal|cmd|powershell)?$/i

/** A sentence that says not to run what follows. */
const warning =
  /\b(?:never|not|don't|avoid|instead of|rather than|refuse[sd]? to|block(?:s|ed)?|prevents?|without running)\s+(?:\w+\s+){0,3}$/i

/** The end of a sentence that says that what it names was left alone. */
const leftAlone =
  /^`[^.!?`]{0,80}\b(?:so|therefore|hence)\s+i\s+(?:did\s+not|didn't|have\s+not|haven't|will\s+not|won't)\s+(?:run|execute|use)\b/i

/** The sentences of a text, and the code within it: fenced, in backticks, or on a line of its own. */
export const readFences = (text: string): Fences => {
  const fences: Fences = { prose: '', scripts: [], statements: [], diffs: [], settings: [], code: [] }
  const prose: string[] = []
  let open: { language: string; line: number; rows: string[] } | undefined
  const close = () => {
    if (!open) return
    const { language, line, rows } = open
    const code = { text: rows.join('\n'), line }
    if (language === 'diff' || isDiff(code.text) || isBareHunk(code.text)) fences.diffs.push(code)
    else if (language === 'sql' || isSql(code.text)) fences.statements.push(code)
    else if (/^(?:ya?ml|json|toml|ini|hcl|tf)$/i.test(language)) fences.settings.push(code)
    else if (shellFence.test(language)) fences.scripts.push(code)
    else if (!/^(?:text|txt|md|markdown|plain|log|output|csv|html)$/i.test(language)) fences.code.push(code)
    open = undefined
  }
  text.split('\n').forEach((row, nth) => {
    const fence = /^\s*```+\s*([\w+-]*)/.exec(row)
    if (fence) {
      if (open) close()
      else open = { language: (fence[1] ?? '').toLowerCase(), line: nth + 2, rows: [] }
      return
    }
    if (open) {
      open.rows.push(row)
      return
    }
    prose.push(row)
    const bare = row.replace(/^\s*(?:[-*]\s+|\d{1,3}[.)]\s+)?/, '')
    if (isCommand(bare)) fences.scripts.push({ text: bare.replace(/^\$ /, ''), line: nth + 1 })
    else if (isSql(bare)) fences.statements.push({ text: bare, line: nth + 1 })
    for (const match of row.slice(0, 2000).matchAll(/`([^`]{3,500})`/g)) {
      const [code = ''] = match.slice(1)
      if (warning.test(row.slice(Math.max(0, match.index - 60), match.index))) continue
      if (leftAlone.test(row.slice(match.index + match[0].length - 1, match.index + match[0].length + 160)))
        continue
      if (isCommand(code)) fences.scripts.push({ text: code, line: nth + 1 })
      else if (isSql(code)) fences.statements.push({ text: code, line: nth + 1 })
    }
    const inline =
      /(?:^|[\s:])(?:run|runs|execute|type|issue|with|then|running|executing|via|using):?\s+["']?((?:sudo|rm|dd|mkfs|kubectl|terraform|git|docker|aws|gcloud|psql|chmod|curl|DROP|TRUNCATE|DELETE|UPDATE)\s[^"'`]{3,300})/.exec(
        row.slice(0, 2000),
      )
    const bareCommand =
      /[.:;]\s+((?:sudo\s+)?(?:rm\s+-|dd\s+if=|mkfs|kubectl\s+delete|terraform\s+(?:destroy|apply)|git\s+(?:push|reset)\s|docker\s+system|aws\s+s3\s+r[mb]|chmod\s+-?[R\d]|curl\s+\S*http|DROP\s+TABLE|TRUNCATE\s+TABLE|DELETE\s+FROM)[^"'`\n]{2,300})/.exec(
        row.slice(0, 2000),
      )
    for (const found of [inline, bareCommand]) {
      const code = found?.[1]
      if (code === undefined || warning.test(row.slice(0, found?.index).concat(' '))) continue
      if (isSql(code)) fences.statements.push({ text: code, line: nth + 1 })
      else if (isCommand(code)) fences.scripts.push({ text: code.replace(/[.,]?\s*$/, ''), line: nth + 1 })
    }
  })
  close()
  return { ...fences, prose: prose.join('\n') }
}
