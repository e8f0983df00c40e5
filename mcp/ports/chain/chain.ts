import type { Hex, PublicClient } from 'viem'
import { ToolError } from '../../kernel/error.ts'
import { confirm } from './confirm.ts'
import type { Chain, Network, Wallet } from './port.ts'
import { type ChainConnection, openWallet } from './wallet.ts'

export type ChainOptions = {
  network: Network
  /** JSON-RPC over HTTP. A function may start a local chain, and may name another address after a restart. */
  rpc: string | (() => Promise<string>)
  devnet?: boolean
  /** Milliseconds for one request. Default 10,000. */
  timeoutMs?: number
}

const isLoopback = (url: string): boolean => /^(127\.|localhost$|\[::1\]$)/.test(new URL(url).hostname)

/** The port `chain` for one network. Its clients are viem's, for a chain of our own definition. */
export const openChain = ({ network, rpc, devnet = false, timeoutMs = 10_000 }: ChainOptions): Chain => {
  let open: { url: string; connection: Promise<ChainConnection> } | undefined
  const wallets = new Map<Hex, Promise<Wallet>>()

  const connectTo = async (url: string): Promise<ChainConnection> => {
    const { createClient, createPublicClient, defineChain, http, WaitForTransactionReceiptTimeoutError } =
      await import('viem')
    const chain = defineChain({
      id: network.chainId,
      name: network.title,
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [url] } },
    })
    const transport = http(url, { timeout: timeoutMs, retryCount: devnet ? 0 : 2 })
    const settings = {
      chain,
      transport,
      cacheTime: 0,
      pollingInterval: devnet ? 25 : Math.max(250, network.blockMs / 2),
    }
    // A node on this machine is asked at once and often: that costs nobody anything.
    const pace = isLoopback(url)
      ? { firstMs: 0, maxMs: devnet ? 25 : network.blockMs / 2 }
      : { firstMs: network.blockMs / 4, maxMs: Math.max(250, network.blockMs / 2) }
    const reader = createPublicClient(settings) as unknown as PublicClient
    return {
      // viem's own waits for a further block where the node tells of a block before its receipts; a chain that mines on demand has none.
      reader: reader.extend(() => ({
        waitForTransactionReceipt: async ({ hash, timeout = 180_000 }: { hash: Hex; timeout?: number }) => {
          const receipt = await confirm(reader, { hash }, pace, timeout)
          if (!receipt || receipt === 'replaced') throw new WaitForTransactionReceiptTimeoutError({ hash })
          return receipt
        },
      })) as unknown as PublicClient,
      writer: createClient(settings),
      pace,
    }
  }

  const connect = async (): Promise<ChainConnection> => {
    const url = typeof rpc === 'string' ? rpc : await rpc()
    // Keys of a local chain are kept carelessly; they must never meet money.
    if (devnet && !isLoopback(url))
      throw new ToolError(
        'unavailable',
        'A local chain must be on this machine; its address is not loopback.',
      )
    if (open?.url !== url) open = { url, connection: connectTo(url) }
    return open.connection
  }

  const makeWallet = async (key: Hex): Promise<Wallet> => {
    const { privateKeyToAccount } = await import('viem/accounts')
    return openWallet(privateKeyToAccount(key), connect)
  }

  return {
    network,
    devnet,
    reader: async () => (await connect()).reader,
    confirm: async (hash, timeoutMs) => {
      const { reader, pace } = await connect()
      const outcome = await confirm(reader, { hash }, pace, timeoutMs)
      return outcome === 'replaced' ? undefined : outcome
    },
    wallet: key => {
      const wallet = wallets.get(key) ?? makeWallet(key)
      wallets.set(key, wallet)
      return wallet
    },
  }
}
