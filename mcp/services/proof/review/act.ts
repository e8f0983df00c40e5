import { parseRecord } from '../../../lib/json.ts'
import type { ArtifactType } from './artifact-type.ts'
import type { Place } from './finding.ts'
import { readArrowRow } from './read/changes.ts'
import {
  type DiffFile,
  isBareHunk,
  isDiff,
  type Line,
  namedFile,
  parseTextLines,
  readDiff,
} from './read/lines.ts'
import { isPowerShell, readPowerShell } from './read/powershell.ts'
import { findInStrings, isCommand, type ProsePiece, parseFences } from './read/prose.ts'
import { type ArtifactSetting, parseXmlSettings, parseYaml, readSettingLines } from './read/settings.ts'
import { type Command, readShell } from './read/shell.ts'
import { isSql, readSql, type Statement } from './read/sql.ts'
import { isXml } from './read/xml.ts'

/**
 * One act of an artifact: a script, statements, a document of settings, a file of a diff, code or sentences. It is checked by itself, so
 * that no other act lowers what is found in it.
 */
export type Act = {
  kind: 'commands' | 'statements' | 'settings' | 'changes' | 'code' | 'sentences'
  text: string
  files: readonly DiffFile[]
  lines: readonly Line[]
  commands: readonly Command[]
  statements: readonly Statement[]
  settings: readonly ArtifactSetting[]
  forkBombs: readonly Place[]
  /** Words around it say that it is not to be run. */
  isMention: boolean
}

/** An artifact in acts. `prose` is what is read as sentences, `problems` is what could not be read. */
export type Acts = {
  acts: readonly Act[]
  prose: string
  readAs: readonly string[]
  problems: readonly string[]
}

const createAct = (kind: Act['kind'], text: string, parts: Partial<Act> = {}): Act => ({
  kind,
  text,
  files: [],
  lines: [],
  commands: [],
  statements: [],
  settings: [],
  forkBombs: [],
  isMention: false,
  ...parts,
})

const scriptFile =
  /\.(?:sh|bash|zsh|command)$|(?:^|\/)(?:Makefile|Dockerfile[\w.-]*|Containerfile|Jenkinsfile|Procfile|justfile|\.husky\/[\w-]+)$/
const workflowFile =
  /(?:^|\/)(?:\.github\/workflows\/|\.gitlab-ci|\.circleci\/|azure-pipelines|bitbucket-pipelines|\.drone)/
const settingFile =
  /\.(?:ya?ml|json|toml|ini|conf|cfg|cnf|env|properties|tf|tfvars|hcl|config|service|xml)$|(?:^|\/)(?:\.env[\w.-]*|sshd_config|ssh_config|sudoers|Caddyfile|nginx\.conf|Dockerfile|\.npmrc|pg_hba\.conf|settings\.py|\.htaccess)$/i

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

const downHead =
  /\b(?:exports?\.(?:down|rollback)|(?:def|function|async|public|void|const)\s+(?:down(?:grade)?|rollback|Down)\b|--\s*\+?(?:goose|migrate|dbmate)?:?\s*Down\b)/i
const upHead =
  /\b(?:exports?\.up|(?:def|function|async|public|void|const)\s+(?:up(?:grade)?|Up)\b|--\s*\+?(?:goose|migrate|dbmate)?:?\s*Up\b)/i
const downFile = /(?:^|\/)(?:[\w.-]*[._]down\.sql|rollback[\w.-]*\.sql|down\.sql)$/i

/** The lines of a migration that undo it: those after `down` or `downgrade`. */
const rollbackLines = (lines: readonly Line[]): Set<Line> => {
  const rollback = new Set<Line>()
  let isDown = false
  for (const line of lines) {
    if (downHead.test(line.text)) isDown = true
    else if (upHead.test(line.text)) isDown = false
    if (isDown || downFile.test(line.file)) rollback.add(line)
  }
  return rollback
}

const sqlClients =
  /^(?:psql|mysql|mariadb|sqlite3|sqlcmd|clickhouse(?:-client)?|cqlsh|snowsql|bq|duckdb|cockroach|mssql-cli|pgcli|mycli|sqlplus|presto|trino|beeline|hive|impala-shell)$/

