import { createHmac } from 'node:crypto'
import { ToolError } from '../../kernel/error.ts'
import type { Devnet } from '../devnet/devnet.ts'
import { openChain } from './chain.ts'
import { chainNetworks } from './networks.ts'
import type { Chain, ChainName, Chains } from './port.ts'

type Options = {
  devnet: Devnet | undefined
  /** Address of a node of a real chain; it may hold a key. */
  node: (name: ChainName) => string | undefined
  /** A chain that payments are taken on: one account has one wallet there, whoever sends from it. */
  shared: (name: ChainName) => Chain | undefined
  /** Private key of the relayer. */
  relayerKey: (() => Promise<`0x${string}`>) | undefined
}

/** Opens the port: local chains where payments are taken on those, else the nodes of the configuration. */
export const openChains = ({ devnet, node, shared, relayerKey }: Options): Chains => {
  const chains = new Map<ChainName, Chain>()

  const openReal = (name: ChainName): Chain => {
    const rpc = node(name)
    const network = chainNetworks[name]
    if (rpc === undefined) throw new ToolError('unavailable', `${network.title} has no node here.`)
    return openChain({ network, rpc })
  }

  const open = (name: ChainName): Chain => {
    if (devnet) return devnet.chain(name)
    const chain = chains.get(name) ?? shared(name) ?? openReal(name)
    chains.set(name, chain)
    return chain
  }

  return {
    local: devnet !== undefined,
    open,
    async relayer(name) {
      if (!relayerKey)
        throw new ToolError('unavailable', 'No relayer is configured here (OCTAGENT_RELAYER_KEY).')
      return open(name).wallet(await relayerKey())
    },
    async localKey(role) {
      if (!devnet) throw new Error('keys of local chains never meet real ones')
      const { facilitator } = await devnet.keys()
      return `0x${createHmac('sha256', facilitator).update(role).digest('hex')}`
    },
  }
}
