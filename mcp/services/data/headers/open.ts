import { ToolError } from '../../../kernel/error.ts'
import type { Extractor } from '../../../lib/page/extractor.ts'
import type { Fetched } from '../../../ports/fetch/port.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Note } from '../meta.ts'
import { extract } from '../page/fetch-page.ts'

/** An answer of any media type; `page` is null where it is no HTML, or could not be read. */
export type OpenedPage<Result> = {
  fetched: Fetched
  page: Result | null
  warnings: Note[]
  truncated: boolean
}

type Wishes<Options> = {
  signal: AbortSignal
  options: Options
  maxBytes: number
  mostNodes: number
  maxRedirects?: number
  /** Ask the site itself, for what is said of its headers. */
  fresh?: boolean
}

const html = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i

const isMarkup = ({ headers, body }: Fetched): boolean => {
  const type = headers['content-type'] ?? ''
  return type === ''
    ? /^\s*<(?:!doctype|html|head|body|title)/i.test(body.toString('latin1', 0, 200))
    : html.test(type)
}

const aboutStatus = ({ status, headers }: Fetched): Note[] => {
  if (headers['cf-mitigated'])
    return [{ code: 'bot_wall', message: 'The site answered with a check for robots instead of the page.' }]
  if (status < 400) return []
  return [{ code: 'http_error', message: `It answered with status ${status}; this is about that answer.` }]
}

const pageCutNote = (limit: string): Note => ({
  code: 'page_cut',
  message: `Reading stopped at the limit of ${limit}.`,
})

/** Reads an answer with an extractor where it is HTML. What is too heavy to read is left out with a warning. */
export const readHtmlPage = async <Options, Result>(
  workers: Ports['workers'],
  fetched: Fetched,
  extractor: Extractor<Options, Result>,
  { options, mostNodes }: Pick<Wishes<Options>, 'options' | 'mostNodes'>,
): Promise<Omit<OpenedPage<Result>, 'fetched'>> => {
  const warnings = aboutStatus(fetched)
  if (!isMarkup(fetched)) return { page: null, warnings, truncated: false }
  const { url, status, headers } = fetched
  const task = { markup: fetched.text().text, page: { url, status, headers }, mostNodes, options }
  try {
    const { result, cut: limit } = await extract(workers, extractor, task)
    const limitReached = limit ?? (fetched.truncated ? 'bytes' : null)
    return {
      page: result,
      warnings: limitReached ? [...warnings, pageCutNote(limitReached)] : warnings,
      truncated: limitReached !== null,
    }
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'upstream') throw error
    const unread = { code: 'page_unread', message: 'The page could not be read in time; its headers were.' }
    return { page: null, warnings: [...warnings, unread], truncated: true }
  }
}

/** Fetches an address of any media type and reads it where it is HTML. Throws what the fetch port throws. */
export const open = async <Options, Result>(
  { fetch, workers }: Pick<Ports, 'fetch' | 'workers'>,
  url: string,
  extractor: Extractor<Options, Result>,
  { options, mostNodes, ...limits }: Wishes<Options>,
): Promise<OpenedPage<Result>> => {
  const fetched = await fetch(url, { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.5', ...limits })
  return { fetched, ...(await readHtmlPage(workers, fetched, extractor, { options, mostNodes })) }
}
