import type { Hash, Hex } from 'viem'
import { usdcAbi } from '../lib/evm-abi.ts'
import { onChain } from '../ports/chain/failure.ts'
import type { Chain } from '../ports/chain/port.ts'
import type { IncomingTransfer, Movement } from './method.ts'

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

/** Blocks that are asked for at once; public nodes refuse more. */
const slice = 2_000n

/** Blocks after which no chain that is paid on takes a transfer back. */
const settledBlocks = 10n

/** First block without a place: a day before on a real chain, the first on a local one, which may be anew. */
const firstBlock = ({ devnet, network }: Chain, after: string | undefined, head: bigint): bigint => {
  const next = after === undefined ? undefined : BigInt(after) + 1n
  if (devnet) return next === undefined || next > head + 1n ? 0n : next
  const day = 86_400_000n / BigInt(network.blockMs)
  return next ?? (head > day ? head - day : 0n)
}

/** The transfers of the network's USDC to a wallet, one slice of blocks at a time, as far as they are sure to stay. */
export const evmIncoming = (chain: Chain, payTo: Hex, after: string | undefined) =>
  onChain(chain.network, async () => {
    const { id, token } = chain.network
    const reader = await chain.reader()
    const newest = await reader.getBlockNumber({ cacheTime: 0 })
    const depth = chain.devnet ? 0n : settledBlocks
    const head = newest > depth ? newest - depth : 0n
    const fromBlock = firstBlock(chain, after, head)
    const none: IncomingTransfer[] = []
    if (fromBlock > head) return { upTo: String(fromBlock - 1n), transfers: none, isMore: false }
    const toBlock = fromBlock + slice - 1n < head ? fromBlock + slice - 1n : head
    const logs = await reader.getContractEvents({
      address: token.address,
      abi: usdcAbi,
      eventName: 'Transfer',
      args: { to: payTo },
      fromBlock,
      toBlock,
    })
    const transfers: IncomingTransfer[] = []
    for (const { args, transactionHash, logIndex, blockNumber } of logs) {
      const { from = '0x', value = 0n } = args
      if (value === 0n || from.toLowerCase() === payTo.toLowerCase()) continue
      const { timestamp } = await reader.getBlock({ blockNumber })
      const transaction = transactionHash.toLowerCase()
      transfers.push({
        log: `${id}:${transaction}:${logIndex}`,
        transaction,
        asset: token.address,
        payTo,
        payer: from.toLowerCase(),
        amount: String(value),
        at: new Date(Number(timestamp) * 1_000),
      })
    }
    return { upTo: String(toBlock), transfers, isMore: toBlock < head }
  })
