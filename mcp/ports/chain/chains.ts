import { createHmac } from 'node:crypto'
import { ToolError } from '../../kernel/error.ts'
import type { Devnet } from '../devnet/devnet.ts'
import { type Chain, openChain } from './chain.ts'
import { type ChainName, chainNetworks } from './networks.ts'
import type { Wallet } from './wallet.ts'

/** Chains that this program sends transactions on, with keys of its own. */
export type Chains = {
  /** They are on this machine and only claim to be these networks. */
  local: boolean
  /** A chain by its name; a local one starts with its first use. Throws `unavailable` where it has no node. */
  open(name: ChainName): Chain
  /**
   * The wallet that calls contracts which collect payments themselves, on a chain. Throws `unavailable` where it has no key or the
   * chain no node.
   */
  relayer(name: ChainName): Promise<Wallet>
  /**
   * A private key of this data folder for a role on local chains, the same each time. It is derived from one that was made here,
   * so nobody else has it. Throws where chains are real.
   */
  localKey(role: string): Promise<`0x${string}`>
}

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
