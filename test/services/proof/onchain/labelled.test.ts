import { expect, test } from 'vitest'
import { readAction } from '../../../../mcp/services/proof/onchain/action.ts'
import { now } from '../../../../mcp/services/proof/onchain/examples.ts'
import { judgeScene } from '../../../../mcp/services/proof/onchain/judge.ts'
import { readScene } from '../../../../mcp/services/proof/onchain/read-scene.ts'
import { labelledActions } from './labelled.ts'

test('there are 100 labelled actions at least, about half of them harmless', () => {
  expect(labelledActions.length).toBeGreaterThanOrEqual(100)
  const harmless = labelledActions.filter(([isBad]) => !isBad).length / labelledActions.length
  expect(harmless).toBeGreaterThan(0.45)
  expect(harmless).toBeLessThan(0.55)
})

test('what is bad is not approved, and what only looks alike is', async () => {
  const wrong: string[] = []
  for (const [isBad, what, action] of labelledActions) {
    const { verdict, findings } = judgeScene(await readScene(readAction(action), new Date(now * 1000)), [])
    if ((verdict !== 'approve') !== isBad) wrong.push(`${what}: ${findings.map(({ rule }) => rule)}`)
  }
  expect(wrong).toEqual([])
})
