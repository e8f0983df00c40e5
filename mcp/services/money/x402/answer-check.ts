import { canonicalAddress } from '../../../lib/chain-address.ts'
import { isRecord, parseJson } from '../../../lib/json.ts'
import { clean } from '../../../lib/text/clean.ts'
import { parseEncoded } from './encoded.ts'
import { error, type MessageFinding, warning } from './finding.ts'
import type { OfferFacts, X402Version } from './offer-check.ts'
import { checkQuote, type QuoteReading } from './quote-check.ts'

/** An answer to a call that was not paid. */
export type Answer = {
  status: number
  headers: Readonly<Record<string, string>>
  body: Buffer
  truncated: boolean
  method: string
}

/** Reading of an answer: the quote a client would read, and everything that is wrong with it. */
export type AnswerReading = {
  version: X402Version | null
  /** Place of the quote. */
  place: 'header' | 'body' | null
  /** The quote itself, for a client to try. */
  quotes: { version: X402Version; value: unknown }[]
  offers: OfferFacts[]
  findings: MessageFinding[]
}

const header = 'PAYMENT-REQUIRED'
const maxHeaderBytes = 8_192

const statusFindings = ({ status, headers, method }: Answer): MessageFinding[] => {
  const at = `status ${status}`
  if (status >= 200 && status < 300)
    return [
      error('not_asked_to_pay', at, 'The call was answered without payment: this address asks for none.'),
    ]
  if (status >= 300 && status < 400)
    return [
      error(
        'redirect',
        at,
        `The address redirects to ${clean(headers.location, 300) ?? 'nowhere'}; payers must be given the final address, since redirects may drop the payment or turn a POST into a GET.`,
      ),
    ]
  if (status === 401 || status === 403)
    return [
      error(
        'asks_for_credentials',
        at,
        'The call is refused before it is quoted; payers have no credentials.',
      ),
    ]
  if (status === 404) return [error('no_such_address', at, 'Nothing is at this address.')]
  if (status === 405)
    return [
      error(
        'wrong_method',
        at,
        `The address does not answer ${method}${headers.allow ? `; it allows ${clean(headers.allow, 60)}` : ''}.`,
      ),
    ]
  if (status === 400 || status === 422)
    return [
      error(
        'input_before_price',
        at,
        'The input is refused before the price is told. Give a body that works, or quote first.',
      ),
    ]
  if (status === 429) return [error('too_many_requests', at, 'The server takes no more calls now.')]
  if (status >= 500) return [error('server_fault', at, 'The server failed before it could ask for payment.')]
  return [error('unusual_status', at, 'A call that must be paid for is answered with the status 402.')]
}

/** Headers that servers send instead of the one that clients read. */
const otherHeaders = ['x-payment-required', 'x-payment', 'x-402', 'www-payment', 'payment-required-v2']

const none = (findings: MessageFinding[]): AnswerReading => ({
  version: null,
  place: null,
  quotes: [],
  offers: [],
  findings,
})

const withoutQuote = (headers: Answer['headers']): MessageFinding => {
  const other = otherHeaders.find(name => headers[name] !== undefined)
  if (other !== undefined)
    return error(
      'wrong_header',
      other.toUpperCase(),
      `The quote is in ${other.toUpperCase()}; clients read ${header} (version 2) or the body (version 1).`,
    )
  if (headers['www-authenticate'] !== undefined)
    return error(
      'no_quote',
      header,
      `The 402 holds no x402 quote, only WWW-Authenticate: ${clean(headers['www-authenticate'], 60)}.`,
    )
  return error('no_quote', header, `The 402 holds no quote: neither ${header} nor a body of version 1.`)
}

