import { ToolError } from '../../kernel/error.ts'
import { usdcAbi } from '../../lib/evm-abi.ts'
import { formatUsd } from '../../lib/usd.ts'
import type { Chain } from '../../ports/chain/port.ts'
import type { Transfers } from '../../ports/transfers/port.ts'
import { atomicUnits } from '../atomic-units.ts'
import { spendLog } from '../gate/spent.ts'
import { incomingOn } from './incoming.ts'
import { verifyTransfer } from './prove.ts'

/** A chain that direct transfers come in on, the wallet they go to, and the blocks that make one certain. */
export type TransferChain = {
  chain: Chain
  wallet: () => Promise<string>
  confirmations: number
  /** False while a local chain is not started: nothing can have come in, and looking would start it. */
  isRunning(): boolean
}

/** A transfer by authorization is the payment of a call; claimed as a tip it would be taken from that call. */
const refuseAuthorized = async (chain: Chain, hash: string): Promise<void> => {
  const { parseEventLogs } = await import('viem')
  const receipt = await (await chain.reader()).getTransactionReceipt({ hash: hash as `0x${string}` })
  const used = parseEventLogs({ abi: usdcAbi, eventName: 'AuthorizationUsed', logs: receipt.logs })
  if (used.length > 0)
    throw new ToolError('conflict', 'This transaction is the payment of an x402 call, not a direct transfer.')
}

/** The port `transfers` over the chains that payments are taken on. */
export const openTransfers = (chains: ReadonlyMap<string, TransferChain>): Transfers => {
  const findChain = (name: string): TransferChain => {
    const chain = chains.get(name)
    if (chain) return chain
    throw new ToolError(
      'unavailable',
      `Transfers on ${name} cannot be checked here: no such network is configured.`,
    )
  }
  return {
    wallet: name => findChain(name).wallet(),
    async prove(name, hash, usd) {
      const { chain, wallet, confirmations } = findChain(name)
      const min = atomicUnits(usd, chain.network.token.decimals)
      const { log, payer, amount, network, transaction, at } = await verifyTransfer({
        network: chain,
        hash,
        min,
        to: await wallet(),
        confirmations,
      })
      await refuseAuthorized(chain, transaction)
      const paidUsd = formatUsd(amount, chain.network.token.decimals)
      return { log, payer, network, transaction, usd: paidUsd, at }
    },
    async listIncoming(name, after, usd) {
      const { chain, wallet, confirmations, isRunning } = findChain(name)
      if (!isRunning()) return { upTo: after ?? '0', tips: [] }
      const min = atomicUnits(usd, chain.network.token.decimals)
      return incomingOn({ chain, to: await wallet(), min, confirmations }, after)
    },
    spend: spendLog,
  }
}
