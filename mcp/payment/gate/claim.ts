import { ToolError } from '../../kernel/error.ts'
import type { Store } from '../../ports/store/port.ts'
import type { PaymentMethod } from '../method.ts'
import { isSettled, type PaymentRow, paymentRows } from './record.ts'
import { addressMs, toClaimant } from './sender.ts'

/** Text the payer signs to have the answer of a payment again that others could send as well. */
export const claimText = (receipt: string): string => `Claim receipt ${receipt}`

/** A payment that anybody may have read off the chain, from somebody who cannot be told from them. */
export const notItsSender = ({ receipt }: PaymentRow): ToolError =>
  new ToolError('conflict', 'This payment was answered, and it may be sent by anybody who reads the chain.', {
    reason: 'claim_needed',
    hint: `Sign "${claimText(receipt)}" with the wallet that paid, and POST {"signature"} to /receipts/${receipt}/claim.`,
    params: { receipt, claim: `/receipts/${receipt}/claim`, message: claimText(receipt) },
    payment: { success: false, errorReason: 'payment_already_used', transaction: '', network: '' },
  })

export type ClaimedPayment = { id: string; until: string }

type Deps = { store: Store; methods: readonly PaymentMethod[]; now: () => Date }

/**
 * Lets a payer who has signed the receipt's id have the answer again: the same call with the same payment, from the same network
 * address, within two minutes. Throws `not_found`, `forbidden` for a signature of anybody else, and `conflict` where no claim
 * is needed.
 */
export const claimReceipt = async (
  { store, methods, now }: Deps,
  receipt: string,
  signature: string,
  address: string,
): Promise<ClaimedPayment> => {
  const { rows } = await paymentRows(store).find({ index: 'receipt', where: { receipt }, limit: 1 })
  const [row] = rows
  if (!row || !isSettled(row)) throw new ToolError('not_found', 'There is no such receipt.')
  if (!row.sender)
    throw new ToolError('conflict', 'This payment is its own proof: send the call with it again.')
  const method = methods.find(({ id, network }) => id === row.method && network === row.network)
  if (!method?.isSignedBy)
    throw new ToolError('unavailable', `No payments on ${row.network} can be claimed here.`)
  if (!(await method.isSignedBy(row.payer, claimText(receipt), signature)))
    throw new ToolError('forbidden', 'The signature is not that of the payer.', {
      hint: `Sign the text "${claimText(receipt)}" with the wallet that paid.`,
    })
  await paymentRows(store).update(row.id, before => ({
    ...before,
    sender: toClaimant(before, address, now()),
  }))
  return { id: receipt, until: new Date(now().getTime() + addressMs).toISOString() }
}
