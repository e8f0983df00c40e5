import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openFetch } from '../../../mcp/ports/fetch/fetch.ts'
import { openFolder } from '../../../mcp/ports/files/folder.ts'
import type { FileStorage } from '../../../mcp/ports/files/port.ts'
import { openS3 } from '../../../mcp/ports/files/s3.ts'
import { signHeaders } from '../../../mcp/ports/files/sigv4.ts'
import { runs } from '../../stress.ts'
import { account, type S3, startS3 } from './s3-server.ts'

const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

async function* inChunks(bytes: Uint8Array, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const readAll = async (files: FileStorage, sha256: string, range?: { start: number; end: number }) => {
  const chunks: Uint8Array[] = []
  for await (const chunk of files.read(sha256, range)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const refused = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: { code: string; extra: { reason?: string } }) => error.extra.reason ?? error.code,
  )

let dir: string
let s3: S3
let fetch: ReturnType<typeof openFetch>
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'octagent-files-'))
  s3 = await startS3()
  fetch = openFetch({
    userAgent: 'test',
    resolve: async () => [],
    allow: (_, port) => port === s3.port,
  })
})
afterAll(async () => {
  await fetch?.close()
  await s3?.stop()
  await rm(dir, { recursive: true, force: true })
})

const clock = { now: () => new Date() }
const openBucket = (more: Partial<typeof account> = {}) =>
  openS3({ url: s3.url, ...account, ...more }, { fetch, clock, drafts: join(dir, 'drafts') })

const kinds = [
  {
    name: 'a folder',
    open: () => openFolder(join(dir, 'kept')),
    drafts: () => join(dir, 'kept/incoming'),
  },
  { name: 'a bucket', open: () => openBucket(), drafts: () => join(dir, 'drafts') },
]

describe.each(kinds)('files in $name', ({ open, drafts }) => {
  test('are read back as they came, by their hash, whole and in part', async () => {
    const files = open()
    const sizes = fc.integer({ min: 1, max: 300_000 })
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 500, max: 70_000 }), fc.nat(), async (size, step, at) => {
        const bytes = randomBytes(size)
        const file = await files.put(inChunks(bytes, step), { maxBytes: size, sha256: hash(bytes) })
        expect(file).toEqual({ sha256: hash(bytes), bytes: size })
        expect(await files.stat(file.sha256)).toEqual(file)
        expect((await readAll(files, file.sha256)).equals(bytes)).toBe(true)
        const start = at % size
        const part = await readAll(files, file.sha256, { start, end: size - 1 })
        expect(part.equals(bytes.subarray(start))).toBe(true)
      }),
      { numRuns: runs(100, 10) },
    )
    expect(await readdir(drafts())).toEqual([])
  })

  test('over 8 MiB are the same, and the same twice is one', async () => {
    const files = open()
    const bytes = randomBytes(20_000_000)
    const stored = await Promise.all([1, 2].map(() => files.put(inChunks(bytes), { maxBytes: bytes.length })))
    expect(stored[0]).toEqual(stored[1])
    expect((await readAll(files, hash(bytes))).equals(bytes)).toBe(true)
    await files.remove(hash(bytes))
    expect(await files.stat(hash(bytes))).toBeUndefined()
    expect(await refused(readAll(files, hash(bytes)))).toBe('not_found')
    await files.remove(hash(bytes))
  })

  test('that are too large, of another hash, broken off or refused by their head leave nothing', async () => {
    const files = open()
    const bytes = randomBytes(100_000)
    let read = 0
    async function* endless() {
      for (;;) {
        read += 65_536
        yield randomBytes(65_536)
      }
    }
    async function* breaking() {
      yield bytes
      throw new Error('it broke off')
    }
    expect(await refused(files.put(endless(), { maxBytes: 200_000 }))).toBe('too_large')
    expect(read).toBeLessThan(400_000)
    const other = files.put(inChunks(bytes), { maxBytes: 200_000, sha256: 'a'.repeat(64) })
    expect(await refused(other)).toBe('hash_mismatch')
    await expect(files.put(breaking(), { maxBytes: 200_000 })).rejects.toThrow('it broke off')
    const check = (head: Buffer) => {
      expect(head.length).toBe(4096)
      throw new Error('no such type')
    }
    await expect(files.put(inChunks(bytes, 100), { maxBytes: 200_000, check })).rejects.toThrow(
      'no such type',
    )
    expect(await files.stat(hash(bytes))).toBeUndefined()
    expect(await files.stat('a'.repeat(64))).toBeUndefined()
    expect(await readdir(drafts())).toEqual([])
  })

  test('have no other names than hashes', async () => {
    const files = open()
    for (const name of ['../../etc/passwd', '', 'A'.repeat(64), `${'a'.repeat(63)}/`]) {
      expect(await files.stat(name)).toBeUndefined()
      expect(await refused(readAll(files, name))).toBe('not_found')
    }
  })
})