/** True where a client is sent to a database of tests, by its name, on this machine. */
const isTestDatabase = ({ args }: Command): boolean =>
  args.some(arg => /(?:^|[@/=])(?:localhost|127\.0\.0\.1|\[?::1\]?)(?:[:/]|$)/.test(arg)) &&
  args.some(arg =>
    /(?:^|[/=])(?:\w{1,40}_)?(?:test|tests|e2e|jest|pytest|ci)(?:_\w{1,40})?(?:\?|$)/.test(arg),
  )

/** The SQL that a command line gives a client. */
const sqlWithin = ({ program, args, input, feeders }: Command): string | undefined => {
  if (!sqlClients.test(program)) return undefined
  const fed = feeders.flatMap(({ program, args }) =>
    program === 'echo' || program === 'printf' ? [args.join(' ')] : [],
  )
  const texts = [...args.filter(arg => /\s/.test(arg)).map(arg => arg.replace(/^--?\w+=/, '')), input, ...fed]
  return texts.filter(text => text !== '').join(';\n') || undefined
}

const systemSetting =
  /\b(?:ALTER\s{1,5}(?:SYSTEM|DATABASE\s{1,5}\w{1,60}|ROLE\s{1,5}\w{1,60})\s{1,5}SET|SET\s{1,5}(?:GLOBAL|PERSIST))\s{1,5}([\w.]{1,60})\s{0,5}(?:=|\bTO\b)\s{0,5}'?([\w.-]{1,60})/gi

