import type { Luma } from './png.ts'
import { decodePng } from './png.ts'

const maxPixels = 25_000_000
const maxMegabytes = 320

/** Reads the size of a JPEG from its frame header. */
const jpegSize = (bytes: Buffer): { width: number; height: number } | undefined => {
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    if (bytes.readUInt16BE(at + 2) < 2) return undefined
  }
  return undefined
}

const decodeJpeg = async (bytes: Buffer): Promise<Luma | undefined> => {
  const size = jpegSize(bytes)
  if (!size || size.width * size.height > maxPixels) return undefined
  const { default: jpeg } = await import('jpeg-js')
  try {
    const { width, height, data } = jpeg.decode(bytes, {
      useTArray: true,
      formatAsRGBA: false,
      maxResolutionInMP: maxPixels / 1e6,
      maxMemoryUsageInMB: maxMegabytes,
    })
    const luma = new Uint8Array(width * height)
    for (let n = 0; n < luma.length; n++)
      luma[n] =
        ((data[n * 3] ?? 0) * 299 + (data[n * 3 + 1] ?? 0) * 587 + (data[n * 3 + 2] ?? 0) * 114) / 1000
    return { width, height, luma }
  } catch {
    // Strangers' bytes: whatever the decoder cannot read is no image.
    return undefined
  }
}

/** The brightness of a JPEG or PNG; undefined for what cannot be decoded within the limits of size and memory. */
export const decodeLuma = async (bytes: Buffer): Promise<Luma | undefined> => {
  if (bytes.length < 16) return undefined
  return bytes[0] === 0xff ? decodeJpeg(bytes) : decodePng(bytes, maxPixels)
}
