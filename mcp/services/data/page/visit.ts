import type { Fetch, Fetched } from '../../../ports/index.ts'
import type { Note } from '../meta.ts'
import { type Page, parsePage } from './parse-page.ts'

export type Visited = { fetched: Fetched; charset: string; page: Page; warnings: Note[]; truncated: boolean }

const markup = /^\s*(?:$|text\/html\b|application\/xhtml\+xml\b)/i

const aboutStatus = ({ status, headers }: Fetched): Note[] => {
  if (headers['cf-mitigated'])
    return [{ code: 'bot_wall', message: 'The site answered with a check for robots instead of the page.' }]
  if (status < 400) return []
  return [
    { code: 'http_error', message: `The page answered with status ${status}; this is about that page.` },
  ]
}

const aboutCuts = ({ truncated }: Fetched, { cut }: Page): Note[] => [
  ...(truncated ? [{ code: 'body_cut', message: 'The page is longer than what was read.' }] : []),
  ...(cut ? [{ code: 'page_cut', message: `Reading stopped at the limit of ${cut} in the page.` }] : []),
]

/**
 * Fetches a page of HTML and reads it. Throws `invalid_input` on `url` for an address that is not visited, and `upstream` when
 * the site fails or answers with something else than HTML. A page with an error status is a page.
 */
export const visit = async (
  fetch: Fetch,
  url: string,
  { maxBytes, mostNodes, signal }: { maxBytes: number; mostNodes?: number; signal: AbortSignal },
): Promise<Visited> => {
  const fetched = await fetch(url, {
    accept: 'text/html,application/xhtml+xml;q=0.9',
    types: markup,
    maxBytes,
    signal,
  })
  const { text, charset } = fetched.text()
  const page = await parsePage(text, mostNodes)
  return {
    fetched,
    charset,
    page,
    warnings: [...aboutStatus(fetched), ...aboutCuts(fetched, page)],
    truncated: fetched.truncated || page.cut !== null,
  }
}
