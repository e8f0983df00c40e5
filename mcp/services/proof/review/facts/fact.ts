import type { Act } from '../act.ts'
import type { Place } from '../finding.ts'
import type { Line } from '../read/lines.ts'
import type { ArtifactSetting } from '../read/settings.ts'
import type { Command } from '../read/shell.ts'
import type { Statement } from '../read/sql.ts'
import type { Effect, Scope } from './table.ts'

/** One effect of an act on a subject, which `detail` names. Without a scope it is the usual one of its row of the table. */
export type Fact = { detail: string; scope?: Scope; place?: Place; effect?: Effect }

export const wide = (detail: string): Fact => ({ detail, scope: 'wide' })
export const partial = (detail: string): Fact => ({ detail, scope: 'partial' })
export const narrow = (detail: string): Fact => ({ detail, scope: 'narrow' })

/** Finds one effect in acts. */
export type Detector = { id: Effect; check(act: Act): readonly Fact[] }

type Found = string | Fact | false | undefined | null

const toFacts = (found: Found, place: Place): Fact[] => {
  if (!found) return []
  return [typeof found === 'string' ? { detail: found, place } : { place, ...found }]
}

const maxFacts = 5

const first = (facts: Fact[]): Fact[] => facts.slice(0, maxFacts)

/** A detector over each command that a shell would run, however it is wrapped; `all` are those of the same act. */
export const commandFact = ({
  id,
  see,
}: {
  id: Effect
  see(command: Command, all: readonly Command[]): Found
}): Detector => ({
  id,
  check: ({ commands }) => first(commands.flatMap(command => toFacts(see(command, commands), command.place))),
})

type Where = (line: Line) => boolean

const isNewText: Where = line => line.change !== 'removed' && !line.isComment && !line.isProse

const linesByAct = new WeakMap<Act, Map<Where, readonly Line[]>>()

/** The lines at which detectors of one kind look, gathered once for all of them. */
const linesWhere = (act: Act, where: Where): readonly Line[] => {
  let lists = linesByAct.get(act)
  if (!lists) {
    lists = new Map()
    linesByAct.set(act, lists)
  }
  let lines = lists.get(where)
  if (!lines) {
    lines = act.lines.filter(where)
    lists.set(where, lines)
  }
  return lines
}

/** A detector over each line that would be there afterwards: added lines of a diff, or all lines of another text. */
export const lineFact = ({
  id,
  where = isNewText,
  see,
}: {
  id: Effect
  where?: Where
  see(line: Line, act: Act): Found
}): Detector => ({
  id,
  check: act => first(linesWhere(act, where).flatMap(line => toFacts(see(line, act), line.place))),
})

/** A detector over each statement of SQL; `all` are those of the same act. */
export const statementFact = ({
  id,
  see,
}: {
  id: Effect
  see(statement: Statement, all: readonly Statement[]): Found
}): Detector => ({
  id,
  check: ({ statements }) =>
    first(statements.flatMap(statement => toFacts(see(statement, statements), statement.place))),
})

/** A detector over each setting of JSON, YAML, INI, HCL and the like. */
export const settingFact = ({
  id,
  see,
}: {
  id: Effect
  see(setting: ArtifactSetting, act: Act): Found
}): Detector => ({
  id,
  check: act => first(act.settings.flatMap(setting => toFacts(see(setting, act), setting.place))),
})

/** A detector over a whole act. */
export const actFact = ({ id, see }: { id: Effect; see(act: Act): Found | readonly Fact[] }): Detector => ({
  id,
  check: act => {
    const found = see(act)
    return first(Array.isArray(found) ? [...(found as readonly Fact[])] : toFacts(found as Found, {}))
  },
})

/** Parses a pattern of a data file; its flags stand at its head: `(?i)`. */
export const parsePattern = (source: string, isWhole = false): RegExp => {
  const [head = '', flags = ''] = /^\(\?([imu]+)\)/.exec(source) ?? []
  const bare = source.slice(head.length)
  return new RegExp(isWhole ? `^(?:${bare})$` : bare, flags)
}
