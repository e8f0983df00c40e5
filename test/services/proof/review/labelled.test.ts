import { expect, test } from 'vitest'
import { readArtifact } from '../../../../mcp/services/proof/review/artifact.ts'
import type { ArtifactType } from '../../../../mcp/services/proof/review/artifact-type.ts'
import { judge } from '../../../../mcp/services/proof/review/decide.ts'
import { labelled } from './labelled.ts'
import { labelledSets } from './labelled-sets.ts'
import { type LabelledText, learningTexts, readTexts, unseenTexts } from './texts.ts'

test('there are 200 labelled artifacts at least, about half of them harmless', () => {
  expect(labelled.length).toBeGreaterThanOrEqual(200)
  const harmless = labelled.filter(([isBad]) => !isBad).length / labelled.length
  expect(harmless).toBeGreaterThan(0.45)
  expect(harmless).toBeLessThan(0.55)
})

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

const textsOf = (set: (typeof labelledSets)[number][1]): LabelledText[] =>
  set.map(([bad, type, artifact]) => ({ bad, type, artifact }))
const isSentences = ({ type }: LabelledText): boolean => !structured.has(type)

test.each(labelledSets)('in the %s set no command, diff or setting is misjudged', (_, set) => {
  const code = textsOf(set).filter(text => !isSentences(text))
  expect(code.filter(isWrong).map(({ artifact }) => artifact)).toEqual([])
})

test('of the sentences in all sets 96 of 100 are judged rightly', () => {
  const texts = labelledSets.flatMap(([, set]) => textsOf(set)).filter(isSentences)
  expect(shareOfWrong(texts)).toBeLessThan(0.036)
})

test('of the sentences that it has learned from besides, it judges 92 of 100 rightly', () => {
  const texts = learningTexts.flatMap(readTexts).filter(isSentences)
  expect(shareOfWrong(texts)).toBeLessThan(0.08)
})

test('of texts that nothing was learned from, and no rule made for, it judges 85 of 100 rightly', () => {
  expect(shareOfWrong(unseenTexts.flatMap(readTexts))).toBeLessThan(0.15)
})
