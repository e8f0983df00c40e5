import { type CspFinding, type Test, test, unknown } from '../../../lib/csp/finding.ts'
import type { Hop } from '../../../ports/fetch/port.ts'

/** Result of asking over http: the way it went, a closed port, a broken certificate on the way, or nothing that tells. */
export type HttpProbe = { hops: readonly Hop[] } | 'bad_certificate' | 'closed' | 'unknown'

export type Redirection = { test: Test; findings: CspFinding[]; redirects: boolean | null }

const name = 'redirection'

const fix = 'Location: https://{the same host and path}, with status 301'

const failedRedirection = (
  result: string,
  modifier: number,
  message: string,
  redirects: boolean,
): Redirection => ({
  test: test(name, result, modifier, message),
  findings: [{ code: `redirect_${result}`, severity: modifier <= -20 ? 'high' : 'low', message, fix }],
  redirects,
})

/** True when http leads to https, at once and on the same host, so that HSTS can be learnt. */
export const judgeRedirection = (probe: HttpProbe): Redirection => {
  if (probe === 'unknown')
    return { test: unknown(name, 'The http address was not answered.'), findings: [], redirects: null }
  if (probe === 'bad_certificate')
    return failedRedirection(
      'bad_certificate',
      -20,
      'The way to https ends at a TLS certificate that is not valid.',
      true,
    )
  if (probe === 'closed')
    return { test: test(name, 'no_http', 0, 'Nothing listens for http.'), findings: [], redirects: null }
  const { hops } = probe
  const [first] = hops
  const last = hops.at(-1)
  if (!first || !last || hops.length === 1)
    return failedRedirection('missing', -20, 'The http address does not lead to https.', false)
  if (!last.url.startsWith('https:'))
    return failedRedirection('not_to_https', -20, 'The http address leads on and stays on http.', false)
  const next = hops[1]?.url ?? ''
  if (!next.startsWith('https:'))
    return failedRedirection(
      'late',
      -10,
      'The http address leads to https only after another http address.',
      true,
    )
  if (new URL(next).hostname !== new URL(first.url).hostname)
    return failedRedirection(
      'off_host',
      -5,
      'The http address leads to another host at once, so browsers learn no HSTS for this one.',
      true,
    )
  const findings: CspFinding[] =
    first.status === 301 || first.status === 308
      ? []
      : [
          {
            code: 'redirect_temporary',
            severity: 'info',
            message: `The way to https is a ${first.status}, which browsers do not keep.`,
            fix,
          },
        ]
  return {
    test: test(name, 'on', 0, 'The http address leads to https at once.'),
    findings: findings,
    redirects: true,
  }
}
