import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { tooLarge } from './remote-failure.ts'

/** One event of a server-sent stream. */
export type ServerEvent = { data: string; id?: string | undefined }

const openParser = () => {
  let data: string[] = []
  let id: string | undefined
  return (line: string): ServerEvent | undefined => {
    if (line === '') {
      const event = data.length > 0 || id !== undefined ? { data: data.join('\n'), id } : undefined
      data = []
      id = undefined
      return event
    }
    const cut = line.indexOf(':')
    const name = cut < 0 ? line : line.slice(0, cut)
    const value = cut < 0 ? '' : line.slice(cut + 1).replace(/^ /, '')
    if (name === 'data') data.push(value)
    else if (name === 'id' && !value.includes('\0')) id = value
    return undefined
  }
}

/**
 * The events of a stream (WHATWG HTML, "Server-sent events"), in any of its three line ends. Throws RemoteFailure when one event has more
 * than `maxBytes`.
 */
export async function* readEvents(input: Readable, maxBytes: number): AsyncGenerator<ServerEvent> {
  const decoder = new StringDecoder('utf8')
  const parse = openParser()
  let rest: string[] = []
  let length = 0
  let endsInReturn = false
  // Who has read enough may let the rest drain, so that the connection can be used again.
  for await (const chunk of input.iterator({ destroyOnReturn: false })) {
    let text = decoder.write(chunk as Buffer)
    if (text === '') continue
    // A return at the end of one chunk and a line feed at the start of the next are one line end.
    if (endsInReturn && text.startsWith('\n')) text = text.slice(1)
    endsInReturn = text.endsWith('\r')
    const pieces = text.split(/\r\n|\r|\n/)
    for (const [index, piece] of pieces.entries()) {
      length += piece.length
      if (length > maxBytes) throw tooLarge(maxBytes)
      rest.push(piece)
      if (index === pieces.length - 1) continue
      const line = rest.join('')
      rest = []
      if (line === '') length = 0
      const event = parse(line)
      if (event) yield event
    }
  }
}
