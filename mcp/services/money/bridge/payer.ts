import type { Hex } from 'viem'
import { ToolError } from '../../../kernel/error.ts'
import type { Bridge } from './bridge.ts'
import type { BridgeRoute } from './chains.ts'

/** Code that a key's own account delegates to (EIP-7702): the key is the same on every chain. */
const isDelegation = (code: string): boolean => /^0xef0100[0-9a-f]{40}$/i.test(code)

const refusal = (detail: string, hint: string) =>
  new ToolError('conflict', detail, { reason: 'payer_is_contract', hint: `${hint} Nothing was charged.` })

/**
 * Refuses a payer that is a contract account, unless the same code stands at its address on the destination: the money is minted to
 * the payer's address there, and only of a key's account is it sure that it is the payer's there too.
 */
export const requireOwnAddress = async (
  bridge: Bridge,
  { from, to }: BridgeRoute,
  payer: Hex,
): Promise<void> => {
  const reader = await bridge.source(from.name).reader()
  const code = (await reader.getCode({ address: payer })) ?? '0x'
  if (code === '0x' || isDelegation(code)) return
  const detail = `The payer ${payer} is a contract on ${from.title}`
  const there = await bridge.reader(to)
  if (!there)
    throw refusal(
      `${detail}, and whether it is the payer's on ${to.title} cannot be read here.`,
      'Pay from a wallet of a key.',
    )
  const other = (await there.getCode({ address: payer })) ?? '0x'
  if (other.toLowerCase() === code.toLowerCase()) return
  throw refusal(
    `${detail}, and ${other === '0x' ? 'there is none' : 'another one is'} at its address on ${to.title}: what is minted there might be lost.`,
    `Deploy the account on ${to.title} first, or pay from a wallet of a key.`,
  )
}
