import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { withClient } from '../../../mcp/kernel/collection.ts'
import { openFetch } from '../../../mcp/ports/fetch/fetch.ts'
import { openFolder } from '../../../mcp/ports/files/folder.ts'
import { withOwners } from '../../../mcp/ports/files/owners.ts'
import type { FileStorage } from '../../../mcp/ports/files/port.ts'
import { openS3 } from '../../../mcp/ports/files/s3.ts'
import { openEmbedded } from '../../../store/embedded/open.ts'
import type { Store } from '../../../store/index.ts'
import { openPostgres } from '../../../store/postgres/open.ts'
import { freshSchema, postgresIsHere, withDatabase } from '../../store/database.ts'
import { account as keys, type S3, startS3 } from './s3-server.ts'

const maxBytes = 80_000

let dir: string
let s3: S3
let fetch: ReturnType<typeof openFetch>
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'octagent-room-'))
  s3 = await startS3()
  fetch = openFetch({ userAgent: 'test', resolve: async () => [], allow: (_, port) => port === s3.port })
})
afterAll(async () => {
  await fetch?.close()
  await s3?.stop()
  await rm(dir, { recursive: true, force: true })
})

let n = 0
const clock = { now: () => new Date() }
const openBucket = () =>
  openS3({ url: `${s3.url}-${++n}`, ...keys }, { fetch, clock, drafts: join(dir, 'drafts') })

const newFile = (size: number) => {
  const bytes = randomBytes(size)
  return { content: bytes, bytes: size, sha256: createHash('sha256').update(bytes).digest('hex') }
}
type File = ReturnType<typeof newFile>

async function* toStream({ content }: File) {
  for (let at = 0; at < content.length; at += 10_000) yield content.subarray(at, at + 10_000)
}

const toReason = (promise: Promise<unknown>) =>
  promise.then(
    () => 'taken',
    (error: { code: string; extra?: { reason?: string } }) => error.extra?.reason ?? error.code,
  )

