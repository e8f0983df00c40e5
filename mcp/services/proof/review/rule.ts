import type { Artifact } from './artifact.ts'
import type { ArtifactType } from './artifact-type.ts'
import type { Place, Severity } from './finding.ts'
import type { Line } from './read/lines.ts'
import type { Setting } from './read/settings.ts'
import type { Command } from './read/shell.ts'
import type { Statement } from './read/sql.ts'

/** What a rule saw. The severity is that of the rule unless it says otherwise. */
export type Hit = { detail: string; severity?: Severity; place?: Place }

/** An artifact that shows what a rule does: a text of the rule's first type, or of another. */
export type Example = string | { type: ArtifactType; artifact: string; context?: string }

/** One rule. `hits` are artifacts that it finds something in, `misses` look alike and are harmless to it. */
export type Rule = {
  id: string
  category: string
  severity: Severity
  /** Of what type an example is that names none. */
  type: ArtifactType
  fix: string
  hits: readonly [Example, ...Example[]]
  misses: readonly [Example, ...Example[]]
  check(artifact: Artifact): readonly Hit[]
}

type Facts = Omit<Rule, 'check' | 'type' | 'category'> & { type?: ArtifactType }
type Seen = string | Hit | false | undefined | null

const toHits = (seen: Seen, place: Place): Hit[] => {
  if (!seen) return []
  return [typeof seen === 'string' ? { detail: seen, place } : { place, ...seen }]
}

const maxHits = 5

const first = (hits: Hit[]): Hit[] => hits.slice(0, maxHits)

/** A rule over each command that a shell would run, however it is wrapped. */
export const commandRule = (
  facts: Facts & { see(command: Command, all: readonly Command[]): Seen },
): Rule => ({
  type: 'shell_command',
  category: 'shell',
  ...facts,
  check: ({ commands }) =>
    first(commands.flatMap(command => toHits(facts.see(command, commands), command.place))),
})

type Where = (line: Line) => boolean

const isNewText: Where = line => line.change !== 'removed' && !line.isComment && !line.isProse

const linesByArtifact = new WeakMap<Artifact, Map<Where, readonly Line[]>>()

/** The lines at which rules of one kind look, gathered once for all of them. */
const linesWhere = (artifact: Artifact, where: Where): readonly Line[] => {
  let lists = linesByArtifact.get(artifact)
  if (!lists) {
    lists = new Map()
    linesByArtifact.set(artifact, lists)
  }
  let lines = lists.get(where)
  if (!lines) {
    lines = artifact.lines.filter(where)
    lists.set(where, lines)
  }
  return lines
}

/** A rule over each line that would be there afterwards: added lines of a diff, or all lines of another text. */
export const lineRule = (
  facts: Facts & {
    category: string
    /** Where it looks; default: code and settings, not prose or comments. */
    where?: Where
    see(line: Line, artifact: Artifact): Seen
  },
): Rule => ({
  type: 'code_diff',
  ...facts,
  check: artifact =>
    first(
      linesWhere(artifact, facts.where ?? isNewText).flatMap(line =>
        toHits(facts.see(line, artifact), line.place),
      ),
    ),
})

/** A rule over each statement of SQL. */
export const statementRule = (
  facts: Facts & { see(statement: Statement, all: readonly Statement[]): Seen },
): Rule => ({
  type: 'general',
  category: 'sql',
  ...facts,
  check: ({ statements }) =>
    first(statements.flatMap(statement => toHits(facts.see(statement, statements), statement.place))),
})

/** A rule over each setting of JSON, YAML, INI, HCL and the like. */
export const settingRule = (
  facts: Facts & { category: string; see(setting: Setting, artifact: Artifact): Seen },
): Rule => ({
  type: 'config_change',
  ...facts,
  check: artifact =>
    first(artifact.settings.flatMap(setting => toHits(facts.see(setting, artifact), setting.place))),
})

/** A rule over the whole. */
export const wholeRule = (
  facts: Facts & { category: string; type: ArtifactType; see(artifact: Artifact): Seen | readonly Hit[] },
): Rule => ({
  ...facts,
  check: artifact => {
    const match = facts.see(artifact)
    return first(Array.isArray(match) ? [...(match as readonly Hit[])] : toHits(match as Seen, {}))
  },
})
