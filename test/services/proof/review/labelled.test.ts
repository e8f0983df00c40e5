import { expect, test } from 'vitest'
import { readArtifact } from '../../../../mcp/services/proof/review/artifact.ts'
import { judge } from '../../../../mcp/services/proof/review/decide.ts'
import { type Labelled, labelled } from './labelled.ts'
import { eleventhLabelled } from './labelled-eleventh.ts'
import { labelledSets } from './labelled-sets.ts'

test('there are 200 labelled artifacts at least, about half of them harmless', () => {
  expect(labelled.length).toBeGreaterThanOrEqual(200)
  const harmless = labelled.filter(([isBad]) => !isBad).length / labelled.length
  expect(harmless).toBeGreaterThan(0.45)
  expect(harmless).toBeLessThan(0.55)
})

const findWrong = (set: readonly Labelled[]): string[] =>
  set
    .filter(
      ([isBad, type, artifact]) => (judge(readArtifact(type, artifact)).verdict !== 'approve') !== isBad,
    )
    .map(([, , artifact]) => artifact)

test.each(labelledSets.filter(([, set]) => set !== eleventhLabelled))(
  'in the %s set what is bad is not approved, and what only looks alike is',
  (_, set) => {
    expect(findWrong(set)).toEqual([])
  },
)

test('in the eleventh set, most of it words that no rule names, that is so for 95 of 100', () => {
  const wrong = findWrong(eleventhLabelled)
  expect(wrong.length / eleventhLabelled.length, wrong.join('\n')).toBeLessThan(0.05)
})
