import { asList, asRecord, parseJson } from '../../../../lib/json.ts'
import type { Ports, Workers } from '../../../../ports/index.ts'
import { module } from './page-text.ts'

/** What was read for a question, as strangers wrote it. */
export type Document = { title: string; url: string; text: string }

const maxTextLength = 6000
const maxBytes = 2 << 20
const deadlineMs = 12_000
const readable = /^(text\/(html|plain|markdown)|application\/(json|xhtml\+xml))\b/

type Deps = { fetch: Ports['fetch']; workers: Workers; signal: AbortSignal }

const clean = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** A page as text; undefined where it cannot be read: a source that is away is no reason to give up. */
const readPage = async (
  url: string,
  namedBy: 'caller' | 'page',
  { fetch, workers, signal }: Deps,
): Promise<Document | undefined> => {
  try {
    const answer = await fetch(url, { types: readable, maxBytes, deadlineMs, namedBy, signal })
    if (answer.status !== 200) return undefined
    const markup = answer.text().text
    const isPage = /html/.test(answer.headers['content-type'] ?? '')
    const { title, text } = isPage
      ? await workers.run<{ title: string | null; text: string }>(module, 'readPageText', {
          markup,
          url: answer.url,
        })
      : { title: null, text: markup }
    const words = clean(text).slice(0, maxTextLength)
    return words === '' ? undefined : { title: clean(title ?? '').slice(0, 200) || url, url, text: words }
  } catch (error) {
    if (signal.aborted) throw error
    return undefined
  }
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
const search = async (address: string, query: string, { fetch, signal }: Deps): Promise<Hit[]> => {
  try {
    const answer = await fetch(address.replaceAll('{query}', encodeURIComponent(query)), {
      accept: 'application/json',
      maxBytes,
      deadlineMs,
      namedBy: 'operator',
      signal,
    })
    if (answer.status !== 200) return []
    return asList(asRecord(parseJson(answer.text().text)).results).flatMap(toHit)
  } catch (error) {
    if (signal.aborted) throw error
    return []
  }
}

/** Reads what the caller names and what a search finds; each address once, the caller's first. */
export const retrieve = async (
  {
    query,
    sources,
    pages,
    searchUrl,
  }: {
    query: string
    sources: readonly string[]
    pages: number
    searchUrl: string | undefined
  },
  deps: Deps,
): Promise<Document[]> => {
  const hits = searchUrl === undefined ? [] : await search(searchUrl, query, deps)
  const named = new Set(sources)
  const chosen = [...new Map(hits.map(hit => [hit.url, hit])).values()]
    .filter(({ url }) => !named.has(url))
    .slice(0, pages)
  const [own, listed] = await Promise.all([
    Promise.all([...named].map(url => readPage(url, 'caller', deps))),
    Promise.all(
      chosen.map(async ({ title, url, snippet }) => {
        const page = await readPage(url, 'page', deps)
        return page ?? (snippet === '' ? undefined : { title, url, text: snippet })
      }),
    ),
  ])
  return [...own, ...listed].filter(document => document !== undefined)
}
