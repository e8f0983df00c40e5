import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

/** Bytes of a sitemap that are read once it is unpacked, as the protocol has it. */
const maxBytes = 50 * 1024 * 1024

export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

/** The bytes of a file in pieces, unpacked when they are gzip whatever the file is called. Throws when they break off. */
async function* unpack(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (!isGzip(bytes)) {
    yield bytes
    return
  }
  const compressed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const decompressed = Readable.from([compressed]).pipe(createGunzip({ chunkSize: 256 * 1024 }))
  let room = maxBytes
  for await (const piece of decompressed as AsyncIterable<Buffer>) {
    yield piece
    room -= piece.length
    if (room <= 0) return
  }
}

const detectCharset = (head: Uint8Array): string => {
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 200)).toString('latin1')
  return /^[^<]{0,5}<\?xml\s[^>]{0,100}?encoding\s*=\s*["']([\w-]{1,40})["']/i.exec(text)?.[1] ?? 'utf-8'
}

const decoderFor = (head: Uint8Array) => {
  try {
    return new TextDecoder(detectCharset(head))
  } catch {
    return new TextDecoder()
  }
}

/** The text of a file in pieces: UTF-8, as sitemaps have to be, unless a mark or the XML declaration says otherwise. */
export async function* unpackText(bytes: Uint8Array): AsyncGenerator<string> {
  let decoder: ReturnType<typeof decoderFor> | undefined
  for await (const piece of unpack(bytes)) {
    decoder ??= decoderFor(piece)
    yield decoder.decode(piece, { stream: true })
  }
  if (decoder) yield decoder.decode()
}
