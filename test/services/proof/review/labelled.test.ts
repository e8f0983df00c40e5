import { expect, test } from 'vitest'
import { readArtifact } from '../../../../mcp/services/proof/review/artifact.ts'
import { judge } from '../../../../mcp/services/proof/review/decide.ts'
import { labelled } from './labelled.ts'

test('there are 200 labelled artifacts at least, about half of them harmless', () => {
  expect(labelled.length).toBeGreaterThanOrEqual(200)
  const harmless = labelled.filter(([isBad]) => !isBad).length / labelled.length
  expect(harmless).toBeGreaterThan(0.45)
  expect(harmless).toBeLessThan(0.55)
})

test('what is bad is not approved, and what only looks alike is', () => {
  const wrong = labelled.filter(
    ([isBad, type, artifact]) => (judge(readArtifact(type, artifact)).verdict !== 'approve') !== isBad,
  )
  expect(wrong.map(([, , artifact]) => artifact)).toEqual([])
})
