import { promisify } from 'node:util'
import { brotliCompress, constants, crc32, deflateRaw } from 'node:zlib'

/** A text that is compressed once, to be sent with another short end each time. */
export type CompressedHead = {
  /** The whole text, gzip. The tail, at most 65,535 bytes, is stored as it is (RFC 1951 §3.2.4). */
  gzip(tail: Buffer): Promise<Buffer>
  /** The whole text, Brotli. The tail, 1 to 65,536 bytes, is stored as it is (RFC 7932 §9.2). */
  br(tail: Buffer): Promise<Buffer>
}

/** Bytes that an end may have in both encodings. */
export const maxTail = 65_535

const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3])

const storedBlock = (tail: Buffer): Buffer => {
  const head = Buffer.from([1, 0, 0, 0, 0])
  head.writeUInt16LE(tail.length, 1)
  head.writeUInt16LE(~tail.length & 0xffff, 3)
  return Buffer.concat([head, tail])
}

/** An uncompressed meta-block of four length nibbles, which fills its last byte, and the empty one that is the last. */
const storedMetaBlock = (tail: Buffer): Buffer => {
  const head = Buffer.alloc(3)
  head.writeUIntLE(((tail.length - 1) << 3) | (1 << 19), 0, 3)
  return Buffer.concat([head, tail, Buffer.from([3])])
}

/** Compresses a text, each encoding when it is first asked for. Both compressors are flushed, so that its last byte is full. */
export const compressHead = (head: Buffer): CompressedHead => {
  const headSum = crc32(head)
  let deflated: Promise<Buffer> | undefined
  let brotli: Promise<Buffer> | undefined
  return {
    async gzip(tail) {
      deflated ??= promisify(deflateRaw)(head, { level: 9, finishFlush: constants.Z_SYNC_FLUSH })
      const end = Buffer.alloc(8)
      end.writeUInt32LE(crc32(tail, headSum), 0)
      end.writeUInt32LE((head.length + tail.length) >>> 0, 4)
      return Buffer.concat([gzipHeader, await deflated, storedBlock(tail), end])
    },
    async br(tail) {
      brotli ??= promisify(brotliCompress)(head, {
        // Quality 5 is smaller than gzip 9 and takes milliseconds; 11 takes a second for the registry.
        params: { [constants.BROTLI_PARAM_QUALITY]: 5 },
        finishFlush: constants.BROTLI_OPERATION_FLUSH,
      })
      return Buffer.concat([await brotli, storedMetaBlock(tail)])
    },
  }
}
