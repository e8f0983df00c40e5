import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { upgrade } from '../cli/upgrade.ts'
import type { Declaration } from '../mcp/kernel/collection.ts'
import { listOutdated, upgradeDocuments } from '../mcp/kernel/upgrade.ts'
import { openEmbedded } from '../store/embedded/open.ts'
import type { Store } from '../store/index.ts'
import { openPostgres } from '../store/postgres/open.ts'
import { freshSchema, postgresIsHere, withDatabase } from './store/database.ts'

const database = withDatabase()

type Note = { id: string; text: string; steps?: string; '~'?: unknown }

const indexes = [{ name: 'text', fields: ['text'] }]
const notes: Declaration = { name: 'test.upgraded', indexes, bounded: 'In a test.' }
/** Two versions later: each step changes what the index is ordered by, and leaves its mark. */
const later: Declaration = {
  ...notes,
  steps: [
    row => ({ ...row, text: `z${row.text}`, steps: `${row.steps ?? ''}1` }),
    row => ({ ...row, steps: `${row.steps ?? ''}2` }),
  ] as Declaration['steps'] & {},
}

/** Dies after so many transactions: the one that lists, then each batch. */
const mortal = (store: Store, left: number): Store =>
  new Proxy(store, {
    get: (target, name) =>
      name === 'transaction' && left-- <= 0
        ? () => Promise.reject(new Error('killed'))
        : Reflect.get(target, name),
  })

describe.each(['embedded', ...(postgresIsHere ? ['PostgreSQL'] : [])])('documents of before, %s', kind => {
  test('are brought to this version once each, whoever else does it and however often it is ended', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'octagent-upgrade-'))
    const store =
      kind === 'embedded'
        ? await openEmbedded({ dir })
        : await openPostgres({ url: database(), schema: freshSchema() })
    const rows = store.collection<Note>(notes.name, indexes)
    await store.transaction(async tx => {
      for (let n = 0; n < 450; n++)
        await tx.collection<Note>(notes.name).insert({ id: `n${n}`, text: String(n % 7), '~': { bytes: n } })
    })
    const declarations = [later]
    expect(await listOutdated(store, [notes])).toEqual([])
    const outdated = { collection: notes.name, from: 1, to: 3, rows: 450 }
    expect(await listOutdated(store, declarations)).toEqual([outdated])
    await expect(upgradeDocuments(mortal(store, 2), { declarations })).rejects.toThrow('killed')
    expect(await listOutdated(store, declarations)).toEqual([outdated])
    const told: unknown[] = []
    const onMoved = (what: string, count: number) => void told.push([what, count])
    await Promise.all([
      upgradeDocuments(store, { declarations, onMoved }),
      upgradeDocuments(store, { declarations }),
    ])
    expect(told).toEqual([['documents of test.upgraded', 450]])
    for (const n of [0, 199, 200, 449])
      expect(await rows.get(`n${n}`)).toEqual({
        id: `n${n}`,
        text: `z${n % 7}`,
        steps: '12',
        '~': { bytes: n },
      })
    expect(await rows.count({ index: 'text', where: { text: 'z3' } })).toBe(64)
    expect((await rows.find({ index: 'text', limit: 1000 })).rows.filter(row => row.steps !== '12')).toEqual(
      [],
    )
    await upgradeDocuments(store, { declarations, onMoved })
    expect(told).toHaveLength(1)
    await expect(upgradeDocuments(store, { declarations: [notes] })).rejects.toThrow(
      'documents of test.upgraded are of version 3, and this one knows 1',
    )
    await store.close()
    await rm(dir, { recursive: true, force: true })
  })
})

/** Runs the command in this process on a folder, and gives what it printed. */
const run = async (...args: string[]): Promise<string> => {
  const lines: string[] = []
  const { log } = console
  console.log = text => void lines.push(text)
  try {
    expect(await upgrade(args)).toBe(0)
  } finally {
    console.log = log
  }
  return lines.join('\n')
}

test('octagent upgrade says what would change, changes it once, and leaves a folder of the last release as it is', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-upgrade-'))
  await cp('test/accounts/before', dir, { recursive: true })
  const check = () => run('--check', '--from', dir)
  const first = await check()
  expect(first).toMatch(/^keys of broker\.accounts +2$/m)
  expect(first).toMatch(/^card payments of verification +4$/m)
  expect(await check()).toBe(first)
  expect(await run('--from', dir)).toContain('is of this version now')
  expect(await check()).toBe(`${dir} is of this version: nothing would change.`)
  await expect(run('--check', '--from', tmpdir())).rejects.toThrow('holds no store')
  const store = await openEmbedded({ dir: join(dir, 'store') })
  await expect(run('--check', '--from', dir)).rejects.toThrow('has')
  await store.close()
  await rm(dir, { recursive: true, force: true })
})
