import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { upstream } from './failure.ts'

const maxEncodings = 2

/** Bytes per piece: each piece is a trip to another thread. */
const options = { chunkSize: 64 * 1024 }

/** Servers send both zlib and raw deflate under the name `deflate`; the first byte tells. */
const inflate = (firstByte: number) =>
  (firstByte & 0x0f) === 8 ? createInflate(options) : createInflateRaw(options)

const decoders: Readonly<Record<string, (firstByte: number) => Transform>> = {
  gzip: () => createGunzip(options),
  'x-gzip': () => createGunzip(options),
  deflate: inflate,
  br: () => createBrotliDecompress(options),
}

/** The encodings of a body, outermost first. Throws `upstream` for unknown ones and for more than two (bombs are stacked). */
export const readEncodings = (host: string, contentEncoding: string): string[] => {
  const names = contentEncoding
    .toLowerCase()
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '' && name !== 'identity')
  if (names.length > maxEncodings)
    throw upstream(host, 'sent a body with more than two content encodings', false)
  if (!names.every(name => Object.hasOwn(decoders, name))) {
    throw upstream(host, 'sent a body in a content encoding that was not asked for', false)
  }
  return names.reverse()
}

/** Streams that undo the encodings one after the other. `firstByte` is the first byte of the outermost. */
export const openDecoders = (encodings: readonly string[], firstByte: number): Transform[] =>
  encodings.flatMap((name, i) => decoders[name]?.(i === 0 ? firstByte : 0x78) ?? [])
