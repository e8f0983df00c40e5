import type { Hash } from 'viem'
import { ToolError } from '../../../kernel/error.ts'
import { onChain } from '../../../ports/chain/failure.ts'
import type { Purchases } from '../../../ports/purchases/port.ts'
import { expectOrder } from '../../orders.ts'
import type { TransferChain } from '../../transfers/transfers.ts'
import { blockingReasons } from './blocking.ts'

/** The port `purchases`: direct payments in USDC on Base; without a configured Base that answers they are blocked. */
export const openPurchases = (base: TransferChain | undefined): Purchases => {
  const blocking: Purchases['blocking'] = async () =>
    base ? blockingReasons(base) : ['network_base_not_configured']
  const ready = async (): Promise<TransferChain> => {
    const reasons = await blocking()
    if (base && reasons.length === 0) return base
    throw new ToolError('unavailable', `Direct payments cannot be taken here: ${reasons.join(', ')}.`)
  }
  return {
    blocking,
    async offer() {
      const { chain, wallet } = await ready()
      const { id, chainId, token } = chain.network
      return {
        network: id,
        chainId,
        asset: token.address,
        assetName: token.name,
        assetVersion: token.version,
        payTo: await wallet(),
        devnet: chain.devnet,
      }
    },
    expect: (tx, { network, asset }, nonce) => expectOrder(tx, { network, asset, nonce }),
    async minedAt(hash) {
      const { chain } = await ready()
      return onChain(chain.network, async () => {
        const reader = await chain.reader()
        const { blockNumber } = await reader.getTransactionReceipt({ hash: hash as Hash })
        const { timestamp } = await reader.getBlock({ blockNumber })
        return { block: blockNumber.toString(), at: new Date(Number(timestamp) * 1000).toISOString() }
      })
    },
  }
}