const suite = (openStorage: () => FileStorage, openStore: () => Promise<Store>) => {
  let store: Store
  afterEach(() => store.close())

  const open = async () => {
    store = await openStore()
    let shift = 0
    const moved = { now: () => new Date(Date.now() + shift) }
    const storage = openStorage()
    const files = withOwners(storage, { store, clock: moved, maxBytes })
    return {
      storage,
      files,
      later: (seconds: number) => {
        shift += seconds * 1000
      },
      /** Announces an upload for 15 minutes. */
      announce: (file: File, account: string, client = `10.0.${++n % 250}.1`) => {
        const until = new Date(moved.now().getTime() + 900_000)
        return toReason(
          withClient(store, client).transaction(tx =>
            files.keep(tx, file, `row of ${account}`, { until, account }),
          ),
        )
      },
      keep: (file: File, owner = 'row') => toReason(store.transaction(tx => files.keep(tx, file, owner))),
      release: (file: File, owner = 'row') => store.transaction(tx => files.release(tx, file.sha256, owner)),
      send: (file: File) =>
        toReason(files.put(toStream(file), { maxBytes: file.bytes, sha256: file.sha256 })),
    }
  }

  test('is what they may take together, and is there again for what was removed', async () => {
    const { files, keep, send, release } = await open()
    const [large, other] = [newFile(60_000), newFile(30_000)]
    expect([await keep(large), await send(large)]).toEqual(['taken', 'taken'])
    expect(await keep(other)).toBe('files_full')
    expect(await send(other)).toBe('files_full')
    expect(await files.stat(other.sha256)).toBeUndefined()
    // The same bytes again take no room.
    expect([await keep(large, 'another'), await send(large)]).toEqual(['taken', 'taken'])
    await release(large)
    await files.sweep()
    expect(await keep(other)).toBe('files_full')
    await release(large, 'another')
    await files.sweep()
    expect([await keep(other), await send(other)]).toEqual(['taken', 'taken'])
  })

  test('is left for what is announced, once for the same bytes, and its own upload has it', async () => {
    const { announce, keep, send } = await open()
    const announced = Array.from({ length: 4 }, () => newFile(10_000))
    for (const [at, file] of announced.entries()) expect(await announce(file, `a${at}`)).toBe('taken')
    for (const [at, file] of announced.entries()) expect(await announce(file, `b${at}`)).toBe('taken')
    expect(await keep(newFile(40_001))).toBe('files_full')
    expect(await keep(newFile(40_000))).toBe('taken')
    expect(await keep(newFile(1))).toBe('files_full')
    for (const file of announced) expect(await send(file)).toBe('taken')
  })

  test('ends for an announced upload with its address, unless its bytes have come', async () => {
    const { announce, keep, send, later } = await open()
    const [here, missing] = [newFile(10_000), newFile(10_000)]
    expect([await announce(here, 'a'), await announce(missing, 'b')]).toEqual(['taken', 'taken'])
    expect(await send(here)).toBe('taken')
    later(899)
    expect(await keep(newFile(60_001))).toBe('files_full')
    later(2)
    expect(await keep(newFile(70_001))).toBe('files_full')
    expect(await keep(newFile(70_000))).toBe('taken')
    expect(await send(missing)).toBe('files_full')
  })

  test('has a share for what one account, one network and all of them announce', async () => {
    const { announce, keep } = await open()
    expect(await announce(newFile(10_001), 'a')).toBe('uploads_announced')
    expect(await announce(newFile(10_000), 'a', '10.1.1.1')).toBe('taken')
    expect(await announce(newFile(1), 'a')).toBe('uploads_announced')
    expect(await announce(newFile(10_000), 'b', '10.1.1.2')).toBe('taken')
    expect(await announce(newFile(1), 'c', '10.1.1.3')).toBe('uploads_announced')
    expect(await announce(newFile(10_000), 'c')).toBe('taken')
    expect(await announce(newFile(10_000), 'd')).toBe('taken')
    expect(await announce(newFile(1), 'e')).toBe('uploads_announced')
    expect(await keep(newFile(40_000))).toBe('taken')
  })

  test('is counted for what was kept before it was', async () => {
    const { files, storage, keep } = await open()
    const former = newFile(70_000)
    await storage.put(toStream(former), { maxBytes: former.bytes })
    const references = store.collection<{ id: string; sha256: string }>('files.references')
    await references.put({ id: `${former.sha256} row`, sha256: former.sha256 })
    await files.sweep()
    expect(await keep(newFile(10_001))).toBe('files_full')
    expect(await keep(newFile(10_000))).toBe('taken')
  })
}

const openFolderStorage = () => openFolder(join(dir, `files-${++n}`))

describe('room for files in a folder', () => {
  suite(openFolderStorage, () => openEmbedded({ dir: join(dir, `store-${++n}`) }))
})

describe('room for files in a bucket', () => {
  suite(openBucket, () => openEmbedded({ dir: join(dir, `store-${++n}`) }))

  test('is for what went to the bucket by itself, too', async () => {
    const store = await openEmbedded({ dir: join(dir, `store-${++n}`) })
    try {
      const { direct, ...files } = withOwners(openBucket(), { store, clock, maxBytes })
      const file = newFile(10_000)
      const until = new Date(Date.now() + 900_000)
      await store.transaction(tx => files.keep(tx, file, 'row', { until, account: 'a' }))
      const { url, headers } = direct?.upload('f', { ...file, type: 'image/png' }, 60) ?? { url: '' }
      await globalThis.fetch(url, {
        method: 'PUT',
        headers: { ...headers },
        body: new Uint8Array(file.content),
      })
      const receiving = { maxBytes: file.bytes, sha256: file.sha256 }
      expect(await direct?.collect('f', receiving)).toMatchObject({ bytes: 10_000 })
      const keep = (size: number) =>
        toReason(store.transaction(tx => files.keep(tx, newFile(size), `row ${size}`)))
      expect(await keep(70_001)).toBe('files_full')
      expect(await keep(70_000)).toBe('taken')
    } finally {
      await store.close()
    }
  })
})

describe.skipIf(!postgresIsHere)('room for files, counted in PostgreSQL', () => {
  const url = withDatabase()
  suite(openFolderStorage, () => openPostgres({ url: url(), schema: freshSchema() }))
})
