import type { Fetched, Ports } from '../../../ports/index.ts'
import type { Note } from '../meta.ts'
import type { Extractor } from './extractor.ts'
import { type PageRead, type PageTask, readPage } from './job.ts'

/** A page that was fetched and read. `body` and `text()` of `fetched` are still there. */
export type Visited<Result> = {
  fetched: Fetched
  charset: string
  charsetSource: string
  result: Result
  warnings: Note[]
  truncated: boolean
}

type Wishes<Options> = {
  signal: AbortSignal
  options: Options
  /** Bytes that are read of the page. Default: what the fetch port gives, 5 MiB. */
  maxBytes?: number
  mostNodes?: number
}

const markupTypes = /^\s*(?:$|text\/html\b|application\/xhtml\+xml\b)/i

/** Markup from this size on is read in a worker, so that no page stalls the server. */
const workerFrom = 64 * 1024

const aboutStatus = ({ status, headers }: Fetched): Note[] => {
  if (headers['cf-mitigated'])
    return [{ code: 'bot_wall', message: 'The site answered with a check for robots instead of the page.' }]
  if (status < 400) return []
  return [
    { code: 'http_error', message: `The page answered with status ${status}; this is about that page.` },
  ]
}

const aboutCuts = ({ truncated }: Fetched, cut: string | null): Note[] => [
  ...(truncated ? [{ code: 'body_cut', message: 'The page is longer than what was read.' }] : []),
  ...(cut ? [{ code: 'page_cut', message: `Reading stopped at the limit of ${cut} in the page.` }] : []),
]

const folder = new URL('../', import.meta.url).href

/** A module of this service as a worker finds it, which runs compiled code. */
const inHere = (module: string): string => module.slice(folder.length).replace(/\.ts$/, '.js')

/** Reads markup with an extractor: here when it is small and the work light, else in a worker. */
export const extract = async <Options, Result>(
  workers: Ports['workers'],
  extractor: Extractor<Options, Result>,
  task: Omit<PageTask, 'extractor'>,
): Promise<PageRead<Result>> => {
  const { module, name, heavy } = extractor
  const whole: PageTask = { ...task, extractor: { module: inHere(module), name } }
  if (!heavy && task.markup.length < workerFrom) return readPage(extractor, whole)
  return workers.run(new URL('./job.ts', import.meta.url).href, 'readInWorker', whole)
}

/**
 * Fetches a page of HTML and reads it with an extractor. Throws `invalid_input` on `url` for an address that is not visited,
 * and `upstream` when the site fails, answers with something else than HTML, or with a page that cannot be read in time. A
 * page with an error status is a page.
 */
export const visit = async <Options, Result>(
  { fetch, workers }: Pick<Ports, 'fetch' | 'workers'>,
  url: string,
  extractor: Extractor<Options, Result>,
  { signal, options, maxBytes, mostNodes }: Wishes<Options>,
): Promise<Visited<Result>> => {
  const fetched = await fetch(url, {
    accept: 'text/html,application/xhtml+xml;q=0.9',
    types: markupTypes,
    signal,
    ...(maxBytes !== undefined && { maxBytes }),
  })
  const { text, charset, charsetSource } = fetched.text()
  const { url: finalUrl, status, headers } = fetched
  const page = { url: finalUrl, status, headers }
  const { result, cut } = await extract(workers, extractor, { markup: text, page, mostNodes, options })
  return {
    fetched,
    charset,
    charsetSource,
    result,
    warnings: [...aboutStatus(fetched), ...aboutCuts(fetched, cut)],
    truncated: fetched.truncated || cut !== null,
  }
}