describe('a folder', () => {
  test('drops drafts of processes that were killed long ago', async () => {
    const place = join(dir, 'drafts-of-before')
    const files = openFolder(place)
    await files.put(inChunks(randomBytes(10)), { maxBytes: 10 })
    const draft = join(place, 'incoming', 'of-before')
    await writeFile(draft, 'half a file')
    await utimes(draft, new Date(0), new Date(0))
    await openFolder(place).put(inChunks(randomBytes(10)), { maxBytes: 10 })
    expect(await readdir(join(place, 'incoming'))).toEqual([])
  })
})

describe('a bucket', () => {
  test('refuses what is signed with another secret, for another region, or late', async () => {
    const bytes = randomBytes(10)
    for (const more of [{ secret: 'another' }, { region: 'us-east-1' }, { keyId: 'nobody' }])
      expect(await refused(openBucket(more).put(inChunks(bytes), { maxBytes: 10 }))).toBe('upstream')
    const late = openS3(
      { url: s3.url, ...account },
      { fetch, clock: { now: () => new Date(Date.now() - 3_600_000) }, drafts: join(dir, 'drafts') },
    )
    expect(await refused(late.stat(hash(bytes)))).toBe('upstream')
  })

  test('that fails in the middle of a file keeps nothing of it, and takes it the second time', async () => {
    const files = openBucket()
    const bytes = randomBytes(9_000_000)
    const put = files.put(inChunks(bytes), { maxBytes: bytes.length })
    while (!s3.log.some(line => line.startsWith('PUT'))) await new Promise(setImmediate)
    s3.fail(1)
    expect(await refused(put)).toBe('upstream')
    s3.fail(0)
    expect(await files.stat(hash(bytes))).toBeUndefined()
    await files.put(inChunks(bytes), { maxBytes: bytes.length })
    expect((await readAll(files, hash(bytes))).equals(bytes)).toBe(true)
  })

  test('takes at an address of its own exactly the bytes that were promised, and gives them as an attachment', async () => {
    const files = openBucket()
    const { direct } = files
    if (!direct) throw new Error('a bucket has addresses of its own')
    const bytes = randomBytes(1000)
    const file = { sha256: hash(bytes), bytes: 1000, type: 'image/png' }
    const { url, headers } = direct.upload('file_1', file, 60)
    const send = (body: Buffer, more: Record<string, string> = {}, to = url) =>
      globalThis.fetch(to, { method: 'PUT', headers: { ...headers, ...more }, body: new Uint8Array(body) })
    expect((await send(randomBytes(1000))).status).toBe(400)
    expect((await send(randomBytes(1001))).status).toBe(403)
    expect((await send(bytes, { 'content-type': 'text/html' })).status).toBe(403)
    expect((await send(bytes, {}, url.replace('file_1', 'file_2'))).status).toBe(403)
    expect(await direct.collect('file_1', { maxBytes: 1000 })).toBeUndefined()
    expect((await send(bytes)).status).toBe(200)
    expect(await refused(direct.collect('file_1', { maxBytes: 10 }))).toBe('too_large')
    expect(await direct.collect('file_1', { maxBytes: 1000, sha256: file.sha256 })).toEqual({
      sha256: file.sha256,
      bytes: 1000,
    })
    expect([...s3.objects.keys()].filter(key => key.includes('uploads/'))).toEqual([])
    const download = direct.download({ ...file, name: 'file_1.png' }, 60)
    const answer = await globalThis.fetch(download.url)
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="file_1.png"')
    const forged = download.url.replace(/response-content-type=[^&]+/, 'response-content-type=text%2Fhtml')
    expect((await globalThis.fetch(forged)).status).toBe(403)
  })

  test('is signed as the published example of AWS is', () => {
    // Documentation of Amazon S3, "Example: GET Object".
    const { authorization } = signHeaders(
      {
        keyId: 'AKIAIOSFODNN7EXAMPLE',
        secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
        region: 'us-east-1',
      },
      {
        method: 'GET',
        url: 'https://examplebucket.s3.amazonaws.com/test.txt',
        headers: { range: 'bytes=0-9' },
        now: new Date('2013-05-24T00:00:00Z'),
      },
    )
    expect(authorization).toContain(
      'Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    )
  })
})
