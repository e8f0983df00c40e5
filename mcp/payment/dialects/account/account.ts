import { callName, type Prepaid, type Service } from '../../../kernel/service.ts'
import type { Channel } from '../../../kernel/tool.ts'
import type { Charge } from '../../charge.ts'
import type { Dialect } from '../../dialect.ts'
import type { Offer } from '../../method.ts'

type Options = {
  base: (service: Service) => string
  /** Page to add to one's balance. */
  page: () => string
}

const balanceKey = 'octagent/balance'
const receiptKey = 'octagent/receipt'

const units: Readonly<Record<string, string>> = { msat: 'sat', USDC: 'usd', credit: 'credit' }

/** How a caller gets a balance or adds to it, as its transport names tools. */
const waysIn = (
  { service, caller }: Charge,
  { register, topUps }: Prepaid,
  base: string,
  channel: Channel,
): Record<string, unknown> => {
  const name = (tool: string) => callName(service, tool, channel)
  const ways = {
    ...(!caller?.balance && { register: name(register) }),
    top_up: topUps.map(name),
  }
  return channel === 'rest' ? { ...ways, base } : ways
}

const toFacts = (offer: Offer) => ({
  unit: units[offer.asset] ?? offer.asset,
  price: offer.extra.price ?? offer.amount,
  available: offer.extra.available ?? null,
})

/**
 * Accounts with a prepaid balance, told apart by their key, `Authorization: Bearer` or `X-API-Key`, or by who signed in. A refusal names the price, what the
 * balance has and how to add to it; the key that identifies a caller is all that a payment needs, so that nothing is read here.
 */
export const openAccountDialect = ({ base, page }: Options): Dialect => ({
  id: 'account',
  ask(offers, charge) {
    const offer = offers.find(({ kind }) => kind === 'account')
    if (!offer) return {}
    const { service, caller } = charge
    const { prepaid } = service
    const isPersons = caller?.balance?.spender !== undefined
    const tell = (channel: Channel) => ({
      ...toFacts(offer),
      ...(isPersons ? { top_up_at: page() } : prepaid && waysIn(charge, prepaid, base(service), channel)),
    })
    return {
      // Whoever signed in has proven who calls: a challenge would have its client sign in again.
      ...(!isPersons && { challenges: [`Bearer realm="${service.slug}"`] }),
      body: { balance: tell('rest') },
      meta: { [balanceKey]: tell('mcp') },
      a2a: { [balanceKey]: tell('a2a') },
    }
  },
  read: () => [],
  report({ success, transaction, network, receipt }, { at } = {}) {
    if (success !== true || at === undefined) return {}
    const proof = { method: 'balance', entry: transaction, network, timestamp: at, receipt }
    return {
      headers: { 'Payment-Receipt': Buffer.from(JSON.stringify(proof)).toString('base64url') },
      meta: { [receiptKey]: proof },
      a2a: { [receiptKey]: proof },
    }
  },
})
