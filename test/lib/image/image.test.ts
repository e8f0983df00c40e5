import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hashDistance } from '../../../mcp/lib/image/difference-hash.ts'
import { readExif } from '../../../mcp/lib/image/exif.ts'
import { lookAtImage } from '../../../mcp/lib/image/look.ts'
import { decodePng } from '../../../mcp/lib/image/png.ts'
import { runs } from '../../stress.ts'
import { pngChunk, scene, toJpeg, toPng, toRawPng, toTiff, withExif } from './pictures.ts'

const hashOf = async (bytes: Buffer) => (await lookAtImage(bytes)).hash ?? ''

describe('what a photo claims', () => {
  const image = toJpeg(16, 16, scene(1))
  const claim = {
    taken_at: '2026:11:22 10:15:00',
    offset: '+01:00',
    lat: 39.7817,
    lng: -89.6501,
    camera: 'Cam\x01 1',
  }

  test('is read from a JPEG and a PNG', () => {
    const read = {
      taken_at: '2026-11-22T10:15:00+01:00',
      lat: expect.closeTo(39.7817, 5),
      lng: expect.closeTo(-89.6501, 5),
      camera: 'Cam  1',
    }
    expect(readExif(withExif(image, claim))).toEqual(read)
    const png = toRawPng({ width: 1, height: 1 }, Buffer.from([0, 0]), [pngChunk('eXIf', toTiff(claim))])
    expect(readExif(png)).toEqual(read)
    expect(readExif(image)).toBeNull()
  })

  test('is nothing where it makes no sense', () => {
    expect(readExif(withExif(image, { lat: 91, lng: 0 }))).toBeNull()
    expect(readExif(withExif(image, { taken_at: '2026:99:99 10:15:00' }))).toBeNull()
    expect(readExif(withExif(image, { taken_at: 'last <b>Tuesday</b>' }))).toBeNull()
  })

  test('never throws, hangs or runs away, whatever the bytes are', () => {
    const whole = withExif(image, claim)
    const changes = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(changes, fc.nat(whole.length), (bytes, end) => {
        const hostile = Buffer.from(whole.subarray(0, end))
        for (const [at, value] of bytes) if (at < end) hostile[at] = value
        const exif = readExif(hostile)
        if (exif?.camera) expect(exif.camera).toMatch(/^[ -~]{1,121}$/)
        if (exif?.lat !== null && exif) expect(Math.abs(exif.lat)).toBeLessThanOrEqual(90)
      }),
      { numRuns: runs(20_000, 2000) },
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), bytes => void readExif(bytes)),
      { numRuns: runs(20_000, 2000) },
    )
  })
})

describe('what an image looks like', () => {
  test('stays the same when it is scaled, compressed or saved as another format', async () => {
    for (const seed of [3, 11, 25]) {
      const original = await hashOf(toJpeg(640, 480, scene(seed)))
      for (const copy of [
        toJpeg(640, 480, scene(seed), 40),
        toJpeg(320, 240, scene(seed, 0.5)),
        toPng(640, 480, scene(seed)),
        withExif(toJpeg(640, 480, scene(seed), 70), { camera: 'Another' }),
      ])
        expect(hashDistance(original, await hashOf(copy))).toBeLessThanOrEqual(6)
    }
  })

  test('differs between scenes', async () => {
    const hashes = await Promise.all([1, 2, 3, 4, 5, 6].map(seed => hashOf(toPng(320, 240, scene(seed * 7)))))
    for (const [n, one] of hashes.entries())
      for (const other of hashes.slice(n + 1)) expect(hashDistance(one, other)).toBeGreaterThan(14)
  })

  test('is nothing for a wall, and for what is no image', async () => {
    expect(await lookAtImage(toPng(100, 100, () => 200))).toMatchObject({ width: 100, hash: null })
    for (const bytes of [Buffer.alloc(0), Buffer.from('PK\x03\x04'), Buffer.from('\xff\xd8\xff', 'latin1')])
      expect(await lookAtImage(bytes)).toEqual({ exif: null, width: null, height: null, hash: null })
  })

  test('is read of every kind of PNG, filtered as encoders do', () => {
    for (const [color, depth, perPixel] of [
      [0, 1, 1],
      [0, 2, 1],
      [0, 16, 1],
      [2, 8, 3],
      [2, 16, 3],
      [3, 4, 1],
      [4, 8, 2],
      [6, 8, 4],
    ] as const) {
      const stride = Math.ceil((5 * perPixel * depth) / 8)
      const rows = Buffer.concat(
        [0, 1, 2, 3, 4].map(filter => Buffer.concat([Buffer.of(filter), Buffer.alloc(stride, 1)])),
      )
      const palette = pngChunk('PLTE', Buffer.alloc(48, 100))
      const png = toRawPng({ width: 5, height: 5, depth, color }, rows, [palette])
      expect(decodePng(png, 1000)?.luma.length, `${color} of ${depth}`).toBe(25)
    }
  })

  test('bombs are not inflated', async () => {
    const bomb = (width: number, height: number, bytes: number) =>
      toRawPng({ width, height }, Buffer.alloc(0), [pngChunk('IDAT', deflateSync(Buffer.alloc(bytes)))])
    const before = process.memoryUsage().arrayBuffers
    for (const hostile of [bomb(50_000, 50_000, 10), bomb(100, 100, 200_000_000), bomb(5000, 5000, 10)])
      expect(await lookAtImage(hostile)).toMatchObject({ hash: null, width: null })
    const jpeg = toJpeg(16, 16, scene(1))
    const at = jpeg.indexOf(Buffer.from([0xff, 0xc0]))
    jpeg.writeUInt16BE(60_000, at + 5)
    jpeg.writeUInt16BE(60_000, at + 7)
    expect(await lookAtImage(jpeg)).toMatchObject({ hash: null, width: null })
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(260_000_000)
  })

  test('never throws, whatever the bytes are', async () => {
    const images = [toJpeg(32, 32, scene(2)), toPng(32, 32, scene(2))]
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...images), changes, async (image, bytes) => {
        const hostile = Buffer.from(image)
        for (const [at, value] of bytes) hostile[at % hostile.length] = value
        await lookAtImage(hostile)
      }),
      { numRuns: runs(2000, 200) },
    )
  })
})
