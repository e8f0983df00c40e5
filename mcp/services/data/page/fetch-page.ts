import { ToolError } from '../../../kernel/error.ts'
import type { Extractor } from '../../../lib/page/extractor.ts'
import { compiledPath, type PageRead, type PageTask, pageWorker, readFrom } from '../../../lib/page/job.ts'
import { parsePage } from '../../../lib/page/parse-page.ts'
import type { Fetched } from '../../../ports/fetch/port.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Note } from '../meta.ts'

/** A page that was fetched and read. `body` and `text()` of `fetched` are still there. */
export type PageVisit<Result> = {
  fetched: Fetched
  charset: string
  charset_source: string
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
  /** True to take whatever the address holds. Default: only HTML. */
  anyType?: boolean
}

const markupTypes = /^\s*(?:$|text\/html\b|application\/xhtml\+xml\b)/i

/** Markup from this size on is read in a worker, so that no page stalls the server; so is less that makes more nodes. */
const here = { characters: 64 * 1024, nodes: 5000 }

const aboutStatus = ({ status, headers }: Fetched): Note[] => {
  if (headers['cf-mitigated'])
    return [{ code: 'bot_wall', message: 'The site answered with a check for robots instead of the page.' }]
  if (status < 400) return []
  return [
    { code: 'http_error', message: `The page answered with status ${status}; this is about that page.` },
  ]
}

const cutNotes = ({ truncated }: Fetched, reachedLimit: string | null): Note[] => [
  ...(truncated ? [{ code: 'body_cut', message: 'The page is longer than what was read.' }] : []),
  ...(reachedLimit
    ? [{ code: 'page_cut', message: `Reading stopped at the limit of ${reachedLimit} in the page.` }]
    : []),
]

/** A file that is no page is the fault of the address; a page that failed with one is that of the site. */
const toMediaError = (error: unknown): unknown =>
  error instanceof ToolError && error.extra.reason === 'other_media_type'
    ? new ToolError('unsupported_media', error.message, {
        hint: 'Give the address of a web page: only HTML is read here.',
        cause: error,
      })
    : error

/** A page that was fetched and is not read yet. */
export type FetchedPage = Pick<PageVisit<never>, 'fetched' | 'charset' | 'charset_source'> & {
  task: Omit<PageTask, 'extractor' | 'options'>
}

/** Fetches a page of HTML. Throws what `visit` throws for pages that cannot be had. */
export const openPage = async (
  { fetch, workers }: Pick<Ports, 'fetch' | 'workers'>,
  url: string,
  { signal, maxBytes, mostNodes, anyType = false }: Omit<Wishes<never>, 'options'>,
): Promise<FetchedPage> => {
  // A thread for pages starts while the first one is fetched.
  workers.warm(pageWorker)
  const fetched = await fetch(url, {
    accept: anyType
      ? 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.5'
      : 'text/html,application/xhtml+xml;q=0.9',
    ...(!anyType && { types: markupTypes }),
    signal,
    ...(maxBytes !== undefined && { maxBytes }),
  }).catch((error: unknown) => {
    throw toMediaError(error)
  })
  const { text, charset, charsetSource } = fetched.text()
  const { url: finalUrl, status, headers } = fetched
  const task = { markup: text, page: { url: finalUrl, status, headers }, mostNodes }
  return { fetched, charset, charset_source: charsetSource, task }
}

/** Reads markup with an extractor: here when it is small in size and nodes and the work light, else in a worker. */
export const extract = async <Options, Result>(
  workers: Ports['workers'],
  extractor: Extractor<Options, Result>,
  task: Omit<PageTask, 'extractor'>,
): Promise<PageRead<Result>> => {
  const { module, name, heavy, ms } = extractor
  const whole: PageTask = { ...task, extractor: { module: compiledPath(module), name } }
  if (!heavy && task.markup.length < here.characters) {
    const page = await parsePage(task.markup, Math.min(here.nodes, task.mostNodes ?? here.nodes))
    if (page.cut !== 'nodes') return readFrom(page, extractor, whole)
  }
  return workers.run(pageWorker, 'readInWorker', whole, ms)
}

/** Notes on a page that was fetched and read. */
export const notesOn = (
  fetched: Fetched,
  reachedLimit: string | null,
): Pick<PageVisit<never>, 'warnings' | 'truncated'> => ({
  warnings: [...aboutStatus(fetched), ...cutNotes(fetched, reachedLimit)],
  truncated: fetched.truncated || reachedLimit !== null,
})

/**
 * Fetches a page of HTML and reads it with an extractor. Throws `invalid_input` on `url` for an address that is not visited,
 * `unsupported_media` for a file that is no HTML, and `upstream` when the site fails or answers with a page that cannot be read
 * in time. A page with an error status is a page.
 */
export const visit = async <Options, Result>(
  ports: Pick<Ports, 'fetch' | 'workers'>,
  url: string,
  extractor: Extractor<Options, Result>,
  { options, ...wishes }: Wishes<Options>,
): Promise<PageVisit<Result>> => {
  const { task, ...openedPage } = await openPage(ports, url, wishes)
  const { result, cut: reachedLimit } = await extract(ports.workers, extractor, { ...task, options })
  return { ...openedPage, result, ...notesOn(openedPage.fetched, reachedLimit) }
}
