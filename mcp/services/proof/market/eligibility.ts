import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import type { Fetch } from '../../../ports/fetch/port.ts'
import type { Hook } from './offer.ts'

const Answer = z.object({ decision: z.literal('ACCEPT') })

/** Facts of a buyer for the seller: its public id, never a key or an address. */
export type Applicant = {
  offer_id: string
  buyer: string
  price_sats: number
  intent: string | null
  buyer_input: string | null
}

const refuse = (): ToolError =>
  new ToolError('forbidden', 'The seller did not accept this buyer. Nothing was charged.', {
    reason: 'not_eligible',
    hint: 'Only an explicit ACCEPT of its address lets a purchase through.',
  })

const readAnswer = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** Asks the seller whether a buyer may buy. Throws `forbidden` for anything but 200 and `{"decision": "ACCEPT"}`, whatever went wrong. */
export const requireEligible = async (
  fetch: Fetch,
  { url, bearer }: Hook,
  applicant: Applicant,
  signal: AbortSignal,
): Promise<void> => {
  let answer: unknown
  try {
    const fetched = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
      },
      body: JSON.stringify(applicant),
      accept: 'application/json',
      maxBytes: 4096,
      maxRedirects: 0,
      deadlineMs: 5000,
      fresh: true,
      // A stranger wrote the address into its offer.
      namedBy: 'page',
      signal,
    })
    answer = fetched.status === 200 && !fetched.truncated ? readAnswer(fetched.text().text) : undefined
  } catch {
    signal.throwIfAborted()
    throw refuse()
  }
  if (!Answer.safeParse(answer).success) throw refuse()
}
