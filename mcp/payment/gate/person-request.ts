import { PaymentRequired } from '../../kernel/error.ts'
import type { Charge } from '../charge.ts'
import type { People } from '../people.ts'
import type { NotCovered } from './not-covered.ts'
import { requestDigest } from './request.ts'

/** The refusal with the page on which the person may cover this one call, and where the balance is topped up. */
export const withRequest = async (
  refused: NotCovered,
  charge: Charge,
  { openRequest, page }: Pick<People, 'openRequest' | 'page'>,
): Promise<PaymentRequired> => {
  const { service, tool, caller } = charge
  const { parts, extra, amount } = refused
  const balance = caller?.balance
  if (!balance) return refused
  const reason = extra.reason ?? ''
  const detail =
    reason === 'balance_too_low' ? `${refused.message} Top up the balance at ${page()}.` : refused.message
  const request = await openRequest({
    balance,
    call: requestDigest(charge),
    service,
    tool,
    amount,
    reason,
    detail: refused.message,
  })
  const params = { ...extra.params, top_up_at: page() }
  if (!request) return new PaymentRequired(parts, detail, { ...extra, params })
  const { id, url, expiresAt, message } = request
  return new PaymentRequired(
    parts,
    `For the person who uses this: cover this call at ${url} within ten minutes. ${detail}`,
    {
      ...extra,
      params: { ...params, pay_at: url, pay_until: expiresAt },
      ask: { id, url, message },
    },
  )
}

/** The refusal for a client that has asked its person before: it says where the page is, and asks for nothing. */
export const withoutAsk = ({
  parts,
  message,
  extra: { ask: _, ...extra },
}: PaymentRequired): PaymentRequired => new PaymentRequired(parts, message, extra)
