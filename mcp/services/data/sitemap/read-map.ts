import { blankEntry, type SitemapEntry } from './entry.ts'
import { foundUrl, type SitemapUrl } from './entry-url.ts'
import { type MapType, openMapReader } from './map-reader.ts'
import { unpackText } from './unpack.ts'

/** A fetched file, where it was found, and how many of its addresses are wanted in full. */
export type MapTask = { bytes: Uint8Array; url: string; most: number }

/** Result of the read: `found` addresses in all, the first `most` of them in full; `children` are the maps of an index. */
export type MapRead = {
  type: MapType
  urls: SitemapUrl[]
  found: number
  children: string[]
  /** It is longer than what is read, or breaks off. */
  cut: boolean
}

/** This module, for the worker that large files are read in. */
export const here = import.meta.url

/** Addresses that one sitemap may have (sitemaps.org). */
const maxEntries = 50_000

const isHttp = /^https?:\/\/\S+$/i

/** Sink for the text of a file, piece by piece, until it has enough. */
type Sink = { write(text: string): void; end(): void; stop(): void; stopped(): boolean }

/** A sitemap of plain text: an address a line. */
const openLines = (take: (entry: SitemapEntry) => void): Sink => {
  let rest = ''
  let stopped = false
  const readLine = (line: string) => {
    const loc = line.trim()
    if (!stopped && isHttp.test(loc)) take({ ...blankEntry(), loc })
  }
  return {
    write(text) {
      const lines = (rest + text).split(/\r\n|\r|\n/)
      rest = (lines.pop() ?? '').slice(-4096)
      for (const line of lines) readLine(line)
    },
    end: () => readLine(rest),
    stop: () => {
      stopped = true
    },
    stopped: () => stopped,
  }
}

/** Reads a sitemap of any kind: XML, an index, RSS or Atom, lines of text, each packed or not. Never throws. */
export const readMap = async ({ bytes, url, most }: MapTask): Promise<MapRead> => {
  const result: MapRead = { type: 'other', urls: [], found: 0, children: [], cut: false }
  let sink: Sink | undefined

  const take = (entry: SitemapEntry) => {
    const isChild = result.type === 'index'
    const entryUrl = isChild || result.urls.length < most ? foundUrl(entry, url) : undefined
    if (!entryUrl && (isChild || result.urls.length < most)) return
    if (result.found === maxEntries) {
      result.cut = true
      return sink?.stop()
    }
    result.found++
    if (isChild && entryUrl) result.children.push(entryUrl.loc)
    else if (entryUrl) result.urls.push(entryUrl)
  }
  const setType = (type: MapType) => {
    result.type = type
    if (type === 'html' || type === 'other') sink?.stop()
  }
  const open = (start: string): Sink => {
    if (start.startsWith('<')) return openMapReader({ type: setType, entry: take })
    result.type = 'text'
    return openLines(take)
  }

  try {
    for await (const piece of unpackText(bytes)) {
      const start = piece.trimStart()
      if (!sink && start !== '') sink = open(start)
      sink?.write(piece)
      if (sink?.stopped()) break
    }
  } catch {
    result.cut = true
  }
  sink?.end()
  if (result.type === 'text' && result.found === 0) result.type = 'other'
  return result
}