/** The settings that a command line gives to what it starts or changes: `helm --set a=b`, `kubectl patch -p '{…}'`, `ALTER SYSTEM SET`. */
const settingsWithin = (command: Command): ArtifactSetting[] => {
  const { program, args, place } = command
  // What is only shown is not set.
  if (args[0] === 'template' || args[0] === 'lint' || args.some(arg => /^--dry-run/.test(arg))) return []
  const pairs: string[] = []
  if (program === 'helm')
    for (const [nth, arg] of args.entries()) {
      const inline = /^--set(?:-string|-json|-literal)?=(.+)$/.exec(arg)?.[1]
      const value =
        inline ?? (/^--set(?:-string|-json|-literal)?$/.test(args[nth - 1] ?? '') ? arg : undefined)
      if (value !== undefined) pairs.push(...value.slice(0, 2000).split(/(?<!\\),/))
    }
  if (args.includes('config:set') || (args[0] === 'set' && args[1] === 'env'))
    pairs.push(...args.filter(arg => /^\w{1,80}=/.test(arg)))
  const isCluster = program === 'kubectl' || program === 'oc'
  const patch = isCluster ? args[args.findIndex(arg => /^(?:-p|--patch)$/.test(arg)) + 1] : undefined
  const patched =
    args.includes('patch') && patch !== undefined && /^[[{]/.test(patch) ? (parseYaml(patch) ?? []) : []
  for (const [, name, value] of (sqlWithin(command) ?? '').slice(0, 5000).matchAll(systemSetting))
    pairs.push(`${name} = ${value}`)
  return [
    ...readSettingLines(pairs.map(text => ({ text, place }))),
    ...patched.map(setting => ({ ...setting, place })),
  ]
}

/** A line of a crontab without its schedule, and a row of a terminal without its prompt. */
const scheduleOrPrompt =
  /^(?:[ \t]*(?:[\d*,/-]{1,20}[ \t]+){5}|[ \t]*@(?:daily|hourly|weekly|monthly|reboot|midnight)[ \t]+)(?:root[ \t]+)?|^\$ /gm

type Script = { act: Act; problems: string[] }

/** Reads a script; `placeOf` says where a line of it stands. */
const readScript = (text: string, placeOf?: (line: number) => Place): Script => {
  const shell = readShell(text)
  // What a shell cannot read may be PowerShell, which has brackets of its own.
  const isPower = isPowerShell(text, shell.problems.length > 0)
  const commands = isPower ? readPowerShell(text) : [...shell.commands]
  for (const { program, args, place } of [...commands]) {
    const at = args.findIndex(arg => /^-c(?:ommand)?$/i.test(arg))
    if (/^(?:powershell|pwsh)(?:\.exe)?$/i.test(program) && at >= 0)
      commands.push(...readPowerShell(args.slice(at + 1).join(' ')).map(command => ({ ...command, place })))
  }
  const placed = new Map<Command, Command>()
  const move = (command: Command): Command => {
    const known = placed.get(command)
    if (known) return known
    const { place, feeders, inner, after, outer } = command
    const moved = {
      ...command,
      place: placeOf?.(place.line ?? 1) ?? place,
      feeders: feeders.map(move),
      inner: inner.map(move),
      after: after.map(move),
      ...(outer && { outer: move(outer) }),
    }
    placed.set(command, moved)
    return moved
  }
  const moved = placeOf ? commands.map(move) : commands
  const statements = moved.flatMap(command => {
    const sql = isTestDatabase(command) ? undefined : sqlWithin(command)
    return sql === undefined ? [] : readSql(sql, () => command.place)
  })
  return {
    act: createAct('commands', text, {
      commands: moved,
      statements,
      settings: moved.flatMap(settingsWithin),
      forkBombs: isPower ? [] : shell.forkBombs.map(place => placeOf?.(place.line ?? 1) ?? place),
    }),
    problems: isPower ? [] : shell.problems,
  }
}

/** Values of a Makefile's variables, where they are written out. */
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

/** The settings that a file of a diff has afterwards, on added lines. */
const readSettingChanges = ({ lines }: DiffFile, added: readonly Line[]): ArtifactSetting[] => {
  const isAdded = new Set(added.map(({ place }) => place))
  const after = lines.filter(({ change }) => change !== 'removed')
  return readSettingLines(after).filter(({ place }) => isAdded.has(place))
}

/** Acts in the strings of lines of code: the place is that of the line. */
const actsInStrings = (lines: readonly Line[]): Act[] =>
  lines.flatMap(line =>
    line.isTest || line.isComment
      ? []
      : findInStrings(line.text).flatMap(piece => actsOfPiece({ ...piece, line: 1 }, () => line.place)),
  )

const readFile = (file: DiffFile): Act[] => {
  const added = file.lines.filter(({ change }) => change === 'added')
  const rollback = rollbackLines(file.lines)
  const variables = /Makefile|\.mk$/.test(file.name) ? makeVariables(file) : undefined
  const scripts = added.flatMap(line => {
    const script = scriptPart(line)?.replace(
      /\$[({](\w{1,41})[)}]/g,
      (whole, name: string) => variables?.get(name) ?? whole,
    )
    return script === undefined ? [] : [{ script: script.replace(/^\s*@/, ''), place: line.place }]
  })
  const script =
    scripts.length > 0
      ? readScript(scripts.map(({ script }) => script).join('\n'), line => scripts[line - 1]?.place ?? {}).act
      : undefined
  const statements = /\.sql$/i.test(file.name)
    ? [false, true].flatMap(isRollback => {
        const part = added.filter(line => rollback.has(line) === isRollback)
        return readSql(part.map(({ text }) => text).join('\n'), nth => part[nth - 1]?.place ?? {}, isRollback)
      })
    : added.flatMap(line =>
        findInStrings(line.text).flatMap(({ kind, text }) =>
          kind === 'sql' ? readSql(text, () => line.place, rollback.has(line)) : [],
        ),
      )
  const text = file.lines.map(({ text }) => text).join('\n')
  const changes = createAct('changes', text, {
    files: [file],
    lines: file.lines,
    commands: script?.commands ?? [],
    forkBombs: script?.forkBombs ?? [],
    statements: [...statements, ...(script?.statements ?? [])],
    settings: [
      ...(script?.settings ?? []),
      ...(settingFile.test(file.name) || file.name === '' ? readSettingChanges(file, added) : []),
    ],
  })
  const prose = added.filter(({ isProse }) => isProse)
  return [
    changes,
    ...(script
      ? []
      : actsInStrings(added.filter(({ isProse }) => !isProse)).filter(({ kind }) => kind === 'commands')),
    ...parseFences(prose.map(({ text }) => text).join('\n')).pieces.flatMap(piece =>
      actsOfPiece(piece, line => prose[line - 1]?.place ?? {}),
    ),
  ]
}

const parseDiffActs = (text: string): Act[] =>
  readDiff(text, isBareHunk(text) ? namedFile(text) : undefined).flatMap(readFile)

const parseSettings = (text: string): ArtifactSetting[] => {
  if (isXml(text)) return parseXmlSettings(text)
  const bare = withoutTitle(text)
  const structured = /^[ \t]*[[{]|^[ \t]*[\w"'.-]{1,100}[ \t]*:|^---/m.test(text)
    ? (parseYaml(text) ?? (bare === undefined ? undefined : parseYaml(bare)))
    : undefined
  if (structured && structured.length > 0) return structured
  return readSettingLines(
    text.split('\n').map((row, nth) => ({ text: row.slice(0, 2000), place: { line: nth + 1 } })),
  )
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

/** A document of settings, and the commands in its values. */
const settingActs = (text: string, offset = 0): Act[] => {
  const settings = parseSettings(text).map(setting =>
    offset === 0 ? setting : { ...setting, place: { line: (setting.place.line ?? 1) + offset } },
  )
  const within = settings.flatMap(({ value, place }) =>
    value.length < 6 || !/\s/.test(value)
      ? []
      : findInStrings(JSON.stringify(value).slice(0, 4000).replace(/\\"/g, "'")).flatMap(piece =>
          actsOfPiece({ ...piece, line: 1 }, () => place),
        ),
  )
  return [createAct('settings', text, { settings }), ...within]
}

const isDockerfile = (text: string): boolean =>
  /^\s*(?:(?:#|ARG\b)[^\n]*\n\s*)*FROM\s+\S/.test(text) &&
  /^(?:RUN|CMD|COPY|USER|ENTRYPOINT|WORKDIR|ADD|ENV)\s/m.test(text)

const dockerfileActs = (text: string): Act[] => {
  const rows = text.trim().split('\n')
  return parseDiffActs(
    ['--- /dev/null', '+++ b/Dockerfile', `@@ -0,0 +1,${rows.length} @@`, ...rows.map(row => `+${row}`)].join(
      '\n',
    ),
  )
}

const codeActs = (text: string, offset = 0): Act[] => {
  const lines = parseTextLines(text).map(line => ({
    ...line,
    place: { line: (line.place.line ?? 1) + offset },
  }))
  return [createAct('code', text, { lines }), ...actsInStrings(lines)]
}

/** The acts of what was found within a text. */
const actsOfPiece = (
  { kind, text, line, isMention }: ProsePiece,
  placeOf: (line: number) => Place = line => ({ line }),
): Act[] => {
  const place = (nth: number) => placeOf(line + nth - 1)
  const acts =
    kind === 'script'
      ? [readScript(text, place).act]
      : kind === 'sql'
        ? [createAct('statements', text, { statements: readSql(text, place) })]
        : kind === 'diff'
          ? parseDiffActs(text)
          : kind === 'settings'
            ? settingActs(text, line - 1)
            : isDockerfile(text)
              ? dockerfileActs(text)
              : codeActs(text, line - 1)
  return isMention ? acts.map(act => ({ ...act, isMention })) : acts
}

/** True where a text begins as a program does. */
const isCode = (text: string): boolean => {
  const first = text.split('\n').find(row => row.trim() !== '' && !/^\s*(?:#|\/\/|\/\*|\*)/.test(row)) ?? ''
  return /^\s*(?:(?:import|package|using)\s+[\w."'{*@/]+[^.?!]*$|from\s+[\w.]+\s+import\b|(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:const|let|var|function|def|func|fn|class|interface)\s+[\w${[]+.*[=({:]|(?:public|private|protected|static)\s+.*[({]|#include\b|<\?php|@\w+[.(]|(?:[\w$]+\.)*[\w$]+\(.*\)\s*[;{]?\s*$|[\w$.]+\s*=\s*(?:await\s+)?[\w$.]+\(.*\);?\s*$)/.test(
    first,
  )
}

const looksLikeSettings = (text: string): boolean => {
  const rows = text.split('\n').filter(row => row.trim() !== '' && !/^\s*(?:#|\/\/|;)/.test(row))
  const pairs = rows.filter(row =>
    /^\s*(?:-\s+)?["']?[\w.$/@-]{1,80}["']?\s*(?:[:=]|$)|[{}[\]],?\s*$/.test(row),
  ).length
  return rows.length > 0 && pairs / rows.length > 0.7 && !/[.!?]\s*$/.test(rows[0] ?? '')
}

/** How a text reads. */
export type ArtifactForm = 'diff' | 'shell' | 'sql' | 'settings' | 'code' | 'prose'

const detectForm = (text: string): ArtifactForm => {
  if (isDiff(text) || isBareHunk(text)) return 'diff'
  if (isSql(text)) return 'sql'
  if (parseRecord(text) || isXml(text)) return 'settings'
  const first = text.trimStart().split('\n')[0] ?? ''
  if (isPowerShell(first, false) || /^(?:#!|\$ )/.test(first)) return 'shell'
  // A command that is quoted, or an item of a list, stands in prose.
  if (isCommand(first) && !/^(?:[-*+>|]|\d{1,3}[.)])\s/.test(first)) return 'shell'
  if (looksLikeSettings(text)) return 'settings'
  return isCode(text) ? 'code' : 'prose'
}

const parseArrows = (text: string): ArtifactSetting[] =>
  readSettingLines(
    text.split('\n').flatMap((row, nth) => {
      const change = readArrowRow(row.trim().slice(0, 500))
      return change && /[._a-z][A-Z_.]|_/.test(change.key) ? [{ text: row, place: { line: nth + 1 } }] : []
    }),
  )

/** Splits an artifact of a type into its acts, in the ways that the type calls for. Linear in its length. */
export const readActs = (type: ArtifactType, text: string): Acts => {
  const form = detectForm(text)
  const problems: string[] = []
  const lines = (isProse: boolean) =>
    createAct(isProse ? 'sentences' : 'code', text, { lines: parseTextLines(text, isProse) })
  const proseActs = (): Acts => {
    const { prose, pieces } = parseFences(text)
    const arrows = type === 'general' ? parseArrows(text) : []
    const acts = [{ ...lines(true), settings: arrows }, ...pieces.flatMap(piece => actsOfPiece(piece))]
    return { acts, prose, readAs: ['prose', ...new Set(pieces.map(({ kind }) => kind))], problems }
  }
  const shellActs = (): Acts => {
    const script = readScript(text.replace(/^\s*```\w*\n|\n```\s*$/g, '').replace(scheduleOrPrompt, ''))
    return {
      acts: [script.act, lines(false)],
      prose: '',
      readAs: ['shell'],
      problems: [...new Set(script.problems)].slice(0, 5),
    }
  }
  if (type === 'shell_command') return shellActs()
  if (type === 'code_diff' || type === 'patch') {
    if (form === 'diff' || /^[+-]/m.test(text))
      return { acts: parseDiffActs(text), prose: '', readAs: ['diff'], problems }
    problems.push('It is not a diff: every line was read as new code.')
    const asAdded = text.split('\n').map(row => `+${row}`)
    return { acts: [...parseDiffActs(asAdded.join('\n'))], prose: '', readAs: ['diff'], problems }
  }
  if (type !== 'config_change' && type !== 'general') return proseActs()
  if (form === 'diff') return { acts: parseDiffActs(text), prose: '', readAs: ['diff'], problems }
  if (isDockerfile(text))
    return { acts: dockerfileActs(text), prose: '', readAs: ['diff', 'shell'], problems }
  if (form === 'sql')
    return {
      acts: [createAct('statements', text, { statements: readSql(text, line => ({ line })) }), lines(false)],
      prose: '',
      readAs: ['sql'],
      problems,
    }
  if (form === 'shell' && type === 'general') return shellActs()
  if (form === 'settings' || type === 'config_change') {
    const isProse = type === 'config_change' && form === 'prose'
    const { prose, pieces } = isProse ? parseFences(text) : { prose: '', pieces: [] }
    return {
      acts: [
        ...settingActs(text),
        lines(false),
        ...(form === 'shell' ? shellActs().acts : []),
        ...pieces.flatMap(piece => actsOfPiece(piece)),
      ],
      prose,
      readAs: ['settings', ...(isProse ? ['prose'] : [])],
      problems,
    }
  }
  if (form === 'code') return { acts: codeActs(text), prose: '', readAs: ['code'], problems }
  return proseActs()
}
