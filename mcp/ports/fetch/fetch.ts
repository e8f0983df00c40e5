import { ToolError } from '../../kernel/error.ts'
import type { Turn } from '../scheduler/port.ts'
import { openResourceLane } from '../scheduler/scheduler.ts'
import { budgetLimits, openBudget } from './budget.ts'
import { isAnonymous, readHeaders, type Step } from './carry.ts'
import { withDeadline } from './deadline.ts'
import { openGuard } from './guard.ts'
import { openPace } from './pace.ts'
import { openPauses } from './pause.ts'
import type { Fetch, Fetched, FetchOptions } from './port.ts'
import { type FetchSettings, maxima, toLimits, toTimeouts } from './settings.ts'
import { openShare } from './shared-work.ts'

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
    reason: 'too_slow',
  })

/** The same for calls that get the same answer; undefined where the answer may depend on who asks, or on when. */
const sharedKey = (step: Step, { types, fresh }: FetchOptions, limits: object): string | undefined =>
  fresh || !isAnonymous(step)
    ? undefined
    : JSON.stringify([step.url.href, step.headers, String(types), limits])

/**
 * Opens the one way out to the web. A bad or refused URL throws `invalid_input` on the field `url`, everything that goes
 * wrong on the way `upstream`, a target that was asked too often `too_many_requests`, the caller's own signal `timeout`. With `maxRedirects: 0` a redirect is itself the answer.
 * Callers that ask for the same at the same time share one request. Requests under way are shared out between clients and networks, those
 * to one origin too.
 */
export const openFetch = (settings: FetchSettings): Fetch & { close(): Promise<void> } => {
  const perOrigin = settings.maxSocketsPerOrigin ?? 6
  const guard = openGuard(settings)
  const { allow, allowOperator } = settings
  const operatorGuard = allowOperator
    ? openGuard({
        resolve: settings.resolve,
        allow: (...place) => allowOperator(...place) || (allow?.(...place) ?? false),
      })
    : guard
  const lane = openResourceLane('fetch', settings.maxSockets ?? 32, { placesPerTarget: perOrigin })
  const now = settings.now ?? Date.now
  const pauses = openPauses(now)
  const budget = openBudget({ ...budgetLimits, ...settings.budget }, now)
  const pace = openPace()
  const share = openShare<Fetched>(maxima.ms)
  const load = async () => {
    const [{ openTransport }, { follow }] = await Promise.all([
      import('./transport.ts'),
      import('./follow.ts'),
    ])
    const timeouts = toTimeouts(settings)
    const transport = openTransport({ ...settings, guard, operatorGuard, budget, timeouts, perOrigin })
    return { transport, follow }
  }
  let loaded: ReturnType<typeof load> | undefined

  const fetchFor = async (url: string, options: FetchOptions, { asker }: Partial<Turn>): Promise<Fetched> => {
    const target = (options.namedBy === 'operator' ? operatorGuard : guard).check(url)
    const step = stepTo(target.url, settings.userAgent, options)
    const { deadlineMs: ms, ...limits } = toLimits(options, settings.maxMs)
    const key = sharedKey(step, options, limits)
    loaded ??= load()
    const { transport, follow } = await loaded
    const work = (signal: AbortSignal) => {
      const { types, fresh = false, namedBy = 'caller' } = options
      return follow(step, {
        guard,
        lane,
        asker,
        pauses,
        pace,
        budget,
        namedBy,
        transport,
        signal,
        types,
        fresh,
        ...limits,
      })
    }
    return withDeadline(
      { ms, signal: options.signal, late: () => tooLate(target.host, ms) },
      async signal => {
        if (key === undefined) return work(signal)
        const fetched = await share(key, signal, work)
        return { ...fetched, hops: [...fetched.hops] }
      },
    )
  }

  const check = (url: string) => void guard.check(url)
  const forCall = (turn: Partial<Turn>): Fetch =>
    Object.assign((url: string, options: FetchOptions = {}) => fetchFor(url, options, turn), {
      check,
      forCall,
    })

  return Object.assign(forCall({}), {
    close: async () => (await loaded)?.transport.close(),
  })
}
