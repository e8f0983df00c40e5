import type { Clock, Fetch } from '../../../ports/index.ts'
import { quoteOf } from '../quote/read-quote.ts'
import type { Found } from './probe-a2a.ts'
import { send } from './send.ts'

/** Asks once without paying and reads the quote. */
export const probeX402 = async (
  fetch: Fetch,
  clock: Clock,
  url: string,
  signal: AbortSignal,
): Promise<Found> => {
  const { answer, failure, attempt } = await send(fetch, { step: 'x402', url }, signal)
  const base = { attempts: [attempt], detail: {} }
  if (!answer) return { ...base, status: 'not_callable', failure }
  const quote = quoteOf(answer, clock.now())
  if (!quote)
    return { ...base, status: failure ? 'not_callable' : 'ambiguous', failure: failure ?? 'no_result' }
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
