import { blankEntry, type Entry } from './entry.ts'
import { type FoundUrl, foundUrl } from './found-url.ts'
import { type MapType, openMapReader } from './map-reader.ts'
import { textIn } from './unpack.ts'

/** A fetched file, where it was found, and how many of its addresses are wanted in full. */
export type MapTask = { bytes: Uint8Array; url: string; most: number }

/** What was read of it: `found` addresses in all, the first `most` of them in full; `children` are the maps of an index. */
export type MapRead = {
  type: MapType
  urls: FoundUrl[]
  found: number
  children: string[]
  /** It is longer than what is read, or breaks off. */
  cut: boolean
}

/** This module, for the worker that large files are read in. */
export const here = import.meta.url

/** Addresses that one sitemap may have (sitemaps.org). */
const mostEntries = 50_000

const isHttp = /^https?:\/\/\S+$/i

/** What takes the text of a file piece by piece, until it has enough. */
type Sink = { write(text: string): void; end(): void; stop(): void; stopped(): boolean }

/** A sitemap of plain text: an address a line. */
const openLines = (take: (entry: Entry) => void): Sink => {
  let rest = ''
  let stopped = false
  const read = (line: string) => {
    const loc = line.trim()
    if (!stopped && isHttp.test(loc)) take({ ...blankEntry(), loc })
  }
  return {
    write(text) {
      const lines = (rest + text).split(/\r\n|\r|\n/)
      rest = (lines.pop() ?? '').slice(-4096)
      for (const line of lines) read(line)
    },
    end: () => read(rest),
    stop: () => {
      stopped = true
    },
    stopped: () => stopped,
  }
}

/** Reads a sitemap of any kind: XML, an index, RSS or Atom, lines of text, each packed or not. Never throws. */
export const readMap = async ({ bytes, url, most }: MapTask): Promise<MapRead> => {
  const read: MapRead = { type: 'other', urls: [], found: 0, children: [], cut: false }
  let sink: Sink | undefined

  const take = (entry: Entry) => {
    const isChild = read.type === 'index'
    const found = isChild || read.urls.length < most ? foundUrl(entry, url) : undefined
    if (!found && (isChild || read.urls.length < most)) return
    if (read.found === mostEntries) {
      read.cut = true
      return sink?.stop()
    }
    read.found++
    if (isChild && found) read.children.push(found.loc)
    else if (found) read.urls.push(found)
  }
  const setType = (type: MapType) => {
    read.type = type
    if (type === 'html' || type === 'other') sink?.stop()
  }
  const open = (start: string): Sink => {
    if (start.startsWith('<')) return openMapReader({ type: setType, entry: take })
    read.type = 'text'
    return openLines(take)
  }

  try {
    for await (const piece of textIn(bytes)) {
      const start = piece.trimStart()
      if (!sink && start !== '') sink = open(start)
      sink?.write(piece)
      if (sink?.stopped()) break
    }
  } catch {
    read.cut = true
  }
  sink?.end()
  if (read.type === 'text' && read.found === 0) read.type = 'other'
  return read
}
