import { findUsdToken, isLookAlike, isSameAddress, toCaip2 } from '../../../lib/usd-tokens.ts'
import { type Offer, priceOffer } from '../../../lib/x402-wire.ts'
import type { Check } from '../check/check.ts'
import { dollars, type ExtraInput, toMicro } from './extras.ts'
import { type Findings, manifestFacts } from './gather.ts'
import { toEvidence } from './look.ts'
import { statedEvidence, toCheck } from './make-check.ts'

/**
 * Whether it serves for nothing: our probe was served without payment, and nobody says that it costs anything. What a verdict about
 * it covers is a payment of nothing.
 */
export const isFreeOfCharge = (findings: Findings): boolean => {
  const { quote, recent, card, manifest, candidate, listings, tools, protocol } = findings
  if (quote || protocol === null || protocol === 'x402' || recent?.status !== 'callable' || !recent.served)
    return false
  const { facts } = card
  const { payTo, isSelling } = manifestFacts(manifest)
  if ((typeof facts === 'object' && facts.asksPayment) || payTo !== null || isSelling || tools?.priced)
    return false
  return [candidate, ...listings].every(({ price, pay_to }) => price === null && pay_to === null)
}

/**
 * What a call costs at most, in millionths of a USD: the dearest offer, since nobody knows which one will be taken. Undefined
 * when any offer cannot be compared.
 */
export const computeMaxCost = (findings: Findings): bigint | undefined => {
  const { quote, candidate, listings } = findings
  const prices = (quote?.offers ?? []).map(priceOffer)
  const knownPrices = prices.filter(price => price !== undefined)
  if (knownPrices.length < prices.length) return undefined
  if (knownPrices.length > 0) return knownPrices.reduce((max, price) => (price > max ? price : max))
  if (isFreeOfCharge(findings)) return 0n
  const price = [candidate, ...listings].map(entry => entry.price).find(one => one !== null)
  // Registries' prices are of known tokens alone: their readers see to it.
  return quote || !price || !/^\d{1,12}(\.\d+)?$/.test(price.amount) ? undefined : toMicro(price.amount)
}

/** The offer of a quote that costs the most; the first where none can be compared. */
export const pickDearest = (offers: readonly Offer[]): Offer | undefined =>
  [...offers].sort((one, other) => {
    const [a, b] = [priceOffer(one) ?? -1n, priceOffer(other) ?? -1n]
    return a === b ? 0 : a < b ? 1 : -1
  })[0]

const quoteValid = (findings: Findings): Check => {
  const { quote, service, quoteEvidence: evidence } = findings
  if (quote?.problem)
    return toCheck(
      'quote_valid',
      'fail',
      `Its quote cannot be paid: ${quote.problem}.`,
      evidence,
      'quotes strangers',
    )
  if (quote)
    return toCheck(
      'quote_valid',
      'pass',
      `A quote of x402 version ${quote.version} with ${quote.offers.length} offers.`,
      evidence,
    )
  if (isFreeOfCharge(findings))
    return toCheck('quote_valid', 'not_applicable', 'It served our probe and asks for no payment.', evidence)
  const status = service.fetched?.status
  return toCheck(
    'quote_valid',
    'unknown',
    status === undefined ? 'No quote could be read.' : `It answered ${status} and no quote.`,
    evidence,
  )
}

const namedToken = ({ asset, assetNames }: Offer): string =>
  assetNames.length > 0 ? `${asset}, which is called ${assetNames.join(', ')}` : asset

const assetGenuine = ({ quote, quoteEvidence: evidence }: Findings): Check => {
  const offers = quote?.offers ?? []
  if (offers.length === 0) return toCheck('asset_genuine', 'not_applicable', 'It asks for no token.')
  const fake = offers.find(({ network, asset, assetNames }) => isLookAlike(network, asset, assetNames))
  if (fake)
    return toCheck(
      'asset_genuine',
      'fail',
      `It asks for a look-alike of a USD token: ${namedToken(fake)}, on ${fake.network}.`,
      evidence,
      'quotes strangers',
    )
  return offers.every(({ network, asset }) => findUsdToken(network, asset))
    ? toCheck('asset_genuine', 'pass', 'It asks for known USD tokens alone.', evidence)
    : toCheck(
        'asset_genuine',
        'not_applicable',
        'It asks for a token that does not pose as a USD token.',
        evidence,
      )
}

/** Every payee that is named, by who names it. Offers on other networks have payees of their own, so each counts. */
const collectPayees = (findings: Findings) => {
  const { quote, card, manifest, candidate, listings } = findings
  const { facts } = card
  const payees: [who: string, payee: string | null][] = [
    ['The card', typeof facts === 'object' ? facts.payTo : null],
    ['The manifest', manifestFacts(manifest).payTo],
    ...[candidate, ...listings].map(({ pay_to }): [string, string | null] => ['The registry', pay_to]),
  ]
  return {
    quoted: (quote?.offers ?? []).map(({ payTo }: Offer) => payTo),
    others: payees.flatMap(([who, payee]) => (payee === null ? [] : [{ who, payee }])),
  }
}

