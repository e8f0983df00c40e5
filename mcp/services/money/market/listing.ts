import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import { asRecord, parseJson } from '../../../lib/json.ts'
import type { Cache } from '../../../ports/cache/port.ts'
import type { Fetch } from '../../../ports/fetch/port.ts'
import { parsePrice } from './twap-source.ts'
import type { Window } from './window.ts'

/** A window as the market lists it. */
export type WindowListing = {
  tokens: { up: string; down: string }
  isClosed: boolean
  /** The market's word on a window that is over; null where it says nothing. */
  priceToBeat: string | null
  finalPrice: string | null
  outcome: 'up' | 'down' | null
}

type Deps = { fetch: Fetch; cache: Cache; signal: AbortSignal; url: string }

const Market = z.object({
  outcomes: z.string(),
  clobTokenIds: z.string(),
  outcomePrices: z.string().nullish(),
  endDate: z.string(),
  cryptoMarketConfig: z.unknown().optional(),
})

const Event = z.object({
  slug: z.string(),
  closed: z.boolean().nullish(),
  endDate: z.string(),
  eventMetadata: z.unknown().optional(),
  markets: z.array(Market).min(1),
})

const Texts = z.array(z.string().max(100)).length(2)

const unreadable = () =>
  new ToolError('upstream', 'The market lists the window in a form that cannot be read.', {
    hint: 'Nothing is charged. Try again in a minute.',
  })

/** Lists come as JSON within texts, in an order of their own: outcomes are told apart by name. */
const parseTexts = (text: string): string[] => {
  const list = Texts.safeParse(parseJson(text))
  if (!list.success) throw unreadable()
  return list.data
}

const ruleChanged = (detail: string) =>
  new ToolError(
    'unavailable',
    `The market decides this window in another way than is known here: ${detail}.`,
    {
      reason: 'rule_changed',
      hint: 'Nothing is charged.',
    },
  )

const checkRule = ({ cryptoMarketConfig }: z.output<typeof Market>): void => {
  const { twapEnabled, twapLookbackSeconds } = asRecord(cryptoMarketConfig)
  if (twapEnabled !== true) throw ruleChanged('not by an average price')
  if (twapLookbackSeconds !== 60) throw ruleChanged('not by an average of 60 seconds')
}

const toListing = (window: Window, event: z.output<typeof Event>): WindowListing => {
  const [market] = event.markets
  if (!market || event.slug !== window.slug) throw unreadable()
  if (Date.parse(market.endDate) !== window.end * 1000) throw ruleChanged('the window ends at another time')
  checkRule(market)
  const names = parseTexts(market.outcomes).map(name => name.toLowerCase())
  const [up, down] = [names.indexOf('up'), names.indexOf('down')]
  const ids = parseTexts(market.clobTokenIds)
  const tokens = { up: ids[up], down: ids[down] }
  if (tokens.up === undefined || tokens.down === undefined) throw unreadable()
  const { priceToBeat, finalPrice } = asRecord(event.eventMetadata)
  const isClosed = event.closed === true
  const prices = isClosed && market.outcomePrices ? parseTexts(market.outcomePrices) : []
  const winner = names[prices.findIndex(price => Number(price) === 1)]
  return {
    tokens: { up: tokens.up, down: tokens.down },
    isClosed,
    priceToBeat: parsePrice(priceToBeat) ?? null,
    finalPrice: parsePrice(finalPrice) ?? null,
    outcome: winner === 'up' || winner === 'down' ? winner : null,
  }
}

const load = async (
  { fetch, url }: Deps,
  window: Window,
  signal: AbortSignal,
): Promise<WindowListing | undefined> => {
  const { status, body } = await fetch(`${url}/events?slug=${window.slug}`, {
    namedBy: 'operator',
    accept: 'application/json',
    deadlineMs: 4_000,
    maxBytes: 1 << 20,
    fresh: true,
    signal,
  })
  if (status !== 200)
    throw new ToolError('upstream', `The list of markets answers ${status}.`, { retryAfter: 5 })
  const events = z.array(z.unknown()).safeParse(parseJson(body.toString('utf8')))
  if (!events.success) throw unreadable()
  if (events.data.length === 0) return undefined
  const event = Event.safeParse(events.data[0])
  if (!event.success) throw unreadable()
  return toListing(window, event.data)
}

/** Seconds for which an answer is kept: what is decided stays, what is not listed may come at any time. */
const keepSeconds = (listing: WindowListing | undefined): number => {
  if (!listing) return 2
  return listing.isClosed && listing.outcome ? 3_600 : 5
}

/** The window as it is listed; undefined where it is not. Throws `upstream` without an answer, `unavailable` for another rule. */
export const findListing = async (deps: Deps, window: Window): Promise<WindowListing | undefined> => {
  const { value } = await deps.cache.take(
    `money.listing:${deps.url}:${window.slug}`,
    async signal => {
      const listing = await load(deps, window, signal)
      return { value: listing, seconds: keepSeconds(listing) }
    },
    { signal: deps.signal },
  )
  return value
}

type PriceDeps = Omit<Deps, 'url'> & { url: string }

const loadMidpoint = async ({ fetch, url }: PriceDeps, token: string, signal: AbortSignal) => {
  const { status, body } = await fetch(`${url}/midpoint?token_id=${encodeURIComponent(token)}`, {
    namedBy: 'operator',
    accept: 'application/json',
    deadlineMs: 3_000,
    maxBytes: 65_536,
    fresh: true,
    signal,
  })
  const { mid } = status === 200 ? asRecord(parseJson(body.toString('utf8'))) : {}
  return typeof mid === 'string' && /^[01](?:\.\d{1,6})?$/.test(mid) ? mid : null
}

/** Finds the market's price for each side just now; null where it does not say. */
export const findMarketPrices = async (
  deps: PriceDeps,
  { up, down }: WindowListing['tokens'],
): Promise<{ up: string; down: string } | null> => {
  const ask = async (token: string) => {
    const { value } = await deps.cache.take(
      `money.midpoint:${deps.url}:${token}`,
      async signal => ({ value: await loadMidpoint(deps, token, signal), seconds: 1 }),
      { signal: deps.signal },
    )
    return value
  }
  try {
    const [forUp, forDown] = await Promise.all([ask(up), ask(down)])
    return forUp === null || forDown === null ? null : { up: forUp, down: forDown }
  } catch (problem) {
    if (problem instanceof ToolError && problem.code !== 'timeout') return null
    throw problem
  }
}
