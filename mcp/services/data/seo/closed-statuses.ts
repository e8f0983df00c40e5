import { ToolError } from '../../../kernel/error.ts'
import type { Fetched } from '../../../ports/fetch/port.ts'

/** Answers that turn programs away, and say nothing about the page. */
const closedStatuses = new Set([401, 402, 403, 407, 451, 999])

/**
 * Throws `upstream` when a site shows something else than the page that was asked for: a check for robots, a login, an error
 * of its own. An audit of that would be about the wrong page.
 */
export const refuseOtherPage = ({
  url,
  status,
  headers,
}: Pick<Fetched, 'url' | 'status' | 'headers'>): void => {
  const host = new URL(url).hostname
  if (headers['cf-mitigated'] || headers['x-amzn-waf-action'])
    throw new ToolError('upstream', `${host} answered with a check for robots instead of the page.`, {
      retryable: false,
    })
  if (status === 429 || (status >= 500 && status !== 999))
    throw new ToolError(
      'upstream',
      `${host} answered with status ${status}; the page is not to be had now.`,
      {
        retryable: true,
      },
    )
  if (closedStatuses.has(status))
    throw new ToolError('upstream', `${host} does not show the page to programs (status ${status}).`, {
      retryable: false,
    })
}
