import type { NetworkName } from '../../../ports/chain/port.ts'
import type { Devnet } from '../../../ports/devnet/devnet.ts'
import type { PaymentMethod } from '../../method.ts'
import { openX402Evm } from './method.ts'

/** Payments on a local chain: it settles in this process and pays to the wallet that the data folder holds the key of. */
export const openX402EvmDevnet = (
  devnet: Devnet,
  name: NetworkName,
  confirmMs?: number,
  factories?: readonly string[],
): PaymentMethod => {
  const chain = devnet.chain(name)
  const payToKey = async () => (await devnet.keys()).payTo
  return openX402Evm({
    chain,
    payTo: async () => (await chain.wallet(await payToKey())).address,
    facilitator: { key: async () => (await devnet.keys()).facilitator },
    relayerKey: async () => (await devnet.keys()).facilitator,
    refundKey: payToKey,
    isRunning: () => devnet.isRunning(name),
    ...(confirmMs !== undefined && { confirmMs }),
    factories,
  })
}
