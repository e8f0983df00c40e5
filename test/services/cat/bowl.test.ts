import { expect, test } from 'vitest'
import type { AnyTool } from '../../../mcp/kernel/tool.ts'
import { type Bowl, levelAt } from '../../../mcp/services/cat/bowl.ts'
import { Purr, readFeeding, readPurr } from '../../../mcp/services/cat/feeding.ts'
import kibble from '../../../mcp/services/cat/kibble.ts'
import pet from '../../../mcp/services/cat/pet.ts'
import { asker } from '../../call/fixture.ts'
import { opened } from '../../opened.ts'
import { openTestWorld } from '../../world.ts'

const start = Date.parse('2026-01-01T00:00:00Z')
let now = new Date(start)
const world = opened(() => openTestWorld({ ports: { clock: { now: () => now } } }))

test.each([
  [50, 0, 50],
  [50, 1, 49],
  [50, 1.5, 48.5],
  [50, 50, 0],
  [50, 5000, 0],
  [100, -5, 100],
  [120, 0, 100],
])('%d%% after %d hours is %d%%', (percent, hours, left) => {
  const bowl = { percent, at: new Date(start).toISOString() }
  expect(levelAt(bowl, new Date(start + hours * 3_600_000))).toBe(left)
})

const look = async (tool: AnyTool) => {
  const answer = await asker(world, tool)()
  if (!('output' in answer)) throw new Error(answer.detail)
  return answer
}

test('a bowl that nobody filled is empty, and the cat says so', async () => {
  expect((await look(kibble as AnyTool)).output).toMatchObject({ kibble: 0, mood: 'starving', feedings: 0 })
})

test.each([
  [100, 'smug'],
  [80, 'smug'],
  [79, 'content'],
  [30, 'content'],
  [29, 'hungry'],
  [1, 'hungry'],
  [0, 'starving'],
])('at %d%% the cat is %s', async (percent, mood) => {
  const bowl: Bowl = { id: 'bowl', percent, at: now.toISOString(), feedings: 3 }
  await world.ports.store?.collection<Bowl>('cat.bowl').put(bowl)
  expect((await look(kibble as AnyTool)).output).toMatchObject({ kibble: percent, mood, feedings: 3 })
})

test('petting and looking change nothing, and the bowl empties by itself', async () => {
  const bowls = world.ports.store?.collection<Bowl>('cat.bowl')
  await bowls?.put({ id: 'bowl', percent: 90, at: now.toISOString(), feedings: 1 })
  const before = await bowls?.get('bowl')
  const petted = await look(pet as AnyTool)
  expect(petted.output).toMatchObject({ kind: 'pet', purr: expect.any(String), mood: 'smug', kibble: 90 })
  expect(Object.keys(petted.output).sort()).toEqual(Object.keys(Purr.shape).sort())
  now = new Date(now.getTime() + 30 * 3_600_000)
  expect((await look(pet as AnyTool)).output).toMatchObject({ mood: 'content', kibble: 60 })
  expect(await bowls?.get('bowl')).toEqual(before)
})

test('a feeding from before amounts were written down is read as what it was', () => {
  const time = '2026-01-01T00:00:00Z'
  const payment = { feeder: '0xada', network: 'eip155:8453', transaction: '0x1', number: 7 }
  const purr = { text: 'Prrrrrrr. Crunch.', mood: 'content' as const, kibble: 40, time, ...payment }
  const stored = { id: 'tip:eip155:8453:0x1:0', ...payment, fed_at: time, purr }
  expect(readFeeding(stored)).toMatchObject({ kind: 'tip', amount_usd: '0.10', number: 7 })
  expect(readFeeding({ ...stored, id: 'rcpt_1' })).toMatchObject({ kind: 'feed' })
  expect(Purr.parse(readPurr(stored))).toMatchObject({ kind: 'tip', purr: 'Prrrrrrr. Crunch.', number: 7 })
})
