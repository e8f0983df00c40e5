import type { Hex } from 'viem'
import { ToolError } from '../kernel/error.ts'
import { usdcAbi } from '../lib/evm-abi.ts'
import type { Chain } from '../ports/chain/chain.ts'
import { onChain } from '../ports/chain/failure.ts'

type Refund = { payer: string; amount: string; sent: Promise<Hex> }

const transfer = async (
  chain: Chain,
  key: Hex,
  payer: Hex,
  amount: bigint,
  confirmMs: number,
): Promise<Hex> => {
  const { encodeFunctionData } = await import('viem')
  const [reader, wallet] = await Promise.all([chain.reader(), chain.wallet(key)])
  const { address } = chain.network.token
  const balance = await reader.readContract({
    address,
    abi: usdcAbi,
    functionName: 'balanceOf',
    args: [wallet.address],
  })
  if (balance < amount)
    throw new ToolError(
      'conflict',
      `The wallet that refunds come from holds too little on ${chain.network.title}.`,
      {
        hint: 'Fund it and ask for the refund again.',
      },
    )
  const data = encodeFunctionData({ abi: usdcAbi, functionName: 'transfer', args: [payer, amount] })
  const hash = await wallet.send({ to: address, data })
  // A wait that runs out is no failure: the transfer is on its way, and sending it again would pay twice.
  const receipt = await reader.waitForTransactionReceipt({ hash, timeout: confirmMs }).catch(() => undefined)
  if (receipt?.status === 'reverted')
    throw new ToolError('upstream', `${chain.network.title} did not carry out the refund.`)
  return hash
}

/**
 * Refunds as plain transfers from the wallet of `key`. One id is sent once in this process: a repetition gets the same
 * transaction, and only a refund that surely did not happen may be tried again. The gate keeps the ids beyond.
 */
export const openRefunds = (chain: Chain, key: (() => Promise<Hex>) | undefined, confirmMs: number) => {
  const refunds = new Map<string, Refund>()

  return async (id: string, payer: string, amount: string): Promise<string> => {
    if (!key)
      throw new ToolError('unavailable', `There is no key to refund with on ${chain.network.title}.`, {
        hint: 'Send the money from your own wallet.',
      })
    if (!/^0x[0-9a-f]{40}$/i.test(payer)) throw new ToolError('invalid_input', 'payer is not an EVM address.')
    if (!/^[1-9]\d{0,30}$/.test(amount))
      throw new ToolError('invalid_input', 'amount is not a positive number of atomic units.')
    const before = refunds.get(id)
    if (before && (before.payer !== payer.toLowerCase() || before.amount !== amount))
      throw new ToolError('conflict', 'This refund was made before with another payer or amount.')
    if (before) return before.sent
    const sending = onChain(chain.network, async () =>
      transfer(chain, await key(), payer.toLowerCase() as Hex, BigInt(amount), confirmMs),
    )
    refunds.set(id, { payer: payer.toLowerCase(), amount, sent: sending })
    sending.catch(() => refunds.delete(id))
    return sending
  }
}
