import { ToolError } from '../../../kernel/error.ts'
import type { Fetch, Fetched } from '../../../ports/fetch/port.ts'
import type { Note } from '../meta.ts'

/** How crawlers are to take what the server answered (RFC 9309 §2.3.1). */
export type RobotsPolicy = 'rules' | 'allow_all' | 'disallow_all'

export type RobotsFile = {
  /** Address that was asked, and the end of the last redirect. */
  robots_url: string
  final_url: string
  /** Null when no server answered. */
  status: number | null
  /** Null when nobody knows. */
  exists: boolean | null
  policy: RobotsPolicy
  body: Uint8Array
  notes: Note[]
  truncated: boolean
}

/** Bytes a crawler has to read at least; most read no more. */
const maxBytes = 500 * 1024

const ask = (fetch: Fetch, url: string, signal: AbortSignal) =>
  fetch(url, {
    accept: 'text/plain, */*;q=0.5',
    maxBytes: maxBytes,
    maxRedirects: 10,
    deadlineMs: 8000,
    signal,
  })

const isOutage = (error: unknown): error is ToolError =>
  error instanceof ToolError && error.code === 'upstream'

/** An address that is not visited is the fault of the domain that was given. */
const toDomainError = (error: unknown): unknown => {
  if (!(error instanceof ToolError) || error.code !== 'invalid_input') return error
  const issues = (error.extra.issues ?? []).map(issue => ({ ...issue, path: 'domain' }))
  return new ToolError('invalid_input', error.message, { ...error.extra, issues, cause: error })
}

const isHtml = (body: Buffer): boolean =>
  /^(?:\xef\xbb\xbf)?\s*<(?:!doctype|!--|\?xml|html|head|body|script)/i.test(
    body.subarray(0, 512).toString('latin1'),
  )

const isCalledHtml = ({ headers }: Fetched): boolean =>
  /^\s*(?:text\/html|application\/xhtml)/i.test(headers['content-type'] ?? '')

const note = (code: string, message: string): Note => ({ code, message })

/** Reads a final status as a policy and a warning. 5xx and 429 mean that nobody knows. */
const meaning = (status: number, redirects: number): [RobotsPolicy, Note?] => {
  if (redirects > 5)
    return ['allow_all', note('too_many_redirects', 'Crawlers follow five redirects; here are more.')]
  if (status >= 200 && status < 300) return ['rules']
  if (status === 429 || status >= 500)
    return [
      'disallow_all',
      note(
        'robots_unavailable',
        `The server answered ${status}: the rules are unknown, and crawlers stay away until they can read them.`,
      ),
    ]
  return [
    'allow_all',
    note('no_robots', `The server answered ${status}: there are no rules, all is allowed.`),
  ]
}

const toRobotsFile = (robotsUrl: string, fetched: Fetched, before: Note[]): RobotsFile => {
  const { url: finalUrl, status, hops, truncated } = fetched
  const [policy, about] = meaning(status, hops.length - 1)
  const notes = [...before, ...(about ? [about] : [])]
  const shared = { robots_url: robotsUrl, final_url: finalUrl, status, policy, notes }
  if (policy !== 'rules')
    return {
      ...shared,
      exists: policy === 'allow_all' ? false : null,
      body: Buffer.alloc(0),
      truncated: false,
    }
  const html = isHtml(fetched.body)
  if (html) notes.push(note('html', 'The server answered with a page of HTML, which is no robots.txt.'))
  if (!html && isCalledHtml(fetched))
    notes.push(note('wrong_type', 'The file is sent as HTML instead of text/plain.'))
  if (truncated) notes.push(note('too_long', 'Crawlers read the first 500 KiB; what is beyond was not read.'))
  return { ...shared, exists: !html, body: fetched.body, truncated }
}

const unreachable = (robotsUrl: string, cause: ToolError): RobotsFile => ({
  robots_url: robotsUrl,
  final_url: robotsUrl,
  status: null,
  exists: null,
  policy: 'disallow_all',
  body: Buffer.alloc(0),
  notes: [note('robots_unreachable', `${cause.message} The rules are unknown, and crawlers stay away.`)],
  truncated: false,
})

/**
 * Fetches the robots.txt of a host, over http when there is no connection over https. Throws `upstream` when neither is a
 * server that can ever answer; one that is silent or overloaded gives a file without rules and the policy of that.
 */
export const fetchRobots = async (fetch: Fetch, host: string, signal: AbortSignal): Promise<RobotsFile> => {
  const secure = `https://${host}/robots.txt`
  const plain = `http://${host}/robots.txt`
  try {
    return toRobotsFile(secure, await ask(fetch, secure, signal), [])
  } catch (first) {
    if (!isOutage(first)) throw toDomainError(first)
    try {
      const fetched = await ask(fetch, plain, signal)
      return toRobotsFile(plain, fetched, [
        note('no_https', `${first.message} The file was fetched over http.`),
      ])
    } catch (second) {
      if (!isOutage(second)) throw second
      if (!first.toProblem().retryable && !second.toProblem().retryable) throw first
      return unreachable(secure, first)
    }
  }
}
