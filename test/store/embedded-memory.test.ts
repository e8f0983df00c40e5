import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { toToolError } from '../../mcp/kernel/error.ts'
import { openEmbedded } from '../../store/embedded/open.ts'
import type { Availability, Store } from '../../store/index.ts'

type Note = { id: string; text: string }

const indexes = [{ name: 'text', fields: ['text'] }]
const newFolder = async (): Promise<string> => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-memory-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}
const text = (n: number): string => `${n}`.padStart(500, 'x')

const fillUntilRefused = async (store: Store): Promise<{ rows: number; problem: unknown }> => {
  const notes = store.collection<Note>('notes', indexes)
  for (let rows = 0; rows < 10_000; rows++)
    try {
      await notes.insert({ id: `${rows}`, text: text(rows) })
    } catch (problem) {
      return { rows, problem }
    }
  throw new Error('it was never full')
}

test('at its limit a store refuses what is new as unavailable, warns before, and goes on reading, changing and deleting', async () => {
  const changes: Availability[] = []
  const dir = await newFolder()
  const store = await openEmbedded({ dir, maxBytes: 200_000, onAvailability: one => changes.push(one) })
  onTestFinished(() => store.close())
  const notes = store.collection<Note>('notes', indexes)
  expect(await store.health()).toEqual({ ok: true, engine: 'embedded' })
  const before = store.use()
  const { rows, problem } = await fillUntilRefused(store)
  expect(rows).toBeGreaterThan(100)
  expect(toToolError(problem).toProblem()).toMatchObject({
    code: 'unavailable',
    status: 503,
    retryable: true,
  })
  expect(toToolError(problem).headers).toEqual({ 'Retry-After': '30' })
  expect(await store.health()).toMatchObject({
    ok: false,
    detail: expect.stringContaining('OCTAGENT_STORE_MAX_MB'),
  })
  await expect(store.append('log', 1)).rejects.toThrow('full')
  await expect(store.transaction(tx => tx.collection('notes').put({ id: 'new' }))).rejects.toThrow('full')
  expect(await notes.get('3')).toEqual({ id: '3', text: text(3) })
  await notes.put({ id: '3', text: 'short' })
  expect(await store.claim('a job that tidies up', new Date('2999-01-01'))).toBe(true)
  for (let n = 0; n < 10; n++) await notes.delete(`${n}`)
  expect(await store.health()).toMatchObject({
    ok: true,
    degraded: true,
    detail: expect.stringContaining('of 1 MB'),
  })
  await notes.insert({ id: 'new', text: 'new' })
  expect(changes.map(({ available }) => available)).toEqual([false, true])
  for (let n = 10; n < rows; n++) await notes.delete(`${n}`)
  await notes.delete('new')
  await store.transaction(async tx => void (await tx.collection('notes').count()))
  expect(store.use()?.documents).toBe(0)
  expect((store.use()?.bytes ?? 0) - (before?.bytes ?? 0)).toBeLessThan(200)
  expect(await store.health()).toEqual({ ok: true, engine: 'embedded' })
})

test('counts the same after a start as it counted while it was written', async () => {
  const dir = await newFolder()
  const first = await openEmbedded({ dir, maxBytes: 200_000, checkpointAt: 30_000 })
  await fillUntilRefused(first)
  await first.collection('notes').delete('7')
  const use = first.use()
  await first.close()
  const again = await openEmbedded({ dir, maxBytes: 200_000 })
  expect(again.use()).toEqual(use)
  await again.close()
})

test('a heap that runs out refuses writes, whatever the store thinks of itself', async () => {
  let usage = 10
  const store = await openEmbedded({
    dir: await newFolder(),
    heap: () => ({ used: usage, limit: 100 }),
    maxBytes: 1e9,
  })
  onTestFinished(() => store.close())
  const notes = store.collection<Note>('notes')
  await notes.put({ id: 'a', text: 'a' })
  usage = 90
  await expect(
    (async () => {
      for (let n = 0; n < 2000; n++) await notes.put({ id: `${n}`, text: text(n) })
    })(),
  ).rejects.toThrow('full')
  await notes.put({ id: 'a', text: 'longer than before' })
  usage = 96
  await expect(notes.put({ id: 'a', text: 'longer than ever before' })).rejects.toThrow('full')
  await notes.delete('a')
  usage = 10
  await notes.put({ id: 'b', text: 'b' })
})
