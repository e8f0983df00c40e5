import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

/** The lines of a stream of text. One that is longer than `maxBytes` comes as `undefined`, and is not kept. */
export async function* readLines(input: Readable, maxBytes: number): AsyncGenerator<string | undefined> {
  const decoder = new StringDecoder('utf8')
  let parts: string[] = []
  let length = 0
  for await (const chunk of input) {
    const pieces = decoder.write(chunk as Buffer).split('\n')
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) {
        yield length > maxBytes ? undefined : parts.join('')
        parts = []
        length = 0
      }
      length += piece.length
      if (length <= maxBytes) parts.push(piece)
      else parts = []
    }
  }
  if (length > maxBytes) yield undefined
  else if (length > 0) yield parts.join('')
}
