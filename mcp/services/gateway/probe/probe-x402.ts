import { parseQuote } from '../../../lib/x402-wire.ts'
import type { Clock, Fetch } from '../../../ports/index.ts'
import type { ProbeResult } from './probe-a2a.ts'
import { send } from './send.ts'

/** Answers that offer something without a quote tell nothing; those that deny it do. */
const isRefusal = (status: number): boolean => status >= 400 && status !== 402

/** Asks once without paying and reads the quote; a resource that does not know GET is asked with an empty POST. */
export const probeX402 = async (
  fetch: Fetch,
  clock: Clock,
  url: string,
  signal: AbortSignal,
): Promise<ProbeResult> => {
  const first = await send(fetch, { step: 'x402', url }, signal)
  const again =
    first.answer?.status === 405 ? await send(fetch, { step: 'x402 POST', url, body: {} }, signal) : undefined
  const { answer, failure } = again ?? first
  const base = { attempts: [first, ...(again ? [again] : [])].map(({ attempt }) => attempt), detail: {} }
  if (!answer)
    return { ...base, status: failure === 'unknown_delivery_state' ? 'ambiguous' : 'not_callable', failure }
  if (answer.status === 401 || answer.status === 403)
    return { ...base, status: 'callable_with_auth', failure: null }
  if (failure) return { ...base, status: 'not_callable', failure }
  const quote = parseQuote(answer, clock.now())
  if (!quote)
    return { ...base, status: isRefusal(answer.status) ? 'not_callable' : 'ambiguous', failure: 'no_result' }
  if (quote.problem)
    return {
      ...base,
      status: 'not_callable',
      failure: 'protocol_failure',
      detail: { problem: quote.problem },
    }
  const [offer] = quote.offers
  const detail = {
    version: quote.version,
    offers: quote.offers.length,
    pay_to: offer?.payTo ?? null,
    network: offer?.network ?? null,
  }
  return { ...base, status: 'callable_with_payment', failure: null, detail }
}
