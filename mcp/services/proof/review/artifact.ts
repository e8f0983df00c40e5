import { parseRecord } from '../../../lib/json.ts'
import type { ArtifactType } from './artifact-type.ts'
import type { Place } from './finding.ts'
import { readArrowRow } from './read/changes.ts'
import { type DiffFile, isBareHunk, isDiff, type Line, namedFile, readDiff, readLines } from './read/lines.ts'
import { isPowerShell, readPowerShell } from './read/powershell.ts'
import { isCommand, readFences } from './read/prose.ts'
import { withoutReported, withoutTitles } from './read/reported.ts'
import { readSettingLines, readXmlSettings, readYaml, type Setting } from './read/settings.ts'
import { type Command, readShell } from './read/shell.ts'
import { isSql, readSql, type Statement } from './read/sql.ts'
import { isXml } from './read/xml.ts'
import type { TradingState } from './trading-state.ts'

/** An artifact, read once in every way that rules look at it. */
export type Artifact = {
  type: ArtifactType
  text: string
  context: string
  files: readonly DiffFile[]
  lines: readonly Line[]
  commands: readonly Command[]
  statements: readonly Statement[]
  settings: readonly Setting[]
  forkBombs: readonly Place[]
  /** The object of a JSON text, or the `key: value` lines of another. */
  record: Readonly<Record<string, unknown>>
  /** What is read as sentences; empty for code. */
  prose: string
  tradingState: TradingState | undefined
  /** Ways in which it was read. */
  views: readonly string[]
  /** What could not be read. */
  problems: readonly string[]
}

const scriptFile =
  /\.(?:sh|bash|zsh|command)$|(?:^|\/)(?:Makefile|Dockerfile[\w.-]*|Containerfile|Jenkinsfile|Procfile|justfile|\.husky\/[\w-]+)$/
const workflowFile =
  /(?:^|\/)(?:\.github\/workflows\/|\.gitlab-ci|\.circleci\/|azure-pipelines|bitbucket-pipelines|\.drone)/
const settingFile =
  /\.(?:ya?ml|json|toml|ini|conf|cfg|cnf|env|properties|tf|tfvars|hcl|config|service|cnf|xml)$|(?:^|\/)(?:\.env[\w.-]*|sshd_config|ssh_config|sudoers|Caddyfile|nginx\.conf|Dockerfile|\.npmrc|pg_hba\.conf|settings\.py|\.htaccess)$/i

