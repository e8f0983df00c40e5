import { readdirSync, readFileSync } from 'node:fs'
import type { ArtifactType } from '../../../../mcp/services/proof/review/artifact-type.ts'

/** An artifact with the label that a careful reviewer gave it. */
export type LabelledText = { bad: boolean; type: ArtifactType; artifact: string; context?: string }

const folder = new URL('sets/', import.meta.url)

/** The labelled texts of a file of `sets/`, one in a line. */
export const readSet = (name: string): LabelledText[] =>
  readFileSync(new URL(`${name}.jsonl`, folder), 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as LabelledText)

/** Names of all sets. Nothing is learned from those that begin with `unseen` or `held-out`, and no rule is made for them. */
export const setNames: readonly string[] = readdirSync(folder)
  .map(name => name.replace('.jsonl', ''))
  .sort()

/** Names of the five sets of artifacts that nothing was learned from. */
export const unseenSets: readonly string[] = setNames.filter(name => name.startsWith('unseen'))
