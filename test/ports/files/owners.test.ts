import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openFolder } from '../../../mcp/ports/files/folder.ts'
import { withOwners } from '../../../mcp/ports/files/owners.ts'
import type { FileStorage } from '../../../mcp/ports/files/port.ts'
import { openEmbedded } from '../../../store/embedded/open.ts'
import type { Store } from '../../../store/index.ts'
import { openPostgres } from '../../../store/postgres/open.ts'
import { freshSchema, postgresIsHere, withDatabase } from '../../store/database.ts'
import { runs } from '../../stress.ts'

const bytes = (text: string) => Buffer.from(text)
const hash = (text: string) => createHash('sha256').update(text).digest('hex')
const toFile = (text: string) => ({ sha256: hash(text), bytes: bytes(text).length })

async function* stream(text: string) {
  yield bytes(text)
}

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'octagent-owners-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

let folders = 0
const newStorage = (): FileStorage => openFolder(join(dir, `files-${++folders}`))

/** Two replicas over the same store and the same bytes, with a clock that can be moved. */
const open = (store: Store, storage: FileStorage, maxBytes = 10_000_000) => {
  let shift = 0
  const clock = { now: () => new Date(Date.now() + shift) }
  const files = withOwners(storage, { store, clock, maxBytes })
  return {
    files,
    later: (ms: number) => {
      shift += ms
    },
    /** Notes an owner, as often as it takes while the same bytes are removed, and brings the bytes. */
    async bring(text: string, owner: string) {
      for (;;) {
        try {
          await store.transaction(tx => files.keep(tx, toFile(text), owner))
          break
        } catch (error) {
          if ((error as { code?: string }).code !== 'conflict') throw error
        }
      }
      await files.put(stream(text), { maxBytes: 1000, sha256: hash(text) })
    },
    leave: (text: string, owner: string) => store.transaction(tx => files.release(tx, hash(text), owner)),
  }
}

const suite = (openStore: () => Promise<Store>) => {
  let store: Store
  beforeAll(async () => {
    store = await openStore()
  })
  afterAll(() => store.close())

  test('stay until the last of their owners has left, whoever that is', async () => {
    const { files, bring, leave } = open(store, newStorage())
    await bring('shared', 'proof/1')
    await bring('shared', 'tasks/1')
    await bring('shared', 'tasks/1')
    await leave('shared', 'proof/1')
    await leave('shared', 'nobody')
    await files.sweep()
    expect(await files.stat(hash('shared'))).toMatchObject({ bytes: 6 })
    await leave('shared', 'tasks/1')
    // Gone when it is swept, not before, so that a transaction that is not kept removes nothing.
    expect(await files.stat(hash('shared'))).toBeDefined()
    await files.sweep()
    expect(await files.stat(hash('shared'))).toBeUndefined()
  })

  test('stay where somebody else comes before they are swept', async () => {
    const { files, bring, leave } = open(store, newStorage())
    await bring('again', 'a')
    await leave('again', 'a')
    await bring('again', 'b')
    await files.sweep()
    expect(await files.stat(hash('again'))).toBeDefined()
  })

  test('are not taken while they are being removed, and are once whoever removed them has died', async () => {
    const storage = newStorage()
    const stuck: FileStorage = { ...storage, remove: () => Promise.reject(new Error('died')) }
    const { files, bring, leave, later } = open(store, stuck)
    await bring('stuck', 'a')
    await leave('stuck', 'a')
    await expect(files.sweep()).rejects.toThrow('died')
    await expect(store.transaction(tx => files.keep(tx, toFile('stuck'), 'b'))).rejects.toMatchObject({
      code: 'conflict',
      extra: { retryAfter: 1 },
    })
    later(61_000)
    await bring('stuck', 'b')
    await files.sweep()
    expect(await files.stat(hash('stuck'))).toBeDefined()
  })

  test('that cannot be removed keep none of the others', async () => {
    const storage = newStorage()
    const picky: FileStorage = {
      ...storage,
      remove: async sha256 => {
        if (sha256 === hash('bad')) throw new Error('busy')
        await storage.remove(sha256)
      },
    }
    const { files, bring, leave, later } = open(store, picky)
    for (const text of ['bad', 'good']) {
      await bring(text, 'a')
      await leave(text, 'a')
    }
    await expect(files.sweep()).rejects.toThrow('busy')
    expect(await files.stat(hash('good'))).toBeUndefined()
    later(61_000)
    await expect(files.sweep()).rejects.toThrow('busy')
  })

  test('are there for each owner, however owners come, go and are swept at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            owner: fc.constantFrom('a', 'b', 'c'),
            does: fc.constantFrom('bring', 'bring', 'leave', 'sweep'),
          }),
          { minLength: 4, maxLength: 12 },
        ),
        async steps => {
          const text = `walk ${++folders}`
          const town = open(store, newStorage())
          const owns = new Map<string, boolean>()
          const turns = ['a', 'b', 'c'].map(async owner => {
            for (const step of steps.filter(each => each.owner === owner)) {
              if (step.does === 'sweep') await town.files.sweep()
              else if (step.does === 'bring') await town.bring(text, owner)
              else await town.leave(text, owner)
              if (step.does !== 'sweep') owns.set(owner, step.does === 'bring')
              // Whoever has brought it can read it at once.
              if (owns.get(owner)) expect(await town.files.stat(hash(text))).toBeDefined()
            }
          })
          await Promise.all(turns)
          await town.files.sweep()
          const isOwned = [...owns.values()].includes(true)
          expect((await town.files.stat(hash(text))) !== undefined).toBe(isOwned)
        },
      ),
      { numRuns: runs(100, 10) },
    )
  })
}

describe('files with several owners, on the embedded store', () => {
  suite(() => openEmbedded({ dir: join(dir, 'store') }))
})

describe.skipIf(!postgresIsHere)('files with several owners, on PostgreSQL', () => {
  const url = withDatabase()
  suite(() => openPostgres({ url: url(), schema: freshSchema() }))
})
