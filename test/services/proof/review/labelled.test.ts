import { expect, test } from 'vitest'
import { readArtifact } from '../../../../mcp/services/proof/review/artifact.ts'
import { judge } from '../../../../mcp/services/proof/review/decide.ts'
import { type Labelled, labelled } from './labelled.ts'
import { eighthLabelled } from './labelled-eighth.ts'
import { fifthLabelled } from './labelled-fifth.ts'
import { fourthLabelled } from './labelled-fourth.ts'
import { ninthLabelled } from './labelled-ninth.ts'
import { secondLabelled } from './labelled-second.ts'
import { seventhLabelled } from './labelled-seventh.ts'
import { sixthLabelled } from './labelled-sixth.ts'
import { tenthLabelled } from './labelled-tenth.ts'
import { thirdLabelled } from './labelled-third.ts'

const sets: readonly [string, readonly Labelled[]][] = [
  ['first', labelled],
  ['second', secondLabelled],
  ['third', thirdLabelled],
  ['fourth', fourthLabelled],
  ['fifth', fifthLabelled],
  ['sixth', sixthLabelled],
  ['seventh', seventhLabelled],
  ['eighth', eighthLabelled],
  ['ninth', ninthLabelled],
  ['tenth', tenthLabelled],
]

test('there are 200 labelled artifacts at least, about half of them harmless', () => {
  expect(labelled.length).toBeGreaterThanOrEqual(200)
  const harmless = labelled.filter(([isBad]) => !isBad).length / labelled.length
  expect(harmless).toBeGreaterThan(0.45)
  expect(harmless).toBeLessThan(0.55)
})

test.each(sets)('in the %s set what is bad is not approved, and what only looks alike is', (_, set) => {
  const wrong = set.filter(
    ([isBad, type, artifact]) => (judge(readArtifact(type, artifact)).verdict !== 'approve') !== isBad,
  )
  expect(wrong.map(([, , artifact]) => artifact)).toEqual([])
})
