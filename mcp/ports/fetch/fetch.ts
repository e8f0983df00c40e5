import { ToolError } from '../../error.ts'
import type { Fetch, FetchOptions } from '../index.ts'
import { readHeaders, type Step } from './carry.ts'
import { withDeadline } from './deadline.ts'
import { openGate } from './gate.ts'
import { openGuard } from './guard.ts'
import { type FetchSettings, limitsOf, timeoutsOf } from './settings.ts'

const stepTo = (url: URL, userAgent: string, options: FetchOptions): Step => ({
  url,
  method: options.method ?? 'GET',
  headers: {
    'user-agent': userAgent,
    accept: options.accept ?? '*/*',
    'accept-encoding': 'gzip, deflate, br',
    'accept-language': 'en;q=0.8, *;q=0.5',
    ...readHeaders(options.headers ?? {}),
  },
  ...(options.body !== undefined && { body: options.body }),
})

const tooLate = (host: string, ms: number) =>
  new ToolError('upstream', `${host} did not answer in full within ${ms / 1000} seconds.`, {
    retryable: true,
  })

/**
 * Opens the one way out to the web. A bad or refused URL throws `invalid_input` on the field `url`, everything that goes
 * wrong on the way `upstream`, the caller's own signal `timeout`. With `maxRedirects: 0` a redirect is itself the answer.
 */
export const openFetch = (settings: FetchSettings): Fetch & { close(): Promise<void> } => {
  const perOrigin = settings.maxSocketsPerOrigin ?? 4
  const guard = openGuard(settings)
  const gate = openGate(settings.maxSockets ?? 32, perOrigin)
  const load = async () => {
    const [{ openTransport }, { follow }] = await Promise.all([
      import('./transport.ts'),
      import('./follow.ts'),
    ])
    const transport = openTransport({ ...settings, guard, timeouts: timeoutsOf(settings), perOrigin })
    return { transport, follow }
  }
  let loaded: ReturnType<typeof load> | undefined

  const fetch: Fetch = async (url, options = {}) => {
    const target = guard.check(url)
    const step = stepTo(target.url, settings.userAgent, options)
    const { deadlineMs: ms, ...limits } = limitsOf(options)
    loaded ??= load()
    const { transport, follow } = await loaded
    return withDeadline({ ms, signal: options.signal, late: () => tooLate(target.host, ms) }, signal =>
      follow(step, { guard, gate, transport, signal, types: options.types, ...limits }),
    )
  }

  return Object.assign(fetch, { close: async () => (await loaded)?.transport.close() })
}
