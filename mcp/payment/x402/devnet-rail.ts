import type { NetworkName } from '../../ports/chain/networks.ts'
import type { Devnet } from '../../ports/devnet/devnet.ts'
import type { Rail } from '../rail.ts'
import { openEvmRail } from './evm.ts'

/** The rail of a local chain: it settles in this process and pays to the wallet that the data folder holds the key of. */
export const openDevnetRail = (devnet: Devnet, name: NetworkName, confirmMs?: number): Rail => {
  const chain = devnet.chain(name)
  const payToKey = async () => (await devnet.keys()).payTo
  return openEvmRail({
    chain,
    payTo: async () => (await chain.wallet(await payToKey())).address,
    facilitator: { key: async () => (await devnet.keys()).facilitator },
    refundKey: payToKey,
    ...(confirmMs !== undefined && { confirmMs }),
  })
}
