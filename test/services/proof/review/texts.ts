import { readdirSync, readFileSync } from 'node:fs'
import type { ArtifactType } from '../../../../mcp/services/proof/review/artifact-type.ts'

/** An artifact with the label that a careful reviewer gave it. */
export type LabelledText = { bad: boolean; type: ArtifactType; artifact: string; context?: string }

const folder = new URL('texts/', import.meta.url)

/** The labelled texts of a file of `texts/`, one in a line. */
export const readTexts = (name: string): LabelledText[] =>
  readFileSync(new URL(`${name}.jsonl`, folder), 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as LabelledText)

const names = readdirSync(folder)
  .map(name => name.replace('.jsonl', ''))
  .sort()

const isUnseen = (name: string): boolean => name.startsWith('unseen')

/** Names of the files that weights are learned from. */
export const learningTexts: readonly string[] = names.filter(name => !isUnseen(name))

/** Names of the files that nothing may be learned from and no rule may be made for. */
export const unseenTexts: readonly string[] = names.filter(isUnseen)
