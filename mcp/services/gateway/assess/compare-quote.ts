import { z } from 'zod'
import { asList, type JsonRecord } from '../../../lib/json.ts'
import { isSameAddress } from '../../../lib/usd-tokens.ts'
import type { X402Quote } from '../../../lib/x402-wire.ts'
import { parseUrl } from '../source/fields.ts'
import { QuoteOut, toQuote } from './quote.ts'

/** Outcomes of the comparison, the worst first: what is worse decides. */
export const outcomes = [
  'not_authentic',
  'expired',
  'unreadable',
  'other_resource',
  'other_payee',
  'other_network',
  'other_asset',
  'other_scheme',
  'dearer',
  'cheaper',
  'same',
] as const

type Outcome = (typeof outcomes)[number]

const worst = (all: readonly Outcome[]): Outcome =>
  outcomes.find(outcome => all.includes(outcome)) ?? 'unreadable'

export const Compared = QuoteOut.extend({ status: z.enum(outcomes).describe('How this offer compares') })

export const sentences: Record<Outcome, string> = {
  not_authentic: 'The verdict is not one of this gateway, or was changed.',
  expired: 'The verdict or the 402 has expired; ask for a new one.',
  unreadable: 'The 402 holds no offer that can be read.',
  other_resource: 'It asks payment for another resource than the one that was checked.',
  other_payee: 'It pays somebody else than the payee that was checked.',
  other_network: 'It is paid on another network than the one that was checked.',
  other_asset: 'It is paid in another token than the one that was checked.',
  other_scheme: 'It is paid by another scheme than the one that was checked.',
  dearer: 'It costs more than what was checked.',
  cheaper: 'It costs less than what was checked.',
  same: 'It is what was checked.',
}

const fields = ['network', 'asset', 'scheme', 'pay_to'] as const
type Field = (typeof fields)[number]

const isSame = (field: Field, one: QuoteOut, other: QuoteOut): boolean => {
  if (field === 'network' || field === 'scheme') return one[field] === other[field]
  return isSameAddress(one[field], other[field])
}

const differences: Record<Field, Outcome> = {
  pay_to: 'other_payee',
  network: 'other_network',
  asset: 'other_asset',
  scheme: 'other_scheme',
}

/** How an offer compares with the one that it is closest to of those that were checked. */
const compare = (offer: QuoteOut, checked: readonly QuoteOut[]): Outcome => {
  // A verdict on something free covers no payment.
  if (checked.length === 0) return 'dearer'
  const closeness = (other: QuoteOut) => fields.filter(field => isSame(field, offer, other)).length
  const best = [...checked].sort((one, other) => closeness(other) - closeness(one))
  const top = best.filter(other => best[0] && closeness(other) === closeness(best[0]))
  return (
    outcomes.findLast(outcome => top.some(other => compareWith(offer, other) === outcome)) ?? 'unreadable'
  )
}

const compareWith = (offer: QuoteOut, checked: QuoteOut): Outcome => {
  const other = fields.filter(field => !isSame(field, offer, checked)).map(field => differences[field])
  // Payees differ by network: one on another network is told as the other network.
  const isElsewhere = other.includes('other_network')
  if (other.length > 0) return worst(isElsewhere ? other.filter(one => one !== 'other_payee') : other)
  const [asks, was] = [BigInt(offer.amount), BigInt(checked.amount)]
  if (asks === was) return 'same'
  return asks > was ? 'dearer' : 'cheaper'
}

/** True when two addresses are one resource: a query is part of the call, and a server behind a proxy may not know its own scheme. */
const isSameResource = (one: string, other: string): boolean => {
  const [a, b] = [new URL(one), new URL(other)]
  const isSameQuery = a.search === b.search || a.search === '' || b.search === ''
  return a.host === b.host && a.pathname === b.pathname && isSameQuery
}

type Statement = Readonly<JsonRecord> | undefined

/** The offers that a signed verdict covers. */
export const readQuotes = (statement: Statement): QuoteOut[] =>
  asList(statement?.quotes).flatMap(quote => {
    const { success, data } = QuoteOut.safeParse(quote)
    return success ? [data] : []
  })

/** Holds a 402 against the statement of an authentic verdict (undefined for any other); the worst of all offers decides. */
export const compareQuote = (
  statement: Statement,
  required: X402Quote,
  resource: string | undefined,
  now: Date,
): { status: Outcome; offers: z.output<typeof Compared>[] } => {
  const checked = readQuotes(statement)
  const places = [checked[0]?.resource, parseUrl(statement?.interaction_url)].flatMap(url => url ?? [])
  const called = [resource, parseUrl(required.resource)].flatMap(url => url ?? [])
  const isElsewhere = called.some(
    url => places.length > 0 && !places.some(place => isSameResource(url, place)),
  )
  const offers = required.offers.map(offer => {
    const compared = toQuote(offer, called[0] ?? places[0] ?? '')
    return { ...compared, status: isElsewhere ? ('other_resource' as const) : compare(compared, checked) }
  })
  const isOver = !(Date.parse(String(statement?.expires_at)) > now.getTime())
  const ofVerdict: Outcome[] = statement ? (isOver ? ['expired'] : []) : ['not_authentic']
  const ofQuote: Outcome[] =
    required.problem === null ? [] : [/expired/.test(required.problem) ? 'expired' : 'unreadable']
  const status = worst([...ofVerdict, ...ofQuote, ...offers.map(offer => offer.status)])
  return { status, offers }
}
