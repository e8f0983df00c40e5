import { randomUUID } from 'node:crypto'
import { openChain } from '../chain/chain.ts'
import { chainNetworks } from '../chain/networks.ts'
import type { Chain, ChainName } from '../chain/port.ts'
import { startAnvil } from './anvil.ts'
import { findAnvil } from './binary.ts'
import { fundAccounts } from './fund.ts'
import { type DevnetKeys, openDevnetKeys } from './keys.ts'

/** One started local chain. Its state is gone with it: a record of another `generation` is of a chain that is no more. */
export type DevnetChain = {
  name: ChainName
  rpc: string
  generation: string
  /** When it was started. */
  since: Date
}

/** Local chains with the chain ids and the token addresses of the real ones, started when they are first asked for. */
export type Devnet = {
  /** Private keys, for the rails and the demo wallet of this installation. Never log them. */
  keys(): Promise<DevnetKeys>
  /** Starts the chain unless it runs. Throws `unavailable` when anvil is missing or does not start. */
  network(name: ChainName): Promise<DevnetChain>
  /** True when the chain was started and has not ended. */
  isRunning(name: ChainName): boolean
  /** The port to the chain; it starts the chain on first use and follows it through a restart. */
  chain(name: ChainName): Chain
  /** Ends every chain that was started. */
  close(): Promise<void>
}

type Running = DevnetChain & { stop(): Promise<void> }

/**
 * Local chains that keep their keys in `dir`. They listen on loopback only, and end with this process however it ends.
 * `binary` is the path of anvil; without it the optional package and PATH are looked through.
 */
export const openDevnet = ({ dir, binary }: { dir: string; binary?: string | undefined }): Devnet => {
  const running = new Map<ChainName, Promise<Running>>()
  const chains = new Map<ChainName, Chain>()
  let keysPromise: Promise<DevnetKeys> | undefined
  let closed = false

  const keys = () => {
    keysPromise ??= openDevnetKeys(dir).catch(error => {
      keysPromise = undefined
      throw error
    })
    return keysPromise
  }

  const start = async (name: ChainName): Promise<Running> => {
    const network = chainNetworks[name]
    const anvil = await startAnvil(await findAnvil(binary), network.chainId)
    try {
      await fundAccounts(openChain({ network, rpc: anvil.rpc, devnet: true }), await keys())
    } catch (error) {
      await anvil.stop()
      throw error
    }
    void anvil.ended.then(() => running.delete(name))
    return { name, rpc: anvil.rpc, generation: randomUUID(), since: new Date(), stop: anvil.stop }
  }

  const run = (name: ChainName): Promise<Running> => {
    if (closed) return Promise.reject(new Error('the local chains are closed'))
    const there = running.get(name)
    if (there) return there
    const started = start(name)
    running.set(name, started)
    started.catch(() => running.delete(name))
    return started
  }

  const openDevnetChain = (name: ChainName): Chain => {
    const chain =
      chains.get(name) ??
      openChain({ network: chainNetworks[name], devnet: true, rpc: async () => (await run(name)).rpc })
    chains.set(name, chain)
    return chain
  }

  return {
    keys,
    network: async name => {
      const { rpc, generation, since } = await run(name)
      return { name, rpc, generation, since }
    },
    isRunning: name => running.has(name),
    chain: openDevnetChain,
    close: async () => {
      closed = true
      const ending = [...running.values()]
      await Promise.allSettled(ending.map(async started => (await started).stop()))
    },
  }
}
