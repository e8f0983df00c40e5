import { type Offer, toUsdMicros } from '../../../lib/x402-wire.ts'
import type { Check } from '../check/check.ts'
import { type ExtraInput, toMicro } from './extras.ts'
import { type Findings, manifestFacts } from './gather.ts'
import { toEvidence } from './look.ts'
import { statedEvidence, toCheck } from './make-check.ts'

/**
 * What a call costs at most, in millionths of a USD: the dearest offer, since nobody knows which one will be taken. Undefined
 * when any offer cannot be compared.
 */
export const computeMaxCost = ({ quote, candidate }: Findings): bigint | undefined => {
  const prices = (quote?.offers ?? []).map(toUsdMicros)
  const knownPrices = prices.filter(price => price !== undefined)
  if (knownPrices.length < prices.length) return undefined
  if (knownPrices.length > 0) return knownPrices.reduce((max, price) => (price > max ? price : max))
  const { price } = candidate
  if (
    quote ||
    price === null ||
    !/^(?:USD|USDC)$/.test(price.currency) ||
    !/^\d{1,12}(\.\d+)?$/.test(price.amount)
  )
    return undefined
  return toMicro(price.amount)
}

export const dollars = (micro: bigint): string => {
  const fraction = (micro % 1_000_000n).toString().padStart(6, '0').replace(/0+$/, '')
  return `${micro / 1_000_000n}${fraction === '' ? '' : `.${fraction}`}`
}

const serviceEvidence = ({ service }: Findings) => (service ? [toEvidence(service)] : [])

const quoteValid = (findings: Findings): Check => {
  const { quote, service } = findings
  const evidence = serviceEvidence(findings)
  if (quote?.problem)
    return toCheck('quote_valid', 'fail', `Its quote cannot be paid: ${quote.problem}.`, evidence)
  if (quote)
    return toCheck(
      'quote_valid',
      'pass',
      `A quote of x402 version ${quote.version} with ${quote.offers.length} offers.`,
      evidence,
    )
  const status = service?.fetched?.status
  return toCheck(
    'quote_valid',
    'unknown',
    status === undefined ? 'No quote could be read.' : `It answered ${status} and no quote.`,
    evidence,
  )
}

const sameText = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/** Every payee that is named, by who names it. Offers on other networks have payees of their own, so each counts. */
const collectPayees = (findings: Findings) => {
  const { quote, card, manifest, candidate } = findings
  const facts = card?.facts
  const payees: [who: string, payee: string | null][] = [
    ['the card', typeof facts === 'object' ? facts.payTo : null],
    ['the manifest', manifestFacts(manifest).payTo],
    ['the registry', candidate.pay_to],
  ]
  return {
    quoted: (quote?.offers ?? []).map(({ payTo }: Offer) => payTo),
    others: payees.flatMap(([who, payee]) => (payee === null ? [] : [{ who, payee }])),
  }
}

const consistent = (findings: Findings): Check => {
  const { quote, manifest } = findings
  const { quoted, others } = collectPayees(findings)
  const evidence = [...serviceEvidence(findings), toEvidence(manifest)]
  const [first] = others
  if (quoted.length === 0 && !first)
    return toCheck('pay_to_consistent', 'unknown', 'Nobody names a payee.', evidence)
  const allowed = quoted.length > 0 ? quoted : first ? [first.payee] : []
  const torn = quote?.offers.find(({ network, payTo }) =>
    quote.offers.some(other => other.network === network && !sameText(other.payTo, payTo)),
  )
  if (torn)
    return toCheck('pay_to_consistent', 'fail', `The quote names two payees on ${torn.network}.`, evidence)
  const stranger = others.find(({ payee }) => !allowed.some(other => sameText(other, payee)))
  if (stranger)
    return toCheck(
      'pay_to_consistent',
      'fail',
      `${stranger.who} names another payee than the quote does.`,
      evidence,
    )
  return toCheck(
    'pay_to_consistent',
    'pass',
    `${quoted.length > 0 ? 'The quote' : 'One source'}${others.length > 0 ? ' and all others' : ''} name the same payee.`,
    evidence,
  )
}

