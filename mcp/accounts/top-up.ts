import { ToolError } from '../kernel/error.ts'
import { formatUsd } from '../lib/usd.ts'
import { accountsIn } from './account.ts'
import { requireUsd } from './amount.ts'
import { toBook } from './books.ts'
import { cardBounds, openCardTopUp, perCent } from './card-top-ups.ts'
import type { AccountDeps } from './deps.ts'
import { openTopUpRequest, type PaymentRequest } from './payment-requests.ts'

/** Bounds of one top-up, in millionths of a dollar. A card costs fees, and what is more asks for another way. */
const bounds = {
  wallet: { min: 100_000n, max: 10_000_000_000n },
  lightning: { min: 100_000n, max: 1_000_000_000n },
  card: { min: BigInt(cardBounds.min) * perCent, max: BigInt(cardBounds.max) * perCent },
} as const

export type Way = keyof typeof bounds

const readAmount = (usd: string, way: Way): bigint => {
  const value = requireUsd(usd)
  const { min, max } = bounds[way]
  const message =
    way === 'card' && value % perCent !== 0n
      ? 'a card is charged in whole cents'
      : `${formatUsd(min)} to ${formatUsd(max)} USD can be added this way`
  const isGood = value >= min && value <= max && !(way === 'card' && value % perCent !== 0n)
  if (isGood) return value
  throw new ToolError('invalid_input', `usd: ${message}.`, { issues: [{ path: 'usd', message }] })
}

/** Makes the request that a wallet pays, in dollars or over Lightning in sats by the stated rate. Throws `unavailable` without a rate. */
export const openTopUp = async (
  { store, clock, rates }: Pick<AccountDeps, 'store' | 'clock' | 'rates'>,
  account: string,
  usd: string,
  way: 'wallet' | 'lightning',
): Promise<PaymentRequest> => {
  const value = readAmount(usd, way)
  const sats =
    way === 'lightning'
      ? (await rates.convert({ amount: formatUsd(value), unit: 'usd' }, 'sat')).amount
      : null
  return store.transaction(tx => openTopUpRequest(tx, clock, { account, amount: String(value), sats }))
}

/** Makes the page of the processor of cards; resolves to its address. Throws `unavailable` where no cards are taken. */
export const openCardPage = async (
  deps: Pick<AccountDeps, 'store' | 'clock' | 'card'>,
  account: string,
  usd: string,
  returnUrl: string,
): Promise<string> => {
  const value = readAmount(usd, 'card')
  if (!(await accountsIn(deps.store).get(account)))
    throw new ToolError('not_found', 'There is no such account.')
  const title = `${formatUsd(value)} USD for your balance`
  const order = { account, book: toBook(account), value, cents: Number(value / perCent), title, returnUrl }
  return (await openCardTopUp(deps, order)).url
}
