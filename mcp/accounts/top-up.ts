import { randomBytes } from 'node:crypto'
import { ToolError } from '../kernel/error.ts'
import { accountsIn } from './account.ts'
import { formatUsd, parseUsd } from './amount.ts'
import { cardTopUpsIn, perCent } from './card-top-ups.ts'
import type { AccountDeps } from './deps.ts'
import { openTopUpRequest, type PaymentRequest } from './payment-requests.ts'

/** What one top-up may add, in millionths of a dollar. A card costs fees, and what is more asks for another way. */
const bounds = {
  wallet: { min: 100_000n, max: 10_000_000_000n },
  lightning: { min: 100_000n, max: 1_000_000_000n },
  card: { min: 1_000_000n, max: 500_000_000n },
} as const

export type Way = keyof typeof bounds

/** Card pages that one account may have made in a UTC day. */
const cardPagesPerDay = 50

const readAmount = (usd: string, way: Way): bigint => {
  const value = parseUsd(usd)
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
export const openCardTopUp = async (
  { store, clock, card }: Pick<AccountDeps, 'store' | 'clock' | 'card'>,
  account: string,
  usd: string,
  returnUrl: string,
): Promise<string> => {
  if (!card) throw new ToolError('unavailable', 'No cards are taken here.')
  const cents = Number(readAmount(usd, 'card') / perCent)
  const now = clock.now().toISOString()
  const id = randomBytes(16).toString('hex')
  // It is there before the processor knows of it, so that no payment comes for a top-up that nobody knows.
  await store.transaction(async tx => {
    if (!(await accountsIn(tx).get(account))) throw new ToolError('not_found', 'There is no such account.')
    const where = { account, created_at: { gte: now.slice(0, 10) } }
    if ((await cardTopUpsIn(tx).count({ index: 'account', where })) >= cardPagesPerDay)
      throw new ToolError('too_many_requests', 'This account has made too many pages for cards today.', {
        retryAfter: 3600,
      })
    await cardTopUpsIn(tx).insert({
      id,
      account,
      cents,
      session: null,
      payment: null,
      state: 'open',
      credited: '0',
      moves: 0,
      created_at: now,
    })
  })
  const title = `${formatUsd(BigInt(cents) * perCent)} USD for your balance`
  const checkout = await card.createCheckout({ id, cents, title, returnUrl })
  await cardTopUpsIn(store).update(id, row => ({ ...row, session: checkout.session }))
  return checkout.url
}
