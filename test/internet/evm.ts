import { type Hex, pad } from 'viem'
import { openEvm } from '../../mcp/ports/evm/evm.ts'
import type { Evm, EvmChain } from '../../mcp/ports/evm/port.ts'
import { type LocalChain, openLocalChain } from './evm-chain.ts'
import { ensAccount, universalResolver } from './evm-ens.ts'
import { type Node, startNode } from './evm-node.ts'
import { erc20, plainCode, text, word } from './evm-tokens.ts'
import { firstTransfer, minting, theFirstTransfer, theMinting } from './evm-transactions.ts'

export const vitalik: Hex = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045'
const usdc: Hex = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const usdcOnBase: Hex = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const legacySlot = '0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3'
const multicall3 = '0xca11bde05977b3631167028862be2a173976ca11'

/** Code with DELEGATECALL in it, as proxies have. */
export const proxyCode: Hex = '0x60806040526004361061006d5760003560e01c365f5f375f5f365f845af43d5f5f3e'

const fiat = (totalSupply: bigint, implementation: Hex) =>
  erc20({
    name: text('USD Coin'),
    symbol: text('USDC'),
    decimals: word(6),
    totalSupply: word(totalSupply),
    code: proxyCode,
    more: { storage: { [legacySlot]: pad(implementation, { size: 32 }) } },
  })

const ether = 10n ** 18n

/** What the five chains begin with: a well-known wallet, tokens, names, and one old transaction. */
export const openLocalChains = (): Record<EvmChain, LocalChain> => {
  const chains: Record<EvmChain, LocalChain> = {
    eth: openLocalChain({ id: 1, head: 23_900_000 }),
    base: openLocalChain({ id: 8453, head: 38_500_000, baseFee: 1_000_252n, gasPrice: 1_500_252n }),
    arbitrum: openLocalChain({
      id: 42161,
      head: 402_000_000,
      baseFee: 10_000_000n,
      gasPrice: 10_000_000n,
      tips: () => [0n, 0n, 0n],
    }),
    optimism: openLocalChain({ id: 10, head: 144_000_000, baseFee: 252n, gasPrice: 1_000_252n }),
    polygon: openLocalChain({ id: 137, head: 79_000_000, baseFee: 60n, gasPrice: 30_000_000_060n }),
  }
  for (const { accounts } of Object.values(chains)) {
    accounts.set(multicall3, { code: plainCode })
    accounts.set(vitalik, { balance: ether / 8n, nonce: 3 })
  }
  const { eth, base, arbitrum, optimism } = chains
  eth.accounts.set(vitalik, { balance: 31n * ether + 5n, nonce: 1_650 })
  eth.accounts.set(usdc, fiat(46_000_000_000_123_456n, '0x43506849d7c04f9138d1a2050bbf3a0c054402dd'))
  base.accounts.set(usdcOnBase, fiat(4_000_000_000_000_000n, '0x2ce6311ddae708829bc0784c967b7d77d19fd779'))
  const forward = { 'vitalik.eth': vitalik }
  eth.accounts.set(universalResolver, ensAccount({ forward, reverse: { [vitalik]: 'vitalik.eth' } }))
  eth.transactions.set(firstTransfer, theFirstTransfer)
  arbitrum.transactions.set(minting, theMinting)
  const weth = erc20({
    name: text('Wrapped Ether'),
    symbol: text('WETH'),
    decimals: word(18),
    totalSupply: word(250_000n * ether),
  })
  const oracle = { code: plainCode, calls: { '0xf1c7a58b': word(1_234_567) } }
  for (const { accounts } of [base, optimism]) {
    accounts.set('0x4200000000000000000000000000000000000006', weth)
    accounts.set('0x420000000000000000000000000000000000000f', oracle)
  }
  return chains
}

export type LocalEvm = {
  chains: Record<EvmChain, LocalChain>
  nodes: Record<EvmChain, Node>
  /** The configuration that leads to the nodes. */
  environment: Record<string, string>
  evm: Evm
  stop(): void
}

/** Five chains on loopback, each behind a JSON-RPC node, and the real port to them. */
export const startEvm = async (): Promise<LocalEvm> => {
  const chains = openLocalChains()
  const nodes = Object.fromEntries(
    await Promise.all(
      Object.entries(chains).map(
        async ([name, chain]) =>
          [name, await startNode((method, params) => chain.answer(method, params))] as const,
      ),
    ),
  ) as Record<EvmChain, Node>
  const all = Object.entries(nodes)
  const rpc = Object.fromEntries(all.map(([name, { url }]) => [name, [{ reveal: () => url }]]))
  return {
    chains,
    nodes,
    environment: Object.fromEntries(
      all.map(([name, { url }]) => [`OCTAGENT_RPC_${name.toUpperCase()}`, url]),
    ),
    evm: openEvm({ rpc: rpc as never }),
    stop: () => {
      for (const [, node] of all) node.stop()
    },
  }
}