/** The part of a line that a shell runs. */
const scriptPart = ({ text, file }: Line): string | undefined => {
  if (/Dockerfile|Containerfile/.test(file))
    return (
      /^\s*(?:RUN|CMD|ENTRYPOINT)\s+(.*)$/.exec(text)?.[1] ?? (/^\s{2,}|&&/.test(text) ? text : undefined)
    )
  if (/Makefile|justfile/.test(file)) return /^[\t ]+[-@]*(.*)$/.exec(text)?.[1]
  if (/Jenkinsfile/.test(file)) return /\bsh\s*\(?\s*['"]+([^'"]+)/.exec(text)?.[1]
  if (scriptFile.test(file)) return text
  if (workflowFile.test(file))
    return (
      /^\s*-?\s*(?:run|script):\s*\|?(.*)$/.exec(text)?.[1] ??
      (isCommand(text) ? text.replace(/^\s*-\s/, '') : undefined)
    )
  if (/package\.json$/.test(file)) return /^\s*"[\w:.-]+":\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1]
  return undefined
}

/** Statements within strings of code: `execute("…")` and the like. */
const quotedSql = (line: Line): string | undefined =>
  /\b(?:execute|executescript|query|raw|exec|run|sql)\w*\s*\(\s*(?:text\()?[frbu]{0,2}(["'`]{1,3})([^"'`]{6,600})/i.exec(
    line.text,
  )?.[2]

/** Whether lines of a migration undo it: those after `down` or `downgrade`. */
const rollbackLines = (lines: readonly Line[]): Set<Line> => {
  const rollback = new Set<Line>()
  let isDown = false
  for (const line of lines) {
    if (
      /\b(?:exports?\.(?:down|rollback)|(?:def|function|async|public|void|const)\s+(?:down(?:grade)?|rollback|Down)\b|--\s*\+?(?:goose|migrate|dbmate)?:?\s*Down\b)/i.test(
        line.text,
      )
    )
      isDown = true
    else if (
      /\b(?:exports?\.up|(?:def|function|async|public|void|const)\s+(?:up(?:grade)?|Up)\b|--\s*\+?(?:goose|migrate|dbmate)?:?\s*Up\b)/i.test(
        line.text,
      )
    )
      isDown = false
    if (isDown || /(?:^|\/)(?:[\w.-]*[._]down\.sql|rollback[\w.-]*\.sql|down\.sql)$/i.test(line.file))
      rollback.add(line)
  }
  return rollback
}

type Views = {
  files: DiffFile[]
  lines: Line[]
  commands: Command[]
  statements: Statement[]
  settings: Setting[]
  forkBombs: Place[]
  problems: string[]
  views: Set<string>
  prose: string
}

/** The settings that a command line gives to what it starts or changes: `helm --set a=b`, `kubectl patch -p '{…}'`, `ALTER SYSTEM SET`. */
const settingsWithin = ({ program, args, input, feeders, place }: Command): Setting[] => {
  const pairs: string[] = []
  // What is only shown is not set.
  if (args[0] === 'template' || args[0] === 'lint' || args.some(arg => /^--dry-run/.test(arg))) return []
  if (program === 'helm')
    for (const [nth, arg] of args.entries()) {
      const inline = /^--set(?:-string|-json|-literal)?=(.+)$/.exec(arg)?.[1]
      const value =
        inline ?? (/^--set(?:-string|-json|-literal)?$/.test(args[nth - 1] ?? '') ? arg : undefined)
      if (value !== undefined) pairs.push(...value.slice(0, 2000).split(/(?<!\\),/))
    }
  if (args.includes('config:set') || (args[0] === 'set' && args[1] === 'env'))
    pairs.push(...args.filter(arg => /^\w{1,80}=/.test(arg)))
  const patch =
    program === 'kubectl' || program === 'oc'
      ? args[args.findIndex(arg => /^(?:-p|--patch)$/.test(arg)) + 1]
      : undefined
  const patched =
    args.includes('patch') && patch !== undefined && /^[[{]/.test(patch) ? (readYaml(patch) ?? []) : []
  const sql = sqlWithin({ program, args, input, feeders })
  for (const [, name, value] of (sql ?? '')
    .slice(0, 5000)
    .matchAll(
      /\b(?:ALTER\s{1,5}(?:SYSTEM|DATABASE\s{1,5}\w{1,60}|ROLE\s{1,5}\w{1,60})\s{1,5}SET|SET\s{1,5}(?:GLOBAL|PERSIST))\s{1,5}([\w.]{1,60})\s{0,5}(?:=|\bTO\b)\s{0,5}'?([\w.-]{1,60})/gi,
    ))
    pairs.push(`${name} = ${value}`)
  return [
    ...readSettingLines(pairs.map(text => ({ text, place, isRemoved: false }))),
    ...patched.map(setting => ({ ...setting, place })),
  ]
}

const addShell = (views: Views, script: string, firstLine = 1, isWhole = false) => {
  const shell = readShell(script, firstLine)
  // What a shell cannot read may be PowerShell, which has brackets of its own.
  const { commands, forkBombs, problems } = isPowerShell(script, shell.problems.length > 0)
    ? { commands: readPowerShell(script), forkBombs: [], problems: [] }
    : shell
  for (const { program, args, place } of [...commands]) {
    const at = args.findIndex(arg => /^-c(?:ommand)?$/i.test(arg))
    if (/^(?:powershell|pwsh)(?:\.exe)?$/i.test(program) && at >= 0)
      commands.push(...readPowerShell(args.slice(at + 1).join(' ')).map(command => ({ ...command, place })))
  }
  views.commands.push(...commands)
  views.forkBombs.push(...forkBombs)
  if (isWhole) views.problems.push(...problems)
  views.views.add('shell')
  for (const command of commands) {
    views.settings.push(...settingsWithin(command))
    const sql = isTestDatabase(command) ? undefined : sqlWithin(command)
    if (sql !== undefined) views.statements.push(...readSql(sql, () => command.place))
  }
}

/** A line of a crontab without its schedule. */
const schedule =
  /^(?:[ \t]*(?:[\d*,/-]{1,20}[ \t]+){5}|[ \t]*@(?:daily|hourly|weekly|monthly|reboot|midnight)[ \t]+)(?:root[ \t]+)?/gm

const sqlClients =
  /^(?:psql|mysql|mariadb|sqlite3|sqlcmd|clickhouse(?:-client)?|cqlsh|snowsql|bq|duckdb|cockroach|mssql-cli|pgcli|mycli|sqlplus|presto|trino|beeline|hive|impala-shell)$/

/** Whether a client is sent to a database of tests, by its name, on this machine. */
const isTestDatabase = ({ args }: Command): boolean =>
  args.some(arg => /(?:^|[@/=])(?:localhost|127\.0\.0\.1|\[?::1\]?)(?:[:/]|$)/.test(arg)) &&
  args.some(arg =>
    /(?:^|[/=])(?:\w{1,40}_)?(?:test|tests|e2e|jest|pytest|ci)(?:_\w{1,40})?(?:\?|$)/.test(arg),
  )

/** The SQL that a command line gives a client. */
const sqlWithin = ({
  program,
  args,
  input,
  feeders,
}: Pick<Command, 'program' | 'args' | 'input' | 'feeders'>): string | undefined => {
  if (!sqlClients.test(program)) return undefined
  const fed = feeders.flatMap(({ program, args }) =>
    program === 'echo' || program === 'printf' ? [args.join(' ')] : [],
  )
  const texts = [...args.filter(arg => /\s/.test(arg)).map(arg => arg.replace(/^--?\w+=/, '')), input, ...fed]
  return texts.filter(text => text !== '').join(';\n') || undefined
}

/** What the variables of a Makefile hold, where that is written out. */
const makeVariables = ({ lines }: DiffFile): ReadonlyMap<string, string> =>
  new Map(
    lines.flatMap(({ change, text }): [string, string][] => {
      const [, name, value] =
        change === 'removed'
          ? []
          : (/^(?:(?:override|export)\s+)?([A-Z_]\w{0,40})\s*[:?]{0,2}=\s*([\w./-]{1,200})\s*(?:#.*)?$/i.exec(
              text,
            ) ?? [])
      return name !== undefined && value !== undefined ? [[name, value]] : []
    }),
  )

/** With what a diff says that it was: the value of its path, or of the one setting of its key. */
const withBefore = (setting: Setting, old: readonly Setting[]): Setting => {
  if (setting.was !== undefined) return setting
  const sameKey = old.filter(({ key }) => key === setting.key)
  const before =
    sameKey.find(({ path }) => path === setting.path) ?? (sameKey.length === 1 ? sameKey[0] : undefined)
  return before ? { ...setting, was: before.value } : setting
}

const addDiff = (views: Views, text: string) => {
  views.views.add('diff')
  for (const file of readDiff(text, isBareHunk(text) ? namedFile(text) : undefined)) {
    views.files.push(file)
    views.lines.push(...file.lines)
    const added = file.lines.filter(({ change }) => change === 'added')
    const variables = /Makefile|\.mk$/.test(file.name) ? makeVariables(file) : undefined
    const scripts = added.flatMap(line => {
      const script = scriptPart(line)?.replace(
        /\$[({](\w{1,41})[)}]/g,
        (whole, name: string) => variables?.get(name) ?? whole,
      )
      return script === undefined ? [] : [{ script, line }]
    })
    if (scripts.length > 0) {
      const first = scripts[0]?.line.place.line ?? 1
      const before = views.commands.length
      addShell(views, scripts.map(({ script }) => script.replace(/^\s*@/, '')).join('\n'), 1)
      for (let nth = before; nth < views.commands.length; nth++) {
        const command = views.commands[nth]
        if (!command) continue
        const line = scripts[(command.place.line ?? 1) - 1]?.line.place.line ?? first
        views.commands[nth] = { ...command, place: { file: file.name, line } }
      }
    }
    const rollback = rollbackLines(file.lines)
    if (/\.sql$/i.test(file.name)) {
      views.views.add('sql')
      for (const isRollback of [false, true]) {
        const part = added.filter(line => rollback.has(line) === isRollback)
        const sql = part.map(({ text }) => text).join('\n')
        views.statements.push(
          ...readSql(sql, nth => ({ file: file.name, ...(part[nth - 1]?.place ?? {}) }), isRollback),
        )
      }
    } else
      for (const line of added) {
        const sql = quotedSql(line)
        if (sql !== undefined && isSql(sql))
          views.statements.push(...readSql(sql, () => line.place, rollback.has(line)))
      }
    if (settingFile.test(file.name) || file.name === '') {
      views.views.add('settings')
      const after = file.lines.filter(({ change }) => change !== 'removed')
      const before = file.lines.filter(({ change }) => change !== 'added')
      const isAdded = new Set(added.map(({ place }) => place))
      const isGone = new Set(before.flatMap(({ change, place }) => (change === 'removed' ? [place] : [])))
      const toSource = ({ text, place }: Line) => ({ text, place, isRemoved: false })
      const old = readSettingLines(before.map(toSource)).filter(({ place }) => isGone.has(place))
      views.settings.push(
        ...readSettingLines(after.map(toSource))
          .filter(({ place }) => isAdded.has(place))
          .map(setting => withBefore(setting, old)),
      )
    }
  }
}

/** JSON whose first row is a title, and whose last ones are remarks; rows stay where they are. */
const withoutTitle = (text: string): string | undefined => {
  const rows = text.split('\n')
  const start = rows.findIndex(row => /^\s{0,4}(?:\{|\[\s*(?:[{"]|$))/.test(row))
  if (start < 1 || start > 3) return undefined
  const end = rows.findLastIndex(row => /[\]}]\s*$/.test(row))
  return end < start
    ? undefined
    : [...rows.slice(0, start).map(() => ''), ...rows.slice(start, end + 1)].join('\n')
}

const addSettings = (views: Views, text: string) => {
  views.views.add('settings')
  if (isXml(text)) {
    views.settings.push(...readXmlSettings(text))
    return
  }
  const bare = withoutTitle(text)
  const structured = /^[ \t]*[[{]|^[ \t]*[\w"'.-]{1,100}[ \t]*:|^---/m.test(text)
    ? (readYaml(text) ?? (bare === undefined ? undefined : readYaml(bare)))
    : undefined
  if (structured && structured.length > 0) {
    views.settings.push(...structured)
    return
  }
  views.settings.push(
    ...readSettingLines(
      text
        .split('\n')
        .map((row, nth) => ({ text: row.slice(0, 2000), place: { line: nth + 1 }, isRemoved: false })),
    ),
  )
}

const readChanges = (text: string): Setting[] =>
  readSettingLines(
    text.split('\n').flatMap((row, nth) => {
      const change = readArrowRow(row.trim().slice(0, 500))
      return change && /[._a-z][A-Z_.]|_/.test(change.key)
        ? [{ text: row, place: { line: nth + 1 }, isRemoved: false }]
        : []
    }),
  )

const isDockerfile = (text: string): boolean =>
  /^\s*(?:(?:#|ARG\b)[^\n]*\n\s*)*FROM\s+\S/.test(text) &&
  /^(?:RUN|CMD|COPY|USER|ENTRYPOINT|WORKDIR|ADD|ENV)\s/m.test(text)

const addDockerfile = (views: Views, text: string) => {
  const rows = text.trim().split('\n')
  addDiff(
    views,
    ['--- /dev/null', '+++ b/Dockerfile', `@@ -0,0 +1,${rows.length} @@`, ...rows.map(row => `+${row}`)].join(
      '\n',
    ),
  )
}

const addCode = (views: Views, text: string, firstLine = 1) => {
  views.views.add('code')
  for (const line of readLines(text)) {
    const place = { line: (line.place.line ?? 1) + firstLine - 1 }
    views.lines.push({ ...line, place })
    const sql = quotedSql(line)
    if (sql !== undefined && isSql(sql)) views.statements.push(...readSql(sql, () => place))
  }
}

/** Whether a text begins as a program does. */
const isCode = (text: string): boolean => {
  const first = text.split('\n').find(row => row.trim() !== '' && !/^\s*(?:#|\/\/|\/\*|\*)/.test(row)) ?? ''
  return /^\s*(?:(?:import|package|using)\s+[\w."'{*@/]+[^.?!]*$|from\s+[\w.]+\s+import\b|(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:const|let|var|function|def|func|fn|class|interface)\s+[\w${[]+.*[=({:]|(?:public|private|protected|static)\s+.*[({]|#include\b|<\?php|@\w+[.(]|(?:[\w$]+\.)*[\w$]+\(.*\)\s*[;{]?\s*$|[\w$.]+\s*=\s*(?:await\s+)?[\w$.]+\(.*\);?\s*$)/.test(
    first,
  )
}

const addProse = (views: Views, text: string, isReport = false) => {
  const { prose, scripts, statements, diffs, settings, code } = readFences(text)
  views.prose = withoutTitles(isReport ? withoutReported(prose) : prose)
  views.views.add('prose')
  for (const { text, line } of scripts) addShell(views, text, line)
  for (const { text, line } of statements) {
    views.views.add('sql')
    views.statements.push(...readSql(text, nth => ({ line: line + nth - 1 })))
  }
  for (const { text } of diffs) addDiff(views, text)
  for (const { text } of settings) addSettings(views, text)
  for (const { text, line } of code) {
    if (isDockerfile(text)) addDockerfile(views, text)
    else addCode(views, text, line)
  }
}

const looksLikeSettings = (text: string): boolean => {
  const rows = text.split('\n').filter(row => row.trim() !== '' && !/^\s*(?:#|\/\/|;)/.test(row))
  const pairs = rows.filter(row =>
    /^\s*(?:-\s+)?["']?[\w.$/@-]{1,80}["']?\s*(?:[:=]|$)|[{}[\]],?\s*$/.test(row),
  ).length
  return rows.length > 0 && pairs / rows.length > 0.7 && !/[.!?]\s*$/.test(rows[0] ?? '')
}

/** What a text of no stated type is. */
const detect = (text: string): 'diff' | 'shell' | 'sql' | 'settings' | 'prose' => {
  if (isDiff(text) || isBareHunk(text)) return 'diff'
  if (isSql(text)) return 'sql'
  if (parseRecord(text) || isXml(text)) return 'settings'
  if (isPowerShell(text.trimStart().split('\n')[0] ?? '', false)) return 'shell'
  if (/^(?:#!|\$ )/.test(text.trimStart()) || isCommand(text.trimStart().split('\n')[0] ?? '')) return 'shell'
  return looksLikeSettings(text) ? 'settings' : 'prose'
}

const readRecord = (text: string): Record<string, unknown> => {
  const record = parseRecord(text)
  if (record) return record
  const pairs = text.split('\n').flatMap((row): [string, string][] => {
    const match = /^(?:[-*][ \t]*)?["']?([A-Za-z][\w %/-]{1,40}?)["']?[ \t]{0,4}[:=][ \t]{0,4}(\S.*)$/.exec(
      row.trim().slice(0, 300),
    )
    const [, key = '', value = ''] = match ?? []
    return match ? [[key.toLowerCase().replace(/[ /-]/g, '_'), value.replace(/,$/, '')]] : []
  })
  return Object.fromEntries(pairs)
}

/** Reads an artifact of a type, in the ways that the type calls for. Linear in its length. */
export const readArtifact = (
  type: ArtifactType,
  text: string,
  context = '',
  tradingState?: TradingState,
): Artifact => {
  const views: Views = {
    files: [],
    lines: [],
    commands: [],
    statements: [],
    settings: [],
    forkBombs: [],
    problems: [],
    views: new Set(),
    prose: '',
  }
  const form = detect(text)
  if (type === 'code_diff' || type === 'patch') {
    if (form === 'diff' || /^[+-]/m.test(text)) addDiff(views, text)
    else {
      views.problems.push('It is not a diff: every line was read as new code.')
      addDiff(
        views,
        text
          .split('\n')
          .map(row => `+${row}`)
          .join('\n'),
      )
    }
  } else if (type === 'shell_command') {
    addShell(
      views,
      text
        .replace(/^\s*```\w*\n|\n```\s*$/g, '')
        .replace(/^\$ /gm, '')
        .replace(schedule, ''),
      1,
      true,
    )
    views.lines = readLines(text)
  } else if (type === 'config_change' || type === 'general') {
    if (form === 'diff') addDiff(views, text)
    else if (isDockerfile(text)) addDockerfile(views, text)
    else if (form === 'prose' && type === 'general' && isCode(text)) addCode(views, text)
    else {
      views.lines = readLines(text, form === 'prose' && type === 'general')
      if (form === 'sql') {
        views.views.add('sql')
        views.statements.push(...readSql(text, line => ({ line })))
      } else if (form === 'shell') addShell(views, text, 1, type === 'general')
      else if (form === 'settings') addSettings(views, text)
      if (form === 'prose') addProse(views, text, true)
      // A list of changes may have a title and a reason around it.
      if (form === 'prose' && type === 'general') views.settings.push(...readChanges(text))
      if (type === 'config_change' && form !== 'settings' && form !== 'sql') addSettings(views, text)
    }
  } else {
    views.lines = readLines(text, true)
    addProse(views, text, type === 'agent_output' || type === 'analysis')
  }
  return {
    ...views,
    views: [...views.views],
    problems: [...new Set(views.problems)].slice(0, 5),
    type,
    text,
    context,
    record: readRecord(text),
    tradingState,
  }
}
