import type { Hex } from 'viem'
import type { z } from 'zod'
import type { Evm, Fetch } from '../../../ports/index.ts'
import type { About, Note } from '../meta.ts'
import { readAccount } from './account.ts'
import type { BalanceFields } from './balance-fields.ts'
import { type Chain, ifTold } from './chain.ts'
import { chainFacts } from './chains.ts'
import { askEach } from './each-chain.ts'
import { knownAs } from './known.ts'
import { coins, Quantity } from './quantity.ts'

type Fields = z.output<typeof BalanceFields>

const balanceOf = async (chain: Chain, address: Hex) => {
  const [wei, block] = await Promise.all([
    chain.read(Quantity, 'eth_getBalance', [address, 'latest']),
    ifTold(chain.read(Quantity, 'eth_blockNumber', [])),
  ])
  return { name: chain.name, wei, block, symbol: chain.coin.symbol }
}

const flagged = (address: Hex): Note[] => {
  const known = knownAs('eth', address)
  return known
    ? [{ code: 'special_address', message: `${known.label}: what lies there belongs to nobody.` }]
    : []
}

/** Native coins of an address on five chains, as far as they answer. Throws a retryable `upstream` when none does. */
export const balancesOf = async (
  { evm, fetch, signal }: { evm: Evm; fetch: Fetch; signal: AbortSignal },
  text: string,
): Promise<Fields & { about: About; keepSec?: number }> => {
  const eth = { name: 'eth', title: chainFacts.eth.title } as const
  const { address, ...account } = await readAccount(text, { evm, fetch, signal, chain: eth })
  const told = await askEach(evm, signal, chain => balanceOf(chain, address))
  return {
    address,
    ens: account.name,
    chains: told.by(({ wei, block, symbol }) => ({
      balance: coins(wei),
      wei: String(wei),
      symbol,
      block: block === null ? null : Number(block),
    })),
    nonZero: told.ok.filter(({ wei }) => wei > 0n).map(({ name }) => name),
    okCount: told.ok.length,
    failed: told.failed,
    about: {
      sources: [...new Set([...account.sources, ...told.sources])],
      warnings: [...account.warnings, ...flagged(address), ...told.warnings],
    },
    ...(told.failed.length > 0 && { keepSec: 0 }),
  }
}
