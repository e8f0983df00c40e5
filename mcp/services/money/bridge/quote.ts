import { ToolError } from '../../../kernel/error.ts'
import type { Collector } from '../../../kernel/tool.ts'
import { maxBurn, requireAmount, toText } from './amount.ts'
import type { Bridge, Lane } from './bridge.ts'
import { type BridgeRoute, requireRoute, type Source } from './chains.ts'
import { maxCost } from './lane.ts'
import { type Mode, priceFromFees, priceFromQuote, type TransferCosts } from './price.ts'

type Hex = `0x${string}`

/** Request of a caller to the bridge. `ref` has its checksum. */
export type TransferRequest = { from: Source; to: string; amount: string; ref: Hex | undefined }

/** The exact price of one transfer, and how it is carried out. */
export type Quoted = {
  route: BridgeRoute
  lane: Lane
  /** Who is paid: the purse of the lane for these terms. */
  payTo: Hex
  parts: TransferCosts
  mode: Mode
  /** True when it is attested before the source is final. */
  fast: boolean
  /** The referrer's share of the margin. */
  referral: bigint
  /** When Circle's signed quote ends, where there is one. */
  expiresAt: Date | null
  collector: Collector
}

/** Seconds that a signed quote has to be good for: a quote of ours is, and the payer has to sign and pay within. */
const minQuoteSeconds = 60

const signedQuote = async (bridge: Bridge, route: BridgeRoute, lane: Lane, amount: bigint) => {
  if (!bridge.terms.upfront || !lane.takesQuotes) return undefined
  const { forwardHook } = await import('./route-argument.ts')
  const { from, to } = route
  const quote = await (await bridge.iris())
    .quote(from.domain, to.domain, { amount, usdc: from.usdc, hookData: forwardHook })
    .catch(() => undefined)
  const left = quote?.expiresAt
    ? quote.expiresAt.getTime() - bridge.now().getTime()
    : Number.POSITIVE_INFINITY
  return left > minQuoteSeconds * 1000 ? quote : undefined
}

const refuseRef = (message: string) =>
  new ToolError('invalid_input', `The referrer cannot be paid: it ${message}.`, {
    issues: [{ path: 'ref', message }],
  })

/** Prices a transfer. Throws `invalid_input` that names the field, and `unavailable` with the reason while the route is off. */
export const quoteTransfer = async (bridge: Bridge, asked: TransferRequest): Promise<Quoted> => {
  const route = requireRoute(asked.from, asked.to)
  const { terms } = bridge
  const amount = requireAmount(asked.amount, terms.max < maxBurn ? terms.max : maxBurn)
  if (asked.ref !== undefined && /^0x0{40}$/.test(asked.ref)) throw refuseRef('is the zero address')
  const lane = await bridge.requireLane(route)
  if (asked.ref?.toLowerCase() === lane.address.toLowerCase())
    throw refuseRef('is the contract of the bridge')
  const { from, to } = route
  const [fees, quote] = await Promise.all([
    bridge.iris().then(iris => iris.fees(from.domain, to.domain)),
    signedQuote(bridge, route, lane, amount),
  ])
  const mode: Mode = quote ? 'upfront' : 'max_fee'
  const parts = quote ? priceFromQuote(amount, quote, fees, terms) : priceFromFees(amount, fees, terms)
  const maxFee = parts.forward + parts.protocol
  if (amount + maxFee > maxBurn)
    throw new ToolError('invalid_input', 'With its fees this is more than Circle burns at once.', {
      issues: [{ path: 'amount', message: `must be ${toText(maxBurn - maxFee)} at most` }],
    })
  if (parts.total - amount > maxCost(lane, amount))
    throw new ToolError(
      'unavailable',
      `The fees of ${route.name} are ${toText(parts.total - amount)} USDC now, more than the contract of this route allows for such an amount (${toText(maxCost(lane, amount))}).`,
      {
        reason: 'fees_too_high',
        hint: 'Try later, or a larger amount. Nothing was charged.',
        retryAfter: 60,
      },
    )
  const referral = asked.ref === undefined ? 0n : (parts.margin * BigInt(terms.referralBps)) / 10_000n
  const { forwardHook, purseOf, toCollector, withoutReferrer } = await import('./route-argument.ts')
  const agreed = {
    minAmount: amount,
    ...(asked.ref === undefined ? withoutReferrer : { referrer: asked.ref, referral }),
  }
  const payTo = purseOf(lane.address, from.usdc, agreed)
  const collector = toCollector(lane.address, {
    terms: agreed,
    amount,
    maxFee,
    minFinality: fees.finality,
    hookData: forwardHook,
    signedQuote: quote?.signedQuote ?? '0x',
  })
  const fast = fees.finality === 1000
  return { route, lane, payTo, parts, mode, fast, referral, expiresAt: quote?.expiresAt ?? null, collector }
}
