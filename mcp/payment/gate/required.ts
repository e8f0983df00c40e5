import { PaymentRequired, ToolError } from '../../kernel/error.ts'
import type { Price } from '../../kernel/tool.ts'
import type { Charge } from '../index.ts'
import type { Offer, Rail, Refusal } from '../rail.ts'
import { bazaarOf } from './bazaar.ts'
import type { Quotes } from './quote.ts'
import { refusals } from './refusal.ts'
import { settleOf } from './settlement.ts'

/** Bytes of a quote that still fits a header beside others: Node's clients read 16 KiB of them. */
const mostQuoted = 9000

/** The rails a price can be paid on. */
export const railsFor = (rails: readonly Rail[], { unit, network }: Price): Rail[] =>
  unit === 'usd'
    ? rails.filter(rail => network === undefined || network === rail.name || network === rail.network)
    : []

/** What a rail offers for a price. Throws `unavailable` when the rail cannot: in its words, or in words that leak nothing. */
export const offerOn = async (rail: Rail, { tool, price }: Charge): Promise<Offer> => {
  try {
    return await rail.offer(price.amount, settleOf(tool))
  } catch (cause) {
    if (cause instanceof ToolError && cause.code === 'unavailable') throw cause
    throw new ToolError('unavailable', `Payments on ${rail.name} cannot be taken right now.`, {
      cause,
      retryAfter: 10,
    })
  }
}

const noRail = ({ tool, price }: Charge): ToolError =>
  new ToolError(
    'unavailable',
    `${tool.name} costs ${price.amount} ${price.unit}, and no payment rail for it is configured here.`,
  )

const lean = (required: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  if (Buffer.byteLength(JSON.stringify(required)) <= mostQuoted) return required
  const { extensions: _, ...rest } = required
  return rest
}

/**
 * The quote of a call as x402 v2 PaymentRequired. `request` pins the price to the call; without one, as for a probe,
 * the list price is shown unpinned. `reason` tells why a payment was refused.
 */
export const paymentRequired = async (
  rails: readonly Rail[],
  quotes: Quotes,
  charge: Charge,
  request: string | undefined,
  reason?: Refusal,
): Promise<PaymentRequired> => {
  const { service, tool, price, resource } = charge
  const able = railsFor(rails, price)
  if (able.length === 0) throw noRail(charge)
  const offers = await Promise.all(able.map(rail => offerOn(rail, charge)))
  const required = lean({
    x402Version: 2,
    error: reason ?? 'Payment required',
    resource: {
      url: resource,
      description: tool.description,
      mimeType: 'application/json',
      serviceName: service.name,
    },
    accepts: request === undefined ? offers : offers.map(offer => quotes.pin(offer, request)),
    extensions: { bazaar: bazaarOf(charge) },
  })
  if (!reason && price.because) {
    const { detail, ...why } = price.because
    return new PaymentRequired(required, detail, why)
  }
  if (!reason) return new PaymentRequired(required)
  const payment = { success: false, errorReason: reason, transaction: '', network: offers[0]?.network ?? '' }
  return new PaymentRequired(required, refusals[reason], { payment })
}
