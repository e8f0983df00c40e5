import { ToolError } from '../../../kernel/error.ts'
import { port } from '../../../kernel/port.ts'
import { parseJson } from '../../../lib/json.ts'
import type { Cache } from '../../../ports/cache/port.ts'
import type { Clock } from '../../../ports/clock/port.ts'
import type { Fetch } from '../../../ports/fetch/port.ts'
import { keepSeconds, type ReadVenue, signalSettings, type Venue, VenueFault, type VenueId } from './venue.ts'
import { openBinance } from './venues/binance.ts'
import { openBybit } from './venues/bybit.ts'
import { openDeribit } from './venues/deribit.ts'
import { openHyperliquid } from './venues/hyperliquid.ts'
import { openOkx } from './venues/okx.ts'

type Deps = { fetch: Fetch; cache: Cache; clock: Clock }

type Outcome = { ok: true; value: unknown } | { ok: false; reason: string }

const maxBytes = 4 << 20
const deadlineMs = 6_000

/** Statuses of venues' replies on a symbol that they do not have. */
const refusalsWithBody: ReadonlySet<number> = new Set([200, 400, 404])

const openLoad =
  ({ fetch, clock }: Deps, base: string) =>
  async (request: Parameters<ReadVenue>[0]) => {
    const { path, body } = request
    const answer = await fetch(`${base}${path}`, {
      ...(body && {
        method: 'POST' as const,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
      accept: 'application/json',
      maxBytes,
      maxRedirects: 0,
      deadlineMs,
      fresh: true,
      namedBy: 'operator',
    }).catch((error: unknown) => {
      throw new VenueFault(
        error instanceof ToolError && error.code === 'too_many_requests'
          ? 'it is asked too often'
          : 'it does not answer',
      )
    })
    if (answer.status === 429 || answer.status === 418) throw new VenueFault('it asks us to wait')
    if (answer.status === 403 || answer.status === 451) throw new VenueFault('it does not serve this place')
    if (!refusalsWithBody.has(answer.status)) throw new VenueFault(`it answers with status ${answer.status}`)
    if (answer.truncated) throw new VenueFault('its answer is too long, or broke off')
    const json = parseJson(answer.text().text)
    if (json === undefined) throw new VenueFault('its answer is not JSON')
    if (answer.status === 404) throw new VenueFault('it answers with status 404')
    return { json, now: clock.now().getTime() }
  }

/** Asks a venue the same thing once, however many callers want it, and keeps what came; a failure for a moment, too. */
const openAsk = (deps: Deps, id: VenueId, base: string): ReadVenue => {
  const load = openLoad(deps, base)
  return async <T>(
    request: Parameters<ReadVenue>[0],
    read: (answer: unknown, now: number) => T,
  ): Promise<T> => {
    const key = `proof.venue ${id} ${request.path} ${JSON.stringify(request.body ?? null)}`
    const { value: outcome } = await deps.cache.take(
      key,
      async (): Promise<{ value: Outcome; seconds: number }> => {
        try {
          const { json, now } = await load(request)
          return { value: { ok: true, value: read(json, now) }, seconds: request.seconds }
        } catch (error) {
          if (!(error instanceof VenueFault)) throw error
          return { value: { ok: false, reason: error.message }, seconds: keepSeconds.failure }
        }
      },
    )
    if (!outcome.ok) throw new VenueFault(outcome.reason)
    return outcome.value as T
  }
}

const openers = {
  hyperliquid: openHyperliquid,
  binance: openBinance,
  bybit: openBybit,
  okx: openOkx,
  deribit: openDeribit,
} as const

/** Public market data of derivatives venues, in the order that the operator prefers them. */
export const venues = port({
  name: 'venues',
  needs: [
    'fetch',
    'cache',
    'clock',
    signalSettings.venueOrder,
    signalSettings.hyperliquid,
    signalSettings.binance,
    signalSettings.bybit,
    signalSettings.okx,
    signalSettings.deribit,
  ],
}).open(({ fetch, cache, clock, venueOrder: ids, ...addresses }) => {
  const now = () => clock.now().getTime()
  const list: readonly Venue[] = ids.map(id =>
    openers[id](openAsk({ fetch, cache, clock }, id, addresses[id]), now),
  )
  return { list }
})
