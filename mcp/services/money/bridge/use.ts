import type { Hex } from 'viem'
import { authorizationLogs, findLoggedUse, isCarriedOut, listUses } from '../../../lib/authorization-use.ts'
import type { Bridge } from './bridge.ts'
import type { BridgeRoute } from './chains.ts'
import { findRecentLog } from './logs.ts'
import { authorizationNonce, type BridgeTransfer } from './transfer.ts'

/**
 * What became of an authorization that no lane has burned. `delivered`: its money went to the lane, in the transaction that a stranger
 * sent. `elsewhere`: it was cancelled, or its money went to somebody else.
 */
export type TransferUse =
  | { state: 'delivered'; transaction: Hex; block: bigint }
  | { state: 'elsewhere' }
  | { state: 'unknown' }

/**
 * Tells a used authorization from a cancelled one. The token's state is the same for both, and whoever believes it spends the money of
 * another payer: the logs differ, and only `AuthorizationUsed` with the `Transfer` to the lane right behind it is a payment.
 */
export const findTransferUse = async (
  bridge: Bridge,
  { from }: BridgeRoute,
  transfer: BridgeTransfer,
): Promise<TransferUse> => {
  const chain = bridge.source(from.name)
  const reader = await chain.reader()
  const { payer, payTo, value, created } = transfer
  const signed = {
    from: payer as Hex,
    to: payTo as Hex,
    value: BigInt(value),
    nonce: authorizationNonce(transfer),
  }
  // Somebody may have carried it an hour before it came to us.
  const seconds = (bridge.now().getTime() - Date.parse(created)) / 1000 + 3_600
  const { wanted, isCancelled } = await authorizationLogs(from.usdc, signed)
  const log = await findRecentLog(reader, wanted, { seconds, blockMs: chain.network.blockMs })
  if (!log) return { state: 'unknown' }
  if (isCancelled(log)) return { state: 'elsewhere' }
  const receipt = await reader.getTransactionReceipt({ hash: log.transactionHash })
  const use = findLoggedUse(await listUses(receipt.logs, from.usdc), signed)
  return isCarriedOut(use, signed)
    ? { state: 'delivered', transaction: log.transactionHash, block: receipt.blockNumber }
    : { state: 'elsewhere' }
}
