import type { Market, Trader } from './market.ts'
import { listingOf, refused } from './market.ts'

type Side = 'poster' | 'negotiator'
type Account = { trader: Trader; total: number; held: number; funded: boolean; freeUsed: number }
type Listing = { id: string; owner: number; state: 'live' | 'closed' | 'withdrawn'; threads: Thread[] }
type Thread = {
  id: string
  listing: Listing
  poster: number
  negotiator: number
  state: 'open' | 'accepted' | 'finalized' | 'rejected' | 'closed'
  turn: Side
  hash: string
  version: number
}

/** What an operation should come to: done, or refused for a reason. */
type Outcome = 'ok' | string

const deal = 2000
const listingFee = 201

/** The market as it should be: plain numbers and states, moved by the same operations. */
export const openModel = (traders: readonly Trader[]) => {
  const accounts: Account[] = traders.map(trader => ({
    trader,
    total: 0,
    held: 0,
    funded: false,
    freeUsed: 0,
  }))
  const listings: Listing[] = []
  const threads: Thread[] = []
  const deals = new Map<string, number>()
  let fees = 0

  const spend = (account: Account, credits: number) => {
    account.total -= credits
    fees += credits
  }
  const canSpend = ({ total, held }: Account, credits: number) => total - held >= credits
  const end = (thread: Thread, state: 'rejected' | 'closed') => {
    thread.state = state
    const negotiator = accounts[thread.negotiator]
    if (negotiator) negotiator.held -= deal
  }
  const isUnderWay = ({ state }: Thread) => state === 'open' || state === 'accepted'
  const closeOthers = (listing: Listing, except?: Thread) => {
    for (const thread of listing.threads) if (thread !== except && isUnderWay(thread)) end(thread, 'closed')
  }
  return {
    accounts,
    listings,
    threads,
    deals,
    spend,
    canSpend,
    end,
    isUnderWay,
    closeOthers,
    fees: () => fees,
  }
}

export type Model = ReturnType<typeof openModel>

const reasonOf = async (asked: Promise<unknown>): Promise<string> => {
  const { code, reason } = await refused(asked)
  return code === 'unavailable' || reason === 'insufficient_funds_self' ? 'funds' : (reason ?? code)
}

const ended = {
  finalized: 'already_finalized',
  rejected: 'thread_closed',
  closed: 'thread_auto_closed',
} as const

