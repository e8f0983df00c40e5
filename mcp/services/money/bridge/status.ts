import type { z } from 'zod'
import { toText } from './amount.ts'
import { type BridgeRoute, chainNamed } from './chains.ts'
import type { TransferFields } from './fields.ts'
import { type BridgeTransfer, isLate } from './transfer.ts'

const nextWords = ({ from, to }: BridgeRoute, { state, reason }: BridgeTransfer): string => {
  if (reason !== null) return reason
  switch (state) {
    case 'quoted':
      return `The payment is on its way to ${from.title}.`
    case 'paid':
      return 'The payment has arrived without its burn, which follows.'
    case 'burned':
      return `It is burned on ${from.title}; Circle attests it next.`
    case 'attested':
      return `Circle has attested it and mints it on ${to.title} next.`
    case 'forward_failed':
    case 'self_relay':
      return `It is being minted on ${to.title}.`
    case 'minted':
      return `It has arrived on ${to.title}.`
    case 'stuck':
      return 'It cannot go on by itself; the operator was told.'
    case 'returned':
      return `It went back to its payer on ${from.title}.`
    case 'refused':
      return 'No money moved.'
  }
}

/** A transfer as answers have it. */
export const toTransferAnswer = (
  route: BridgeRoute,
  transfer: BridgeTransfer,
  now: Date,
): z.input<typeof TransferFields> => ({
  id: transfer.id,
  state: transfer.state,
  route: transfer.route,
  payer: transfer.payer,
  paid: toText(BigInt(transfer.value)),
  amount: toText(BigInt(transfer.amount)),
  received: transfer.received === null ? null : toText(BigInt(transfer.received)),
  exactly: transfer.mode === 'upfront',
  burn: transfer.burn,
  nonce: transfer.nonce,
  mint: transfer.mint,
  created_at: transfer.created,
  burned_at: transfer.burnedAt,
  minted_at: transfer.mintedAt,
  late: isLate(transfer, now),
  next: nextWords(route, transfer),
})

/** Facts of a chain, as answers have them. */
export const toChainAnswer = (name: string) => {
  const { title, chainId, domain, usdc } = chainNamed(name)
  return { name, title, chainId, domain, usdc }
}
