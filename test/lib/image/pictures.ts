import { crc32, deflateSync } from 'node:zlib'
import jpeg from 'jpeg-js'

type Shade = (x: number, y: number) => number

/** A scene that is told from others by its seed: hills of light. */
export const scene =
  (seed: number, scale = 1): Shade =>
  (x, y) => {
    const [u, v] = [(x / scale) * 0.02, (y / scale) * 0.02]
    const wave =
      Math.sin(u * (1 + (seed % 7)) + seed) +
      Math.cos(v * (2 + (seed % 5)) - seed) +
      Math.sin((u + v) * (1 + (seed % 3)))
    return Math.max(0, Math.min(255, 128 + wave * 42))
  }

export const toJpeg = (width: number, height: number, shade: Shade, quality = 90): Buffer => {
  const data = Buffer.alloc(width * height * 4, 255)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      data.fill(Math.round(shade(x, y)), (y * width + x) * 4, (y * width + x) * 4 + 3)
  return Buffer.from(jpeg.encode({ data, width, height }, quality).data)
}

const toChunk = (name: string, body: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(name), body])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(body.length, 0)
  ends.writeUInt32BE(crc32(named), 4)
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)])
}

/** A PNG over raw rows, each behind its filter. */
export const toRawPng = (
  { width, height, depth = 8, color = 0 }: { width: number; height: number; depth?: number; color?: number },
  rows: Buffer,
  more: Buffer[] = [],
): Buffer => {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([depth, color, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    toChunk('IHDR', head),
    ...more,
    toChunk('IDAT', deflateSync(rows)),
    toChunk('IEND', Buffer.alloc(0)),
  ])
}

export const pngChunk = toChunk

/** A grey PNG, row by row without a filter. */
export const toPng = (width: number, height: number, shade: Shade): Buffer => {
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = Math.round(shade(x, y))
  return toRawPng({ width, height }, rows)
}

const toRationals = (degrees: number): Buffer => {
  const whole = Math.abs(degrees)
  const minutes = (whole % 1) * 60
  const bytes = Buffer.alloc(24)
  for (const [n, [over, under]] of (
    [
      [Math.floor(whole), 1],
      [Math.floor(minutes), 1],
      [Math.round((minutes % 1) * 60 * 10_000), 10_000],
    ] as const
  ).entries()) {
    bytes.writeUInt32LE(over, n * 8)
    bytes.writeUInt32LE(under, n * 8 + 4)
  }
  return bytes
}

type Claim = { taken_at?: string; offset?: string; lat?: number; lng?: number; camera?: string }

/** A TIFF block (little-endian) that says when and where. */
export const toTiff = ({ taken_at, offset, lat, lng, camera }: Claim): Buffer => {
  const text = (value: string) => Buffer.from(`${value}\0`)
  const main: [number, number, Buffer][] = camera === undefined ? [] : [[0x0110, 2, text(camera)]]
  const exif: [number, number, Buffer][] = [
    ...(taken_at === undefined ? [] : [[0x9003, 2, text(taken_at)] as [number, number, Buffer]]),
    ...(offset === undefined ? [] : [[0x9011, 2, text(offset)] as [number, number, Buffer]]),
  ]
  const place: [number, number, Buffer][] =
    lat === undefined || lng === undefined
      ? []
      : [
          [1, 2, text(lat < 0 ? 'S' : 'N')],
          [2, 5, toRationals(lat)],
          [3, 2, text(lng < 0 ? 'W' : 'E')],
          [4, 5, toRationals(lng)],
        ]
  const out = Buffer.alloc(2048)
  out.write('II*\0', 0, 'latin1')
  out.writeUInt32LE(8, 4)
  let free = 1024
  const writeIfd = (at: number, entries: [number, number, Buffer][]) => {
    out.writeUInt16LE(entries.length, at)
    for (const [n, [tag, type, value]] of entries.entries()) {
      const place = at + 2 + n * 12
      out.writeUInt16LE(tag, place)
      out.writeUInt16LE(type, place + 2)
      out.writeUInt32LE(type === 5 ? value.length / 8 : type === 4 ? 1 : value.length, place + 4)
      if (value.length <= 4) value.copy(out, place + 8)
      else {
        out.writeUInt32LE(free, place + 8)
        value.copy(out, free)
        free += value.length
      }
    }
  }
  const pointer = (at: number) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32LE(at)
    return bytes
  }
  writeIfd(8, [...main, [0x8769, 4, pointer(256)], [0x8825, 4, pointer(512)]])
  writeIfd(256, exif)
  writeIfd(512, place)
  return out
}

/** A JPEG with a claim in it. */
export const withExif = (image: Buffer, claim: Claim | Buffer): Buffer => {
  const tiff = Buffer.isBuffer(claim) ? claim : toTiff(claim)
  const body = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff])
  const head = Buffer.from([0xff, 0xe1, (body.length + 2) >> 8, (body.length + 2) & 255])
  return Buffer.concat([image.subarray(0, 2), head, body, image.subarray(2)])
}
