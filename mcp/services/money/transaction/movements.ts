import { type Address, type Hex, type Log, parseEventLogs } from 'viem'
import { usdcAbi } from '../../../lib/evm-abi.ts'
import type { Stablecoin } from '../../../lib/stablecoins.ts'

/** USDC that went from one account to another; `nonce` is that of the authorization it went by, where it did. */
export type UsdcMovement = { from: Address; to: Address; amount: bigint; nonce: Hex | null }

/** Reads the movements of a chain's USDC in the logs of a transaction. Logs of other tokens do not count. */
export const readMovements = (logs: readonly Log[], { address }: Stablecoin): UsdcMovement[] => {
  const own = logs.filter(log => log.address.toLowerCase() === address.toLowerCase())
  const events = parseEventLogs({ abi: usdcAbi, logs: own })
  return events.flatMap((event, index) => {
    if (event.eventName !== 'Transfer') return []
    const { from, to, value: amount } = event.args
    // The token says that an authorization is used right before it moves the money.
    const before = events[index - 1]
    const isAuthorized = before?.eventName === 'AuthorizationUsed' && before.args.authorizer === from
    return [{ from, to, amount, nonce: isAuthorized ? before.args.nonce : null }]
  })
}
