import { parseQuote } from '../../../lib/x402-wire.ts'
import type { Clock } from '../../../ports/clock/port.ts'
import type { Fetch } from '../../../ports/fetch/port.ts'
import { type ProbeResult, toQuoteDetail } from './probe-a2a.ts'
import { sendProbe } from './send.ts'

/** Answers that offer something without a quote tell nothing; those that deny it do. */
const isRefusal = (status: number): boolean => status >= 400 && status !== 402

/** Answers to GET of a resource that may know POST alone. What is free to GET is not asked to do anything. */
const mayKnowPost = new Set([400, 404, 405, 415, 422, 501])

/** Asks once without paying and reads the quote; a resource that does not know GET is asked with an empty POST. */
export const probeX402 = async (
  fetch: Fetch,
  clock: Clock,
  url: string,
  signal: AbortSignal,
): Promise<ProbeResult> => {
  const first = await sendProbe(fetch, { step: 'x402', url }, signal)
  const posted = mayKnowPost.has(first.answer?.status ?? 0)
    ? await sendProbe(fetch, { step: 'x402 POST', url, body: {} }, signal)
    : undefined
  // Where POST is unknown too, the first answer says more.
  const again =
    posted?.answer && first.answer?.status !== 405 && posted.answer.status !== 402 ? undefined : posted
  const { answer, failure } = again ?? first
  const base = { attempts: [first, ...(posted ? [posted] : [])].map(({ attempt }) => attempt), detail: {} }
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
  return { ...base, status: 'callable_with_payment', failure: null, quote, detail: toQuoteDetail(quote) }
}
