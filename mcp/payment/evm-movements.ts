import type { Hash } from 'viem'
import { usdcAbi } from '../lib/evm-abi.ts'
import type { Chain } from '../ports/chain/chain.ts'
import { onChain } from '../ports/chain/failure.ts'
import type { Movement } from './method.ts'

/** The transfers of the network's USDC in a transaction; undefined when it is not on the chain or was reverted. */
export const evmMovements = (chain: Chain, transaction: string): Promise<readonly Movement[] | undefined> =>
  onChain(chain.network, async () => {
    const { parseEventLogs } = await import('viem')
    const { id, token } = chain.network
    const reader = await chain.reader()
    const receipt = await reader.getTransactionReceipt({ hash: transaction as Hash }).catch(error => {
      if (error instanceof Error && error.name === 'TransactionReceiptNotFoundError') return undefined
      throw error
    })
    if (receipt?.status !== 'success') return undefined
    const own = receipt.logs.filter(({ address }) => address.toLowerCase() === token.address.toLowerCase())
    return parseEventLogs({ abi: usdcAbi, eventName: 'Transfer', logs: own }).map(({ args, logIndex }) => ({
      log: `${id}:${transaction.toLowerCase()}:${logIndex}`,
      from: args.from.toLowerCase(),
      to: args.to.toLowerCase(),
      amount: String(args.value),
    }))
  })
