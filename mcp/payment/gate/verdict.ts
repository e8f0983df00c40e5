import { PaymentPending, ToolError } from '../../kernel/error.ts'
import type { Found, Settled } from '../rail.ts'
import type { PaymentRow } from './record.ts'

/** The rail did not answer: the money may be on its way. */
export type Unknown = { state: 'unknown' }

/** A payment that pays for something else, or was given back. */
export const used = (detail: string): ToolError =>
  new ToolError('conflict', detail, {
    hint: 'Pay this call with a new authorization.',
    payment: { success: false, errorReason: 'payment_already_used', transaction: '', network: '' },
  })

/** A payment that belongs to another call, or an authorization to another payment. */
export const elsewhere = (): ToolError => used('payment_already_used: this payment belongs to another call.')

/** What a call is told whose payment is being worked on or confirmed. */
export const pendingOf = ({ transaction, network, payer }: PaymentRow): PaymentPending =>
  new PaymentPending({ transaction: transaction ?? '', network, payer })

/** The answer of a rail. One that throws has told nothing, and what it says stays here. */
export const asked = async <R>(answer: Promise<R>): Promise<R | Unknown> => {
  try {
    return await answer
  } catch {
    return { state: 'unknown' }
  }
}

/** Whether the chain says more than that the authorization was not used. */
export const isTold = (found: Found | Unknown): found is Settled | Unknown => found.state !== 'unused'
