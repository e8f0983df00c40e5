import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ToolError } from '../../error.ts'
import { openDecoders } from './decoder.ts'
import { codeOf, networkFailure, upstream } from './failure.ts'

export type Kept = { body: Buffer; truncated: boolean }

/** Bytes taken from the network for one body, decoded or not. */
const wireLimit = 5 * 1024 * 1024

type Wire = { bytes: number; cut: boolean; failure?: unknown }

const isFatal = (cause: unknown) => cause instanceof ToolError || codeOf(cause) === 'UND_ERR_BODY_TIMEOUT'

/** The bytes of the network up to the limit. A connection that breaks off after some bytes ends them, flagged. */
async function* readWire(body: Readable, wire: Wire): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body) {
      const room = wireLimit - wire.bytes
      wire.bytes += chunk.length
      wire.cut = chunk.length > room
      yield wire.cut ? chunk.subarray(0, room) : chunk
      if (wire.cut) return
    }
  } catch (cause) {
    if (wire.bytes > 0 && !isFatal(cause)) {
      wire.cut = true
      return
    }
    wire.failure = cause
    throw cause
  }
}

async function* prepend(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first
  yield* rest
}

/** Keeps the first `most` bytes and fails at the next one, which stops everything before it. */
const openSink = (most: number) => {
  const chunks: Buffer[] = []
  const kept = { size: 0, full: false }
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      const room = most - kept.size
      kept.full = chunk.length > room
      chunks.push(kept.full ? chunk.subarray(0, room) : chunk)
      kept.size += Math.min(room, chunk.length)
      done(kept.full ? new Error('The sink is full.') : null)
    },
  })
  return { kept, stream, bytes: () => Buffer.concat(chunks) }
}

/**
 * Reads and decodes a body: at most 5 MiB from the network and `maxBytes` decoded; what is beyond is dropped and flagged.
 * Throws `upstream` when nothing can be read, when it stalls, or when it is not in the encoding it names.
 */
export const readBody = async (
  host: string,
  body: Readable,
  { encodings, maxBytes }: { encodings: readonly string[]; maxBytes: number },
): Promise<Kept> => {
  const wire: Wire = { bytes: 0, cut: false }
  const chunks = readWire(body, wire)
  const sink = openSink(maxBytes)
  try {
    const first = await chunks.next()
    if (first.done) return { body: Buffer.alloc(0), truncated: wire.cut }
    const decoders = openDecoders(encodings, first.value[0] ?? 0)
    await pipeline([Readable.from(prepend(first.value, chunks)), ...decoders, sink.stream])
  } catch (cause) {
    if (wire.failure) throw networkFailure(host, wire.failure)
    if (sink.kept.size === 0 && !sink.kept.full && !wire.cut) {
      throw upstream(host, 'sent a body that is not in the content encoding it names', false, cause)
    }
    wire.cut = true
  } finally {
    body.destroy()
  }
  return { body: sink.bytes(), truncated: wire.cut }
}
