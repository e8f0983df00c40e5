import { ToolError } from '../../kernel/error.ts'

/** The first line of a problem of Playwright's, without its call log. */
export const firstLine = (problem: unknown): string =>
  (problem instanceof Error ? problem.message : String(problem)).split('\n')[0]?.slice(0, 300) ?? ''

/** Errors of Chromium's network (net_error_list.h) and of Playwright, in words. */
const explanations: readonly [RegExp, string, string][] = [
  [/ERR_TOO_MANY_REDIRECTS/, 'too_many_redirects', 'The page redirects more than 20 times.'],
  [/Download is starting/, 'download', 'The address is a download and no page.'],
  [/ERR_INVALID_AUTH_CREDENTIALS|ERR_UNSUPPORTED_AUTH/, 'needs_password', 'The page asks for a password.'],
  [/ERR_CERT_|ERR_SSL_/, 'bad_certificate', 'The certificate of the site is not good for it.'],
  [/ERR_(?:EMPTY_RESPONSE|CONNECTION_|TUNNEL_|SOCKET_)/, 'no_answer', 'The site does not answer.'],
  [
    /ERR_(?:INVALID_RESPONSE|INVALID_HTTP|RESPONSE_HEADERS)/,
    'bad_answer',
    'The site answers with something that is no HTTP.',
  ],
  [/Timeout [\d.]+ms exceeded/, 'page_timeout', 'The page does not load in its time.'],
]

/** Why a page cannot be shown: `upstream`, with a reason that programs can tell apart. */
export const explainLoad = (problem: unknown): ToolError => {
  const line = firstLine(problem)
  const [, reason, words] = explanations.find(([pattern]) => pattern.test(line)) ?? [
    undefined,
    'not_shown',
    undefined,
  ]
  return new ToolError('upstream', words ?? `The page does not load: ${line}`, {
    reason,
    retryable: reason === 'no_answer' || reason === 'page_timeout',
    cause: problem,
  })
}

export const pageCrashError = () =>
  new ToolError('upstream', 'The page used up what a page may use, and was ended.', {
    reason: 'page_crashed',
    retryable: false,
  })

export const browserExitError = (cause?: unknown) =>
  new ToolError('unavailable', 'The browser ended while it showed the page.', {
    reason: 'browser_died',
    retryAfter: 1,
    cause,
  })

export const stopping = () => new ToolError('unavailable', 'The server is stopping.', { retryable: true })

export const standsStill = () =>
  new ToolError('timeout', 'The page took longer than its visit may.', { reason: 'page_timeout' })