const parseHeader = (text: string): { reading: QuoteReading; value: unknown } => {
  const encoded = parseEncoded(text)
  const fail = (code: string, message: string) => ({
    reading: { version: null, offers: [], findings: [error(code, header, message)] },
    value: undefined,
  })
  if (encoded.form === 'none')
    return fail('header_unreadable', `${header} cannot be read: ${encoded.problem}. It is base64 of JSON.`)
  if (encoded.form !== 'base64')
    return fail(
      'header_not_base64',
      `${header} is ${encoded.form === 'json' ? 'JSON itself' : 'base64url'}; clients decode it as base64 and fail.`,
    )
  if (isRecord(encoded.value) && encoded.value.x402Version === 1)
    return fail(
      'v1_in_v2_header',
      `${header} holds a quote of version 1; that header is version 2, and a quote of version 1 belongs into the body.`,
    )
  return { reading: checkQuote(encoded.value, header), value: encoded.value }
}

const toTerms = ({ network, asset, amount, payTo }: OfferFacts): string =>
  [amount, canonicalAddress(payTo ?? ''), canonicalAddress(asset ?? ''), network].join(' ')

/** Both quotes of one answer must ask for the same where they speak of the same network. */
const disagreement = (one: readonly OfferFacts[], other: readonly OfferFacts[]): MessageFinding[] =>
  one.flatMap(offer => {
    const twins = other.filter(twin => twin.network === offer.network && twin.scheme === offer.scheme)
    return twins.length === 0 || twins.some(twin => toTerms(twin) === toTerms(offer))
      ? []
      : [
          error(
            'versions_disagree',
            'body.accepts',
            `Header and body ask for different payments on ${offer.network}: clients of one version pay something else than those of the other.`,
          ),
        ]
  })

const readBody = ({ body, headers, truncated }: Answer): unknown => {
  if (truncated || !/json/i.test(headers['content-type'] ?? 'json')) return undefined
  return parseJson(body.toString('utf8'))
}

const bodyOnly = (answer: Answer, value: unknown): AnswerReading => {
  const looksLikeV2 = isRecord(value) && (value.x402Version === 2 || isRecord(value.paymentRequired))
  if (looksLikeV2)
    return none([
      error(
        'v2_without_header',
        header,
        `The quote of version 2 is in the body only; clients of version 2 read the header ${header} and nothing else.`,
      ),
    ])
  if (!isRecord(value) || (value.x402Version === undefined && value.accepts === undefined))
    return none([withoutQuote(answer.headers)])
  const { version, offers, findings } = checkQuote(value, 'body')
  const isOld = version === 1
  return {
    version,
    place: 'body',
    quotes: isOld ? [{ version: 1, value }] : [],
    offers,
    findings: [
      ...findings,
      ...(isOld
        ? [warning('v1_only', header, `Only version 1 is quoted; add ${header} for clients of version 2.`)]
        : []),
    ],
  }
}

/** Judges the answer to an unpaid call, in the order in which a payer's client meets it. */
export const checkAnswer = (answer: Answer): AnswerReading => {
  if (answer.status !== 402) return none(statusFindings(answer))
  const raw = answer.headers['payment-required']
  const body = readBody(answer)
  if (raw === undefined) return bodyOnly(answer, body)
  const large =
    raw.length > maxHeaderBytes
      ? [
          error(
            'header_too_large',
            header,
            `${header} has ${raw.length} bytes; proxies drop headers of more than ${maxHeaderBytes}.`,
          ),
        ]
      : []
  const { reading, value } = parseHeader(raw)
  const isBoth = isRecord(body) && body.x402Version === 1
  const second = isBoth ? checkQuote(body, 'body') : undefined
  return {
    version: reading.version,
    place: 'header',
    quotes: [
      ...(reading.version === 2 ? [{ version: 2 as const, value }] : []),
      ...(second?.version === 1 ? [{ version: 1 as const, value: body }] : []),
    ],
    offers: reading.offers,
    findings: [
      ...large,
      ...reading.findings,
      ...(second ? [...second.findings, ...disagreement(reading.offers, second.offers)] : []),
    ],
  }
}
