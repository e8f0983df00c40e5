import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openFetch } from '../../../mcp/ports/fetch/fetch.ts'
import { withOwners } from '../../../mcp/ports/files/owners.ts'
import { openS3 } from '../../../mcp/ports/files/s3.ts'
import { evidenceTypes } from '../../../mcp/services/tasks/evidence.ts'
import { filesIn, sweepFiles } from '../../../mcp/services/tasks/file.ts'
import { scene, toJpeg, toPng, withExif } from '../../lib/image/pictures.ts'
import { account, type S3, startS3 } from '../../ports/files/s3-server.ts'
import { arbiter, geo, type Hall, hashOf, openHall, type Person, readAnswer, upload } from './hall.ts'

type Finding = { evidence: number; check: string; result: string; detail: string }
const findingsIn = (submission: Record<string, unknown>) => submission.findings as Finding[]

const photo = (seed: number, claim = {}) => withExif(toJpeg(320, 240, scene(seed)), claim)

const exifTime = (date: Date) => date.toISOString().slice(0, 19).replaceAll('-', ':').replace('T', ' ')

let hall: Hall
let s3: S3
let bucket: Hall
let outside: ReturnType<typeof openFetch>
beforeAll(async () => {
  hall = await openHall({ environment: { TASKS_FILE_MAX_MB: '2', TASKS_TASK_FILES_MAX_MB: '3' } })
  s3 = await startS3()
  outside = openFetch({ userAgent: 'test', resolve: async () => [], allow: (_, port) => port === s3.port })
  const storage = openS3({ url: s3.url, ...account }, { fetch: outside, clock: { now: () => new Date() } })
  bucket = await openHall({ storage })
})
afterAll(async () => {
  await hall?.stop()
  await bucket?.stop()
  await outside?.close()
  await s3?.stop()
})

describe.each([
  ['a folder', () => hall],
  ['a bucket', () => bucket],
])('a photo in %s', (_, openedHall) => {
  test('is uploaded, checked, handed in, reviewed with its findings, and downloaded by its parties', async () => {
    const { publisher, worker, task_id } = await openedHall().taskUnderWay()
    const now = new Date()
    const bytes = photo(101, { taken_at: exifTime(now), offset: '+00:00', ...geo, camera: 'Cam 1' })
    const { file_id, answer } = await upload(worker, task_id, bytes)
    expect([200, 201]).toContain(answer.status)
    const checked = await worker.ask('verify_evidence', { file_id })
    expect(checked.body).toMatchObject({
      matches: true,
      problems: [],
      state: 'stored',
      sha256: hashOf(bytes),
      claims: { camera: 'Cam 1', lat: expect.closeTo(geo.lat, 4) },
    })
    // Nobody sees it before it is handed in, and strangers never.
    expect((await publisher.ask('presign_download', { file_id })).status).toBe(404)
    const submission = await worker.get('submit_work', {
      task_id,
      evidence: [{ type: 'photo_geo', file_id, geo, captured_at: now.toISOString() }],
    })
    const findings = findingsIn(submission).map(({ check, result }) => `${check}: ${result}`)
    expect(findings).toEqual([
      'hash: pass',
      'place: pass',
      'time: pass',
      'photo_place: pass',
      'photo_time: pass',
    ])
    expect(submission.evidence).toMatchObject([
      { file_id, sha256: hashOf(bytes), bytes: bytes.length, content_type: 'image/jpeg', url: null },
    ])
    for (const side of [publisher, worker]) {
      const { url = '' } = await side.get('presign_download', { file_id })
      const download = await fetch(url)
      expect(Buffer.from(await download.arrayBuffer()).equals(bytes)).toBe(true)
      expect(download.headers.get('content-disposition')).toBe(`attachment; filename="${file_id}.jpg"`)
      expect(download.headers.get('content-type')).toBe('image/jpeg')
      expect((await fetch(url.replace(/.$/, last => (last === 'a' ? 'b' : 'a')))).status).toBe(403)
    }
    const strangers = await Promise.all([openedHall().person(), openedHall().person(arbiter.key)])
    for (const stranger of strangers)
      for (const tool of ['presign_download', 'verify_evidence'])
        expect((await stranger.ask(tool, { file_id })).status).toBe(404)
  })
})