const consistent = (findings: Findings): Check => {
  const { quote, manifest, quoteEvidence } = findings
  const { quoted, others } = collectPayees(findings)
  const evidence = [...quoteEvidence, toEvidence(manifest)]
  const [first] = others
  if (isFreeOfCharge(findings))
    return toCheck('pay_to_consistent', 'not_applicable', 'Nobody is paid.', evidence)
  if (quoted.length === 0 && !first)
    return toCheck('pay_to_consistent', 'unknown', 'Nobody names a payee.', evidence)
  const allowed = quoted.length > 0 ? quoted : first ? [first.payee] : []
  const torn = quote?.offers.find(({ network, payTo }) =>
    quote.offers.some(
      other => toCaip2(other.network) === toCaip2(network) && !isSameAddress(other.payTo, payTo),
    ),
  )
  if (torn)
    return toCheck(
      'pay_to_consistent',
      'fail',
      `The quote names two payees on ${torn.network}.`,
      evidence,
      'quotes strangers',
    )
  const stranger = others.find(({ payee }) => !allowed.some(other => isSameAddress(other, payee)))
  if (stranger)
    return toCheck(
      'pay_to_consistent',
      'fail',
      `${stranger.who} names another payee, ${stranger.payee}, than ${quoted.length > 0 ? 'the quote' : 'another source'} does, ${allowed.join(' or ')}. Ask the seller which is right.`,
      evidence,
      'quotes strangers',
    )
  return toCheck(
    'pay_to_consistent',
    'pass',
    `${quoted.length > 0 ? 'The quote' : 'One source'}${others.length > 0 ? ' and all others' : ''} name the same payee.`,
    evidence,
  )
}

/** Earlier probes than the one whose quote is looked at. */
const checkUnchangedQuote = ({ probes, quote, recent, quoteEvidence }: Findings): Check => {
  const isProbes = quote !== null && quote === recent?.quote
  const before = probes.find(probe => probe.pay_to !== null && !(isProbes && probe === recent))
  if (!before?.pay_to || !quote || quote.offers.length === 0)
    return toCheck('pay_to_unchanged', 'not_applicable', 'There is no earlier payee to compare with.')
  const evidence = [
    ...quoteEvidence,
    { url: before.target, observed_at: before.at, digest: before.proof_digest },
  ]
  const { pay_to } = before
  return quote.offers.some(({ payTo }) => isSameAddress(payTo, pay_to))
    ? toCheck('pay_to_unchanged', 'pass', 'The payee is the one we saw before.', evidence)
    : toCheck('pay_to_unchanged', 'fail', 'The payee has changed since we saw it last.', evidence)
}

const notSelf = (findings: Findings, ownWallets: readonly string[]): Check => {
  const { quoted, others } = collectPayees(findings)
  const all = [...quoted, ...others.map(({ payee }) => payee)]
  const { quoteEvidence: evidence } = findings
  if (all.length === 0) return toCheck('not_self_payment', 'not_applicable', 'No payee is known.')
  return all.some(payee => ownWallets.some(ownWallet => isSameAddress(ownWallet, payee)))
    ? toCheck('not_self_payment', 'fail', 'The payee is this gateway itself.', evidence)
    : toCheck('not_self_payment', 'pass', 'The payee is not this gateway.', evidence)
}

const priceKnown = (findings: Findings): Check => {
  const cost = computeMaxCost(findings)
  const { quoteEvidence: evidence, quote } = findings
  if (cost !== undefined && isFreeOfCharge(findings))
    return toCheck('price_known', 'pass', 'It is free: this covers no payment at all.', evidence)
  if (cost !== undefined)
    return toCheck('price_known', 'pass', `The provider asks ${dollars(cost)} USD.`, evidence)
  const strange = quote?.offers.find(offer => priceOffer(offer) === undefined)
  return strange
    ? toCheck(
        'price_known',
        'unknown',
        `What it asks for is no known USD token: ${namedToken(strange)}, on ${strange.network}.`,
        evidence,
        'quotes strangers',
      )
    : toCheck('price_known', 'unknown', 'The provider states no price that can be compared.', evidence)
}

const maxCost = (findings: Findings): Check => {
  const cost = computeMaxCost(findings)
  const { quoteEvidence: evidence } = findings
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
export const computeCap = (
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
  const evidence = [...findings.quoteEvidence, ...statedEvidence(findings.now)]
  if (cost === 0n && isFreeOfCharge(findings))
    return toCheck('price_within_max', 'pass', 'Nothing is within any maximum.', evidence)
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

/** Checks its price, whom that is paid, and whether it is within the maximum. `own` are the gateway's own payees. */
export const paymentChecks = (
  findings: Findings,
  extras: ExtraInput,
  policy: { max_cost_usd?: string | undefined },
  ownWallets: readonly string[],
): Check[] => [
  quoteValid(findings),
  assetGenuine(findings),
  consistent(findings),
  checkUnchangedQuote(findings),
  notSelf(findings, ownWallets),
  priceKnown(findings),
  maxCost(findings),
  withinMax(findings, extras, policy),
]
