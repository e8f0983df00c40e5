import { ToolError } from '../../../kernel/error.ts'
import { asList, asRecord, parseJson } from '../../../lib/json.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Workers } from '../../../ports/workers/port.ts'
import { module } from './page-text.ts'
import { withoutSteering } from './steering.ts'

/** A page that was read, as strangers wrote it; `id` is what a model names it by. */
export type Document = { id: string; title: string; url: string; text: string }

/** Source that could not be read, or was not read on, and why. */
export type RetrievalFailure = { url: string; reason: string; steers?: true }

export type Material = { documents: Document[]; failures: RetrievalFailure[] }

type Page = Omit<Document, 'id'>

const maxTextLength = 6000
const maxBytes = 2 << 20
const deadlineMs = 12_000
const readable = /^(text\/(html|plain|markdown)|application\/(json|xhtml\+xml))\b/

type Deps = { fetch: Ports['fetch']; workers: Workers; signal: AbortSignal }

const clean = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** A page as text, or why there is none: a source that is away is no reason to give up. */
const readPage = async (
  url: string,
  namedBy: 'caller' | 'page',
  { fetch, workers, signal }: Deps,
): Promise<Page | RetrievalFailure> => {
  try {
    const answer = await fetch(url, { types: readable, maxBytes, deadlineMs, namedBy, signal })
    if (answer.status !== 200) return { url, reason: `it answers with status ${answer.status}` }
    const markup = answer.text().text
    const isPage = /html/.test(answer.headers['content-type'] ?? '')
    const { title, text } = isPage
      ? await workers.run<{ title: string | null; text: string }>(module, 'readPageText', {
          markup,
          url: answer.url,
        })
      : { title: null, text: markup }
    const words = clean(text).slice(0, maxTextLength)
    if (words === '') return { url, reason: 'it holds no text' }
    return toPage({ title: clean(title ?? '').slice(0, 200) || url, url, text: words })
  } catch (error) {
    if (signal.aborted) throw error
    return { url, reason: error instanceof ToolError ? error.message : 'it cannot be read' }
  }
}

const toPage = (page: Page): Page | RetrievalFailure => {
  const read = withoutSteering(page.text)
  if ('reason' in read) return { url: page.url, reason: read.reason, steers: true }
  const hasPlainTitle = 'text' in withoutSteering(page.title, read.text)
  return { ...page, title: hasPlainTitle ? page.title : page.url, text: read.text }
}

type Hit = { title: string; url: string; snippet: string }

const toHit = (value: unknown): Hit[] => {
  const { title, url, content, snippet } = asRecord(value)
  if (typeof url !== 'string' || !URL.canParse(url) || !/^https?:/.test(url)) return []
  return [
    {
      title: clean(String(title ?? '')).slice(0, 200) || url,
      url: new URL(url).href,
      snippet: clean(String(content ?? snippet ?? '')).slice(0, 500),
    },
  ]
}

/** Results of the operator's search: an address with `{query}` that answers `{ results: [{ title, url, content }] }`. */
const search = async (
  address: string,
  query: string,
  { fetch, signal }: Deps,
): Promise<Hit[] | RetrievalFailure> => {
  const { host } = new URL(address)
  try {
    const answer = await fetch(address.replaceAll('{query}', encodeURIComponent(query)), {
      accept: 'application/json',
      maxBytes,
      deadlineMs,
      namedBy: 'operator',
      signal,
    })
    if (answer.status !== 200) return { url: host, reason: `the search answers with status ${answer.status}` }
    return asList(asRecord(parseJson(answer.text().text)).results).flatMap(toHit)
  } catch (error) {
    if (signal.aborted) throw error
    return { url: host, reason: 'the search does not answer' }
  }
}

/** Sources that were read. Throws `upstream` where there are none, since what is sold rests on them. */
export const requireDocuments = (material: Material, what: string): Material => {
  if (material.documents.length > 0) return material
  throw new ToolError('upstream', `No source could be read, and ${what} rests on sources.`, {
    reason: 'no_sources',
    retryable: true,
    params: { failed_sources: material.failures.slice(0, 10) },
    hint: 'Nothing was charged. Name sources, or try again later.',
  })
}

const isFailure = (value: Page | RetrievalFailure): value is RetrievalFailure => 'reason' in value

/** Results that are looked at to find the pages of a plan: what steers or is away makes room for the next. */
const maxCandidates = 40

type Wanted = {
  queries: readonly string[]
  sources: readonly string[]
  pages: number
  searchUrl: string | undefined
}

/** Reads what the caller names and what a search finds; each address once, the caller's first. */
export const retrieve = async (
  { queries, sources, pages, searchUrl }: Wanted,
  deps: Deps,
): Promise<Material> => {
  const found =
    searchUrl === undefined ? [] : await Promise.all(queries.map(query => search(searchUrl, query, deps)))
  const failures: RetrievalFailure[] = found.flatMap(result => (Array.isArray(result) ? [] : [result]))
  const hits = found.flatMap(result => (Array.isArray(result) ? result : []))
  const named = new Set(sources)
  const candidates = [...new Map(hits.map(hit => [hit.url, hit])).values()]
    .filter(({ url }) => !named.has(url))
    .slice(0, maxCandidates)
  const own = await Promise.all([...named].map(url => readPage(url, 'caller', deps)))
  const listed: Page[] = []
  for (let at = 0; at < candidates.length && listed.length < pages; ) {
    const next = candidates.slice(at, at + pages - listed.length)
    at += next.length
    const read = await Promise.all(
      next.map(async ({ title, url, snippet }) => {
        const page = await readPage(url, 'page', deps)
        if (!isFailure(page) || snippet === '' || page.steers) return page
        return toPage({ title, url, text: snippet })
      }),
    )
    for (const page of read) {
      if (isFailure(page)) failures.push(page)
      else listed.push(page)
    }
  }
  const pagesRead = [...own.filter(page => !isFailure(page)), ...listed] as Page[]
  return {
    documents: pagesRead.map((page, n) => ({ id: `S${n + 1}`, ...page })),
    failures: [...own.filter(isFailure), ...failures],
  }
}