const unchanged = ({ probes, quote }: Findings): Check => {
  const before = probes.find(({ pay_to }) => pay_to !== null)
  if (!before?.pay_to || !quote || quote.offers.length === 0)
    return toCheck('pay_to_unchanged', 'not_applicable', 'There is no earlier payee to compare with.')
  const evidence = [{ url: before.target, observed_at: before.at, digest: before.proof_digest }]
  const { pay_to } = before
  return quote.offers.some(({ payTo }) => sameText(payTo, pay_to))
    ? toCheck('pay_to_unchanged', 'pass', 'The payee is the one we saw before.', evidence)
    : toCheck('pay_to_unchanged', 'fail', 'The payee has changed since we saw it last.', evidence)
}

const notSelf = (findings: Findings, ownWallets: readonly string[]): Check => {
  const { quoted, others } = collectPayees(findings)
  const all = [...quoted, ...others.map(({ payee }) => payee)]
  const evidence = serviceEvidence(findings)
  if (all.length === 0) return toCheck('not_self_payment', 'not_applicable', 'No payee is known.')
  return all.some(payee => ownWallets.some(ownWallet => sameText(ownWallet, payee)))
    ? toCheck('not_self_payment', 'fail', 'The payee is this gateway itself.', evidence)
    : toCheck('not_self_payment', 'pass', 'The payee is not this gateway.', evidence)
}

const priceKnown = (findings: Findings): Check => {
  const cost = computeMaxCost(findings)
  const evidence = serviceEvidence(findings)
  return cost === undefined
    ? toCheck('price_known', 'unknown', 'The provider states no price that can be compared.', evidence)
    : toCheck('price_known', 'pass', `The provider asks ${dollars(cost)} USD.`, evidence)
}

const maxCost = (findings: Findings): Check => {
  const cost = computeMaxCost(findings)
  const evidence = serviceEvidence(findings)
  if (cost === undefined)
    return toCheck('max_cost_known', 'unknown', 'Without a price there is no maximum cost.', evidence)
  const capped = findings.quote?.offers.some(({ scheme }) => scheme === 'upto')
  return toCheck(
    'max_cost_known',
    'pass',
    `It costs ${capped ? 'at most ' : ''}${dollars(cost)} USD.`,
    evidence,
  )
}

/** The most that may be spent: what the request says and what the operator says, whichever is less. */
const computeCap = (
  extras: ExtraInput,
  policy: { max_cost_usd?: string | undefined },
): bigint | undefined => {
  const caps = [extras.max_cost, policy.max_cost_usd].flatMap(cap =>
    cap === undefined ? [] : [toMicro(cap)],
  )
  return caps.length === 0 ? undefined : caps.reduce((min, cap) => (cap < min ? cap : min))
}

const withinMax = (
  findings: Findings,
  extras: ExtraInput,
  policy: { max_cost_usd?: string | undefined },
): Check => {
  const [cost, cap] = [computeMaxCost(findings), computeCap(extras, policy)]
  const evidence = [...serviceEvidence(findings), ...statedEvidence(findings.now)]
  if (cost === undefined || cap === undefined)
    return toCheck(
      'price_within_max',
      'unknown',
      cap === undefined ? 'Nobody said what it may cost at most.' : 'The price is not known.',
      evidence,
    )
  return cost <= cap
    ? toCheck('price_within_max', 'pass', `${dollars(cost)} of at most ${dollars(cap)} USD.`, evidence)
    : toCheck(
        'price_within_max',
        'fail',
        `${dollars(cost)} USD is over the maximum of ${dollars(cap)}.`,
        evidence,
      )
}

/** What it costs, whom that is paid, and whether it is within the maximum. `own` are the gateway's own payees. */
export const paymentChecks = (
  findings: Findings,
  extras: ExtraInput,
  policy: { max_cost_usd?: string | undefined },
  ownWallets: readonly string[],
): Check[] => [
  quoteValid(findings),
  consistent(findings),
  unchanged(findings),
  notSelf(findings, ownWallets),
  priceKnown(findings),
  maxCost(findings),
  withinMax(findings, extras, policy),
]