/** One operation on model and market; throws where they disagree. */
export const openWalk = (market: Market, model: Model, pick: (below: number) => number) => {
  const { accounts, listings, threads, deals } = model
  const account = (at: number): Account => accounts[at] as Account
  /** Old threads and listings are seldom of interest: the walk keeps to the newest 200. */
  const any = <T>(list: readonly T[]): T | undefined =>
    list[Math.max(0, list.length - 200) + pick(Math.min(200, list.length))]
  let done = 0

  const check = async (what: string, expected: Outcome, ask: () => Promise<Record<string, unknown>>) => {
    done++
    if (expected === 'ok') return ask()
    const found = await reasonOf(ask())
    if (found !== expected) throw new Error(`${done} ${what}: expected ${expected}, found ${found}`)
    return undefined
  }

  const fund = async () => {
    const one = account(pick(accounts.length))
    const credits = 500 + pick(6000)
    await market.fund(one.trader.id, credits)
    one.total += credits
    one.funded = true
  }

  const post = async () => {
    const at = pick(accounts.length)
    const one = account(at)
    const isFree = !one.funded && one.freeUsed < 3
    const expected = isFree || model.canSpend(one, listingFee) ? 'ok' : 'funds'
    const listing_type = pick(2) === 0 ? 'sell' : 'buy'
    const answer = await check('post', expected, () =>
      one.trader.ask('post_listing', { ...listingOf, listing_type }),
    )
    if (!answer) return
    if (isFree) one.freeUsed++
    else model.spend(one, listingFee)
    listings.push({ id: String(answer.listing_id), owner: at, state: 'live', threads: [] })
  }

  const browse = async () => {
    const one = account(pick(accounts.length))
    const answer = await check('browse', model.canSpend(one, 1) ? 'ok' : 'funds', () =>
      one.trader.ask('browse_feed', { limit: 3 }),
    )
    if (answer) model.spend(one, 1)
  }

  const open = async () => {
    const at = pick(accounts.length)
    const listing = any(listings)
    if (!listing) return
    const one = account(at)
    const taken = listing.threads.some(thread => thread.negotiator === at && model.isUnderWay(thread))
    const refusal =
      listing.state !== 'live'
        ? `listing_${listing.state}`
        : listing.owner === at
          ? 'self_listing_negotiation'
          : taken
            ? 'thread_exists'
            : undefined
    const expected = refusal ?? (model.canSpend(one, deal) ? 'ok' : 'funds')
    const answer = await check('open', expected, () =>
      one.trader.ask('open_thread', { listing: listing.id, text: 'As it is.' }),
    )
    if (!answer) return
    one.held += deal
    const { terms_hash } = answer.standing as { terms_hash: string }
    const thread: Thread = {
      id: String(answer.thread_id),
      listing,
      poster: listing.owner,
      negotiator: at,
      state: 'open',
      turn: 'poster',
      hash: terms_hash,
      version: 1,
    }
    listing.threads.push(thread)
    threads.push(thread)
  }

  const someThread = () => {
    const thread = any(threads)
    const side: Side = pick(2) === 0 ? 'poster' : 'negotiator'
    return thread && { thread, side, one: account(thread[side]) }
  }

  const offer = async () => {
    const found = someThread()
    if (!found) return
    const { thread, side, one } = found
    const { id, state } = thread
    const refusal = model.isUnderWay(thread)
      ? state === 'accepted'
        ? 'already_accepted'
        : thread.turn !== side
          ? 'out_of_turn'
          : thread.version >= 50
            ? 'too_many_offers'
            : undefined
      : ended[state as keyof typeof ended]
    const price_usd = 1 + pick(50)
    const answer = await check('offer', refusal ?? 'ok', () =>
      one.trader.ask('make_offer', { id, patch: { price_usd } }),
    )
    if (!answer) return
    thread.turn = side === 'poster' ? 'negotiator' : 'poster'
    thread.version++
    thread.hash = (answer.standing as { terms_hash: string }).terms_hash
  }

  const accept = async () => {
    const found = someThread()
    if (!found) return
    const { thread, side, one } = found
    const isStale = pick(5) === 0
    const { id, state } = thread
    const refusal = model.isUnderWay(thread)
      ? state === 'accepted'
        ? 'already_accepted'
        : thread.turn !== side
          ? 'out_of_turn'
          : isStale
            ? 'stale_terms'
            : undefined
      : ended[state as keyof typeof ended]
    const terms_hash = isStale ? 'sha256:0' : thread.hash
    const answer = await check('accept', refusal ?? 'ok', () =>
      one.trader.ask('accept_offer', { id, terms_hash }),
    )
    if (!answer) return
    thread.state = 'accepted'
    thread.turn = 'poster'
  }

  const close = async () => {
    const found = someThread()
    if (!found) return
    const { thread, one } = found
    const refusal = model.isUnderWay(thread) ? 'ok' : ended[thread.state as keyof typeof ended]
    const answer = await check('close', refusal, () => one.trader.ask('close_thread', { id: thread.id }))
    if (answer) model.end(thread, 'rejected')
  }

  const finalize = async () => {
    const found = someThread()
    if (!found) return
    const { thread, side, one } = found
    const { id, state } = thread
    const withHash = pick(3) > 0
    const blocked = model.isUnderWay(thread)
      ? state === 'accepted' || (withHash && thread.turn === 'poster')
        ? undefined
        : withHash
          ? 'out_of_turn'
          : 'not_accepted'
      : ended[state as keyof typeof ended]
    const refusal = side === 'negotiator' ? 'not_the_poster' : blocked
    const expected = refusal ?? (model.canSpend(one, deal) ? 'ok' : 'funds')
    const input = { id, ...(withHash && { terms_hash: thread.hash }) }
    const answer = await check('finalize', expected, () => one.trader.ask('finalize_deal', input))
    if (!answer) return
    const negotiator = account(thread.negotiator)
    negotiator.held -= deal
    model.spend(negotiator, deal)
    model.spend(one, deal)
    thread.state = 'finalized'
    thread.listing.state = 'closed'
    model.closeOthers(thread.listing, thread)
    deals.set(thread.listing.id, (deals.get(thread.listing.id) ?? 0) + 1)
  }

  const withdraw = async () => {
    const listing = any(listings)
    if (!listing) return
    const at = pick(4) === 0 ? pick(accounts.length) : listing.owner
    const refusal =
      at !== listing.owner ? 'not_found' : listing.state === 'live' ? 'ok' : `listing_${listing.state}`
    const answer = await check('withdraw', refusal, () =>
      account(at).trader.ask('withdraw_listing', { id: listing.id }),
    )
    if (!answer) return
    listing.state = 'withdrawn'
    model.closeOthers(listing)
  }

  const weighted = [
    fund,
    post,
    post,
    browse,
    browse,
    open,
    open,
    open,
    open,
    offer,
    offer,
    offer,
    offer,
    accept,
    accept,
    accept,
    close,
    finalize,
    finalize,
    finalize,
    withdraw,
  ]
  return async () => {
    const step = weighted[pick(weighted.length)] as () => Promise<void>
    await step()
  }
}
