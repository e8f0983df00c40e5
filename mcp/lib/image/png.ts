import { inflateSync } from 'node:zlib'

/** An image in shades of grey, row by row. */
export type Luma = { width: number; height: number; luma: Uint8Array }

const maxRawBytes = 128 * 1024 * 1024

const channels: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

const paeth = (a: number, b: number, c: number): number => {
  const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)]
  if (pa <= pb && pa <= pc) return a
  return pb <= pc ? b : c
}

const unfilter = (raw: Buffer, stride: number, height: number, step: number): boolean => {
  for (let y = 0; y < height; y++) {
    const start = y * (stride + 1)
    const filter = raw[start] ?? 0
    if (filter > 4) return false
    for (let x = 1; x <= stride; x++) {
      const at = start + x
      const left = x > step ? (raw[at - step] ?? 0) : 0
      const up = y > 0 ? (raw[at - stride - 1] ?? 0) : 0
      const corner = y > 0 && x > step ? (raw[at - stride - 1 - step] ?? 0) : 0
      const predicted =
        [0, left, up, (left + up) >> 1, filter === 4 ? paeth(left, up, corner) : 0][filter] ?? 0
      raw[at] = (raw[at] ?? 0) + predicted
    }
  }
  return true
}

type Head = { width: number; height: number; depth: number; color: number; interlaced: boolean }

const readChunks = (bytes: Buffer) => {
  const data: Buffer[] = []
  let palette: Buffer = Buffer.alloc(0)
  let head: Head | undefined
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    const body = bytes.subarray(at + 8, at + 8 + length)
    const name = bytes.toString('latin1', at + 4, at + 8)
    if (name === 'IHDR' && body.length >= 13)
      head = {
        width: body.readUInt32BE(0),
        height: body.readUInt32BE(4),
        depth: body.readUInt8(8),
        color: body.readUInt8(9),
        interlaced: body.readUInt8(12) !== 0,
      }
    if (name === 'PLTE') palette = body
    if (name === 'IDAT') data.push(body)
    at += 12 + length
  }
  return { head, palette, data: Buffer.concat(data) }
}

const brightness = (r: number, g: number, b: number): number => (r * 299 + g * 587 + b * 114) / 1000

/** The brightness of a PNG (not interlaced); undefined for what cannot be read within the limits. Memory is bounded by the header before anything is inflated. */
export const decodePng = (bytes: Buffer, maxPixels: number): Luma | undefined => {
  const { head, palette, data } = readChunks(bytes)
  if (!head || head.interlaced || head.width < 1 || head.height < 1) return undefined
  const { width, height, depth, color } = head
  const perPixel = channels[color]
  if (perPixel === undefined || ![1, 2, 4, 8, 16].includes(depth) || width * height > maxPixels)
    return undefined
  const stride = Math.ceil((width * perPixel * depth) / 8)
  const rawBytes = (stride + 1) * height
  if (rawBytes > maxRawBytes) return undefined
  let raw: Buffer
  try {
    raw = inflateSync(data, { maxOutputLength: rawBytes })
  } catch {
    return undefined
  }
  const step = Math.max(1, (perPixel * depth) >> 3)
  if (raw.length !== rawBytes || !unfilter(raw, stride, height, step)) return undefined
  const scale = 255 / (2 ** Math.min(depth, 8) - 1)
  /** A sample as it is stored, of its upper eight bits. */
  const sample = (y: number, n: number): number => {
    const start = y * (stride + 1) + 1
    if (depth === 16) return raw[start + n * 2] ?? 0
    if (depth === 8) return raw[start + n] ?? 0
    const bit = n * depth
    return ((raw[start + (bit >> 3)] ?? 0) >> (8 - depth - (bit & 7))) & (2 ** depth - 1)
  }
  const luma = new Uint8Array(width * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const n = x * perPixel
      const first = sample(y, n)
      const value = () => {
        if (color === 3)
          return brightness(palette[first * 3] ?? 0, palette[first * 3 + 1] ?? 0, palette[first * 3 + 2] ?? 0)
        return perPixel >= 3 ? brightness(first, sample(y, n + 1), sample(y, n + 2)) : first * scale
      }
      luma[y * width + x] = value()
    }
  return { width, height, luma }
}
