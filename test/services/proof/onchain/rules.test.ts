import { describe, expect, test } from 'vitest'
import { readAction } from '../../../../mcp/services/proof/onchain/action.ts'
import { now } from '../../../../mcp/services/proof/onchain/examples.ts'
import { onchainRules } from '../../../../mcp/services/proof/onchain/judge.ts'
import { readScene } from '../../../../mcp/services/proof/onchain/read-scene.ts'
import type { OnchainExample } from '../../../../mcp/services/proof/onchain/rule.ts'

const clock = new Date(now * 1000)

const sceneOf = async ({ action, chain }: OnchainExample) => {
  const scene = await readScene(readAction(action), clock)
  return { ...scene, chain: { ...scene.chain, ...chain } }
}

test('each rule has a name of its own, a way to mend it, and 20 families are there at least', () => {
  const ids = onchainRules.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.length).toBeGreaterThanOrEqual(40)
  for (const { fix } of onchainRules) expect(fix).toMatch(/\.$/)
})

describe.each(onchainRules.map(rule => ({ id: rule.id, rule })))('$id', ({ rule }) => {
  test('sees what it is for', async () => {
    for (const example of rule.hits())
      expect(rule.check(await sceneOf(example)), JSON.stringify(example.action)).not.toEqual([])
  })

  test('leaves alone what only looks alike', async () => {
    for (const example of rule.misses())
      expect(rule.check(await sceneOf(example)), JSON.stringify(example.action)).toEqual([])
  })
})
