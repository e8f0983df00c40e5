import type { Readable, Transform } from 'node:stream'
import { ToolError } from '../../kernel/error.ts'
import { openDecoders } from './decoder.ts'
import { networkFailure, readCode, upstream } from './failure.ts'

export type BodyBytes = { body: Buffer; truncated: boolean }

/** Bytes taken from the network for one body, or as many as may be kept of it where that is more. */
const wireLimit = 5 * 1024 * 1024

/** True when a cause ends a body for good, whatever came before. */
const isFatal = (cause: unknown) => cause instanceof ToolError || readCode(cause) === 'UND_ERR_BODY_TIMEOUT'

/** Keeps the first `most` bytes; `take` is false for the chunk that does not fit. */
const openSink = (maxBytes: number) => {
  const chunks: Buffer[] = []
  let room = maxBytes
  return {
    take(chunk: Buffer): boolean {
      const fits = chunk.length <= room
      chunks.push(fits ? chunk : chunk.subarray(0, room))
      room = fits ? room - chunk.length : 0
      return fits
    },
    isEmpty: () => room === maxBytes,
    bytes: () => Buffer.concat(chunks),
  }
}

type Sink = {
  chunk(bytes: Buffer): void
  /** No byte follows, because there is none, because the limit is reached, or because the connection broke off. */
  end(cut: boolean): void
  fail(cause: unknown): void
}

/** Takes at most `most` bytes from the network. A connection that breaks off after some bytes ends them. */
const takeWire = (body: Readable, maxBytes: number, sink: Sink): void => {
  let bytes = 0
  let over = false
  const end = (cut: boolean) => {
    if (!over) sink.end(cut)
    over = true
  }
  const fail = (cause: unknown) => {
    if (bytes > 0 && !isFatal(cause)) return end(true)
    if (!over) sink.fail(cause)
    over = true
  }
  if (body.errored) fail(body.errored)
  body
    .on('data', (chunk: Buffer) => {
      if (over) return
      const room = maxBytes - bytes
      bytes += chunk.length
      sink.chunk(chunk.length > room ? chunk.subarray(0, room) : chunk)
      if (chunk.length > room) end(true)
    })
    .on('end', () => end(false))
    .on('error', fail)
    .on('close', () => fail(body.errored))
}

/**
 * Reads and decodes a body: at most 5 MiB from the network (`maxBytes` where that is more) and `maxBytes` decoded; what is
 * beyond is dropped and flagged. Throws `upstream` when nothing can be read, when it stalls, or when it is not in the
 * encoding it names.
 */
export const readResponseBody = (
  host: string,
  body: Readable,
  { encodings, maxBytes }: { encodings: readonly string[]; maxBytes: number },
): Promise<BodyBytes> =>
  new Promise((resolve, reject) => {
    const sink = openSink(maxBytes)
    let decoders: Transform[] = []
    let truncated = false
    let isDone = false

    const finish = (failure?: ToolError) => {
      if (isDone) return
      isDone = true
      for (const stream of [body, ...decoders]) stream.destroy()
      if (failure) reject(failure)
      else resolve({ body: sink.bytes(), truncated })
    }
    const keep = (chunk: Buffer) => {
      if (isDone || sink.take(chunk)) return
      truncated = true
      finish()
    }
    const undecodable = (cause: unknown) => {
      const nothing = sink.isEmpty() && !truncated
      truncated = true
      finish(
        nothing
          ? upstream(host, 'sent a body that is not in the content encoding it names', false, { cause })
          : undefined,
      )
    }
    const open = (firstByte: number) => {
      decoders = openDecoders(encodings, firstByte)
      for (const [nth, decoder] of decoders.entries()) {
        decoder.on('error', undecodable)
        decoders[nth - 1]?.pipe(decoder)
      }
      decoders[0]?.on('drain', () => body.resume())
      decoders.at(-1)?.on('data', keep).on('end', finish)
    }
    takeWire(body, Math.max(wireLimit, maxBytes), {
      chunk(bytes) {
        if (encodings.length === 0) return keep(bytes)
        if (decoders.length === 0) open(bytes[0] ?? 0)
        if (decoders[0]?.write(bytes) === false) body.pause()
      },
      end(cut) {
        truncated ||= cut
        if (decoders[0]) decoders[0].end()
        else finish()
      },
      fail: cause => finish(networkFailure(host, cause)),
    })
  })