describe('an upload', () => {
  test('is streamed back in parts, under headers by which no browser runs it', async () => {
    const { publisher, worker, task_id } = await hall.taskUnderWay()
    const bytes = photo(102)
    const { file_id } = await upload(worker, task_id, bytes)
    await worker.get('submit_work', { task_id, evidence: [{ type: 'photo_geo', file_id, geo }] })
    const { url = '' } = await publisher.get('presign_download', { file_id })
    const whole = await fetch(url)
    await whole.arrayBuffer()
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'private, no-store',
    })
    const part = await fetch(url, { headers: { range: 'bytes=10-19' } })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-19/${bytes.length}`])
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(10, 20))).toBe(true)
    expect((await fetch(url, { headers: { range: `bytes=${bytes.length}-` } })).status).toBe(416)
    expect((await fetch(url, { headers: { 'if-none-match': whole.headers.get('etag') ?? '' } })).status).toBe(
      304,
    )
    expect((await fetch(url, { method: 'HEAD' })).headers.get('content-length')).toBe(String(bytes.length))
  })

  test('of a zip that calls itself a photo is refused, and nothing is kept', async () => {
    const { worker, task_id } = await hall.taskUnderWay()
    const zip = Buffer.concat([Buffer.from('PK\x03\x04'), randomBytes(20_000)])
    const { file_id, answer } = await upload(worker, task_id, zip)
    expect(answer).toMatchObject({ status: 422, body: { reason: 'type_mismatch' } })
    expect((await worker.ask('verify_evidence', { file_id })).body).toMatchObject({
      matches: false,
      problems: ['Nothing was uploaded.'],
    })
    const submit = await worker.ask('submit_work', {
      task_id,
      evidence: [{ type: 'photo_geo', file_id, geo }],
    })
    expect(submit).toMatchObject({ status: 422, body: { issues: [{ path: 'evidence.0.file_id' }, {}] } })
  })

  test('of other bytes, more of them, or another type is refused', async () => {
    const { worker, task_id } = await hall.taskUnderWay()
    const bytes = photo(103)
    const { upload_url = '' } = await worker.get('presign_upload', {
      task_id,
      sha256: hashOf(bytes),
      bytes: bytes.length,
      content_type: 'image/jpeg',
    })
    const send = async (body: Buffer, type = 'image/jpeg') =>
      readAnswer(
        await fetch(upload_url, {
          method: 'PUT',
          headers: { 'content-type': type },
          body: new Uint8Array(body),
        }),
      )
    const other = Buffer.from(bytes)
    other[other.length - 5] = (other[other.length - 5] ?? 0) ^ 1
    expect(await send(other)).toMatchObject({ status: 422, body: { reason: 'hash_mismatch' } })
    expect(await send(Buffer.concat([bytes, bytes]))).toMatchObject({ status: 413 })
    expect(await send(bytes, 'image/png')).toMatchObject({ status: 415 })
    expect(await send(bytes, 'text/html')).toMatchObject({ status: 415 })
    expect(await send(bytes)).toMatchObject({ status: 201 })
    expect(await send(bytes)).toMatchObject({ status: 200 })
  })

  test('of 300 MB is 413 before it is read, also without a length, and takes no memory', async () => {
    const { worker, task_id } = await hall.taskUnderWay()
    const promised = { task_id, sha256: 'a'.repeat(64), content_type: 'video/mp4' }
    expect(await worker.ask('presign_upload', { ...promised, bytes: 300_000_000 })).toMatchObject({
      status: 413,
    })
    const { upload_url = '' } = await worker.get('presign_upload', { ...promised, bytes: 1_000_000 })
    const head = Buffer.concat([Buffer.from('\0\0\0\x18ftypmp42'), Buffer.alloc(65_536 - 12)])
    const chunk = Buffer.alloc(65_536)
    for (const length of [{ 'content-length': '300000000' }, {}]) {
      let written = 0
      const answer = await new Promise<number | string>(resolve => {
        const req = request(upload_url, {
          method: 'PUT',
          headers: { 'content-type': 'video/mp4', ...length },
        })
        req.on('response', res => {
          res.resume()
          resolve(res.statusCode ?? 0)
        })
        req.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'))
        const write = () => {
          while (written < 300_000_000) {
            written += 65_536
            if (!req.write(written === 65_536 ? head : chunk)) return void req.once('drain', write)
          }
          req.end()
        }
        write()
      })
      expect(answer).toBe(413)
      // What a socket takes before its peer stops reading, and no more.
      expect(written).toBeLessThan(20_000_000)
    }
  })

  test('is for who works on the task, while it is under way, within what a task may have', async () => {
    const { publisher, worker, task_id } = await hall.taskUnderWay()
    const input = { task_id, sha256: 'b'.repeat(64), bytes: 1_500_000, content_type: 'image/jpeg' }
    expect((await publisher.ask('presign_upload', input)).status).toBe(403)
    expect((await (await hall.person()).ask('presign_upload', input)).status).toBe(403)
    await worker.get('presign_upload', input)
    await worker.get('presign_upload', input)
    const more = { ...input, sha256: 'c'.repeat(64), bytes: 1_600_000 }
    expect(await worker.ask('presign_upload', more)).toMatchObject({
      status: 413,
      body: { reason: 'task_files_full' },
    })
    expect(await worker.ask('presign_upload', { ...input, bytes: 2_000_001 })).toMatchObject({ status: 413 })
    for (const wrong of [
      { bytes: 0 },
      { bytes: -1 },
      { bytes: 1.5 },
      { sha256: 'x' },
      { content_type: 'text/html' },
      { name: 'x' },
    ])
      expect(await worker.ask('presign_upload', { ...input, ...wrong })).toMatchObject({ status: 422 })
  })

  test('has an address that nobody can make, and that is over after a while', async () => {
    const { worker, task_id } = await hall.taskUnderWay()
    const bytes = photo(104)
    const promised = { task_id, sha256: hashOf(bytes), bytes: bytes.length, content_type: 'image/jpeg' }
    const { upload_url = '', file_id = '' } = await worker.get('presign_upload', promised)
    const send = async (to: string) =>
      (
        await fetch(to, {
          method: 'PUT',
          headers: { 'content-type': 'image/jpeg' },
          body: new Uint8Array(bytes),
        })
      ).status
    const until = upload_url.split('.').at(-2) ?? ''
    for (const forged of [
      upload_url.replace(until, String(Number(until) + 1000)),
      upload_url.replace(
        file_id,
        file_id.replace(/.$/, last => (last === '0' ? '1' : '0')),
      ),
      upload_url.slice(0, -2),
      `${hall.url}/api/v1/evidence/uploads/x`,
    ])
      expect(await send(forged)).toBe(403)
    // An address to send to is none to fetch from.
    expect((await fetch(upload_url.replace('uploads', 'files'))).status).toBe(403)
    hall.later(901_000)
    expect(await send(upload_url)).toBe(410)
  })

  test('that nobody hands in is dropped after its time', async () => {
    const { worker, task_id } = await hall.taskUnderWay()
    const { file_id } = await upload(worker, task_id, photo(105))
    const { file_id: promised = '' } = await worker.get('presign_upload', {
      task_id,
      sha256: 'd'.repeat(64),
      bytes: 10,
      content_type: 'image/png',
    })
    const removed: string[] = []
    const storage = {
      stat: async () => undefined,
      remove: async (sha256: string) => void removed.push(sha256),
    } as never
    const files = withOwners(storage, { ...hall, maxBytes: 1_000_000_000 })
    const sweep = (ms: number) =>
      sweepFiles.run({
        store: hall.store,
        clock: { now: () => new Date(hall.clock.now().getTime() + ms) },
        files,
        signal: new AbortController().signal,
      } as never)
    await sweep(0)
    expect(await filesIn(hall.store).get(file_id)).toBeDefined()
    await sweep(5 * 3_600_000)
    expect(await filesIn(hall.store).get(promised)).toBeUndefined()
    expect(await filesIn(hall.store).get(file_id)).toBeDefined()
    await sweep(31 * 86_400_000)
    expect(await filesIn(hall.store).get(file_id)).toBeUndefined()
    expect(removed).toContain(hashOf(photo(105)))
  })
})

describe('findings', () => {
  const handIn = async (
    evidence: (file: string) => object[],
    bytes: Buffer,
    more: object = {},
    type?: string,
  ) => {
    const { worker, task_id } = await hall.taskUnderWay(more)
    const { file_id } = await upload(worker, task_id, bytes, type)
    return findingsIn(await worker.get('submit_work', { task_id, evidence: evidence(file_id) }))
  }
  const onePhoto = (file_id: string) => [{ type: 'photo_geo', file_id, geo }]

  test('show an image that was handed in before, though it was scaled and compressed again', async () => {
    await handIn(onePhoto, toJpeg(640, 480, scene(211)))
    const again = await handIn(onePhoto, toPng(320, 240, scene(211, 0.5)), {}, 'image/png')
    expect(again.find(({ check }) => check === 'duplicate')).toMatchObject({
      result: 'fail',
      detail: expect.stringMatching(/^An image that looks the same was handed in by somebody else/),
    })
    const other = await handIn(onePhoto, toJpeg(640, 480, scene(216)))
    expect(other.filter(({ check }) => check === 'duplicate')).toEqual([])
    const same = await handIn(onePhoto, toJpeg(640, 480, scene(211)))
    expect(same.filter(({ check }) => check === 'duplicate')).toHaveLength(1)
  })

  test('show a photo that claims another place or an older time, and decide nothing', async () => {
    const claim = { lat: 48.1, lng: 11.5, taken_at: '2001:01:01 10:00:00' }
    const findings = await handIn(onePhoto, photo(301, claim))
    expect(findings.filter(({ result }) => result === 'fail').map(({ check }) => check)).toEqual([
      'photo_place',
      'photo_time',
    ])
    expect(findings.find(({ check }) => check === 'photo_place')?.detail).toMatch(/anybody can write that/)
  })

  test('tell of OpenTimestamps what it leads to', async () => {
    const hash = 'ab'.repeat(32)
    const head = Buffer.concat([
      Buffer.from('\0OpenTimestamps\0\0Proof\0', 'latin1'),
      Buffer.from('bf89e2e884e89294', 'hex'),
      Buffer.from([1, 8]),
    ])
    const bitcoin = Buffer.from('000588960d73d71901', 'hex')
    const proof = Buffer.concat([head, Buffer.from(hash, 'hex'), bitcoin, Buffer.from([1, 100])]).toString(
      'base64',
    )
    const { worker, task_id } = await hall.taskUnderWay({
      evidence_required: ['timestamp_proof'],
    })
    const stamp = (value: object) => ({ type: 'timestamp_proof', value })
    const submission = await worker.get('submit_work', {
      task_id,
      evidence: [
        stamp({ hash, proof }),
        stamp({ hash: 'cd'.repeat(32), proof }),
        stamp({ hash, proof: 'no proof, whatever it says' }),
      ],
    })
    const checks = findingsIn(submission).filter(({ check }) => check === 'timestamp')
    expect(checks.map(({ result }) => result)).toEqual(['unknown', 'fail', 'unknown'])
    expect(checks[0]?.detail).toMatch(/Merkle root (?:ab){32}: compare it with block 100 of Bitcoin/)
  })
})

describe('every type of evidence', () => {
  /** One that fits, and one that does not. */
  const fits: Record<string, object> = {
    photo: { url: 'https://f.example/a.jpg', sha256: 'a'.repeat(64), content_type: 'image/jpeg' },
    photo_geo: { url: 'https://f.example/a.jpg', sha256: 'a'.repeat(64), content_type: 'image/jpeg', geo },
    video: { url: 'https://f.example/a.mp4', sha256: 'a'.repeat(64), content_type: 'video/mp4' },
    document: { url: 'https://f.example/a.pdf', sha256: 'a'.repeat(64) },
    receipt: { url: 'https://f.example/a.pdf', sha256: 'a'.repeat(64) },
    signature: { url: 'https://f.example/a.pdf', sha256: 'a'.repeat(64) },
    notarized: { url: 'https://f.example/a.pdf', sha256: 'a'.repeat(64) },
    timestamp_proof: { value: { hash: 'a'.repeat(64), proof: 'x'.repeat(30) } },
    text_response: { value: 'yes' },
    measurement: { value: { value: 3.5, unit: 'm' } },
    screenshot: { url: 'https://f.example/a.png', sha256: 'a'.repeat(64), content_type: 'image/png' },
    json_response: { value: { a: [1] } },
    api_response: { url: 'https://f.example/api', value: { status: 200, body: {} } },
    code_output: { value: 'ok' },
    file_artifact: { url: 'https://f.example/a.zip', sha256: 'a'.repeat(64) },
    url_reference: { url: 'https://f.example/' },
    structured_data: { value: [1, 2] },
    text_report: { value: 'x'.repeat(50) },
  }
  const misses: Record<string, object> = {
    ...Object.fromEntries(evidenceTypes.map(type => [type, {}])),
    photo_geo: { url: 'https://f.example/a.jpg', sha256: 'a'.repeat(64), content_type: 'image/jpeg' },
    photo: { url: 'https://f.example/a.zip', sha256: 'a'.repeat(64), content_type: 'application/zip' },
    measurement: { value: { value: '3', unit: 'm' } },
    url_reference: { url: 'http://f.example/' },
    structured_data: { value: 'text' },
    text_report: { value: 'short' },
  }

  let worker: Person
  let task_id = ''
  beforeAll(async () => {
    const place = await hall.taskUnderWay({ evidence_required: ['photo', 'measurement'] })
    worker = place.worker
    task_id = place.task_id
  })

  test.each(evidenceTypes)('%s is refused without what it needs, by its name', async type => {
    const { status, body } = await worker.ask('submit_work', {
      task_id,
      evidence: [{ type, ...misses[type] }],
    })
    expect([status, body.reason]).toEqual([422, 'evidence_incomplete'])
    const issues = (body.issues as { path: string; message: string }[]).filter(
      ({ path }) => path !== 'evidence',
    )
    expect(issues.length).toBeGreaterThan(0)
    for (const { path, message } of issues) {
      expect(path).toMatch(/^evidence\.0/)
      expect(message).toContain(`${type}: `)
    }
  })

  test('all of them are taken with what they need; required ones that are missing are listed', async () => {
    const evidence = evidenceTypes.map(type => ({ type, ...fits[type] }))
    const some = evidence.filter(({ type }) => type !== 'photo' && type !== 'measurement')
    const { status, body } = await worker.ask('submit_work', { task_id, evidence: some })
    expect(status).toBe(422)
    expect(body.issues).toEqual([
      { path: 'evidence', message: 'photo is required and missing' },
      { path: 'evidence', message: 'measurement is required and missing' },
    ])
    expect(await worker.ask('submit_work', { task_id, evidence })).toMatchObject({ status: 201 })
  })
})
