import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { type Context, free, tool } from '../../kernel/tool.ts'
import { requireAccount } from './account/caller.ts'
import { toWalletBook } from './account/wallet.ts'

/** Bounds of a card charge: less is eaten up by fees, more asks for another way. Hundredths of a dollar. */
const minCents = 100
const maxCents = 50_000

/** Pages that one account may open in a UTC day. */
const pagesPerDay = 50

const toCents = (usd: string): number => {
  const [whole = '0', part = ''] = usd.split('.')
  return Number(whole) * 100 + Math.ceil(Number(part.padEnd(6, '0')) / 10_000)
}

const formatUsd = (cents: number): string => (cents / 100).toFixed(2)

const refuseAmount = (cents: number): never => {
  const bounds = `${formatUsd(minCents)} to ${formatUsd(maxCents)} USD`
  const message = `would cost ${formatUsd(cents)} USD; a card takes ${bounds}`
  throw new ToolError('invalid_input', `sats: ${message}.`, { issues: [{ path: 'sats', message }] })
}

/** Prepares a page. Throws where there is no account or no card, and for an amount that a card does not take. */
const prepare = async (
  { store, rates, card, caller }: Context<'store' | 'rates', 'card'>,
  { sats }: { sats: number },
) => {
  const account = await requireAccount(store, caller)
  if (!card)
    throw new ToolError('unavailable', 'No cards are taken here.', {
      hint: 'Top up by Lightning or x402 instead. The operator sets STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET to take cards.',
      next: ['top_up'],
    })
  const { amount, rate } = await rates.convert({ amount: String(sats), unit: 'sat' }, 'usd')
  const cents = toCents(amount)
  if (cents < minCents || cents > maxCents) refuseAmount(cents)
  return { account, cents, rate }
}

export default tool({
  name: 'top_up_by_card',
  title: 'Top up by card',
  description:
    'Makes a page on which a person pays by card to add sats to the balance of your account, at the stated rate. Give its address to your user. The balance has them once the payment is confirmed. Making the page is free.',
  keywords: ['credit', 'visa', 'stripe', 'checkout', 'fiat', 'debit'],
  input: z.object({
    sats: z.number().int().min(1).max(100_000_000).describe('Sats to add; worth 1 to 500 USD'),
  }),
  aliases: { sats: ['amount', 'amount_sats'] },
  output: z.object({
    top_up_id: z.string().describe('Id of this top-up'),
    checkout_url: z.string().describe('The page to pay on'),
    expires_at: z.iso.datetime().describe('Until when it can be paid on'),
    sats: z.number().int().describe('What it will add'),
    usd: z.string().describe('What the card is charged'),
    rate: z.string().describe('What the price was converted by, and who states it'),
  }),
  needs: ['store', 'books', 'rates'],
  wants: ['card'],
  price: free,
  auth: ['bearer'],
  limits: [
    { perMinute: 10, per: 'client' },
    { perDay: pagesPerDay, per: 'client' },
  ],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  a2a: { tags: ['account', 'free'] },
  rest: { routes: ['POST /topup/card'] },
  examples: [{ sats: 10_000 }],
  needsSetup: true,
  summary: ({ usd, sats, checkout_url }) => `Pay ${usd} USD for ${sats} sats at ${checkout_url}`,
  check: prepare,
}).run(async (ctx, { sats }) => {
  const { books, base } = ctx
  const { account, cents, rate } = await prepare(ctx, { sats })
  const { id, url, expiresAt } = await books.openCardTopUp({
    account: account.id,
    book: toWalletBook(account.id),
    value: BigInt(sats) * 1000n,
    cents,
    title: `${sats} sats for account ${account.id}`,
    returnUrl: `${base}/topup/card/return`,
  })
  return {
    top_up_id: id,
    checkout_url: url,
    expires_at: expiresAt.toISOString(),
    sats,
    usd: formatUsd(cents),
    rate: rate ? `${rate.rate} (${rate.source})` : '',
  }
})
