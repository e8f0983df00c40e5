import { expect, test } from 'vitest'
import { readArtifact } from '../../../../mcp/services/proof/review/artifact.ts'
import type { ArtifactType } from '../../../../mcp/services/proof/review/artifact-type.ts'
import { judge } from '../../../../mcp/services/proof/review/decide.ts'
import { type LabelledText, readSet, setNames, unseenSets } from './sets.ts'

const isWrong = ({ bad, type, artifact, context }: LabelledText): boolean =>
  (judge(readArtifact(type, artifact, context)).verdict !== 'approve') !== bad

const shareOfWrong = (texts: readonly LabelledText[]): number => texts.filter(isWrong).length / texts.length

/** What is read by its structure; the rest is sentences, and weighed. */
const structured: ReadonlySet<ArtifactType> = new Set([
  'shell_command',
  'code_diff',
  'patch',
  'config_change',
])

const ruleSets = setNames.filter(name => /^\w+th$|^(?:first|second|third)$/.test(name))
const learningSets = setNames.filter(
  name => !/^(?:unseen|held-out|background)/.test(name) && !ruleSets.includes(name),
)

const isSentences = ({ type }: LabelledText): boolean => !structured.has(type)

test.each(ruleSets)('in the %s set no command, diff or setting is misjudged', name => {
  const code = readSet(name).filter(text => !isSentences(text))
  expect(code.filter(isWrong).map(({ artifact }) => artifact)).toEqual([])
})

test('of the sentences in all sets 96 of 100 are judged rightly', () => {
  const texts = ruleSets.flatMap(readSet).filter(isSentences)
  expect(shareOfWrong(texts)).toBeLessThan(0.036)
})

test('of the sentences that it has learned from besides, it judges 92 of 100 rightly', () => {
  const texts = learningSets.flatMap(readSet).filter(isSentences)
  expect(shareOfWrong(texts)).toBeLessThan(0.08)
})

test('of texts that nothing was learned from, and no rule made for, it judges 85 of 100 rightly', () => {
  expect(shareOfWrong(unseenSets.flatMap(readSet))).toBeLessThan(0.15)
})
