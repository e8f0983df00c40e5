import type { Hex } from 'viem'
import type { z } from 'zod'
import type { Evm } from '../../../ports/evm/port.ts'
import type { Fetch } from '../../../ports/fetch/port.ts'
import type { About, Note } from '../meta.ts'
import { readAccount } from './account.ts'
import type { BalanceFields } from './balance-fields.ts'
import { type CallChain, orNullIfUnanswered } from './chain.ts'
import { chainFacts } from './chains.ts'
import { askEachChain } from './each-chain.ts'
import { formatCoins, Quantity } from './quantity.ts'
import { findSpecialAddress } from './special-addresses.ts'

type Fields = z.output<typeof BalanceFields>

const readBalance = async (chain: CallChain, address: Hex) => {
  const [wei, block] = await Promise.all([
    chain.read(Quantity, 'eth_getBalance', [address, 'latest']),
    orNullIfUnanswered(chain.read(Quantity, 'eth_blockNumber', [])),
  ])
  return { name: chain.name, wei, block, symbol: chain.coin.symbol }
}

const specialAddressNotes = (address: Hex): Note[] => {
  const special = findSpecialAddress('eth', address)
  return special
    ? [{ code: 'special_address', message: `${special.label}: what lies there belongs to nobody.` }]
    : []
}

/** Native coins of an address on five chains, as far as they answer. Throws a retryable `upstream` when none does. */
export const readBalances = async (
  { evm, fetch, signal }: { evm: Evm; fetch: Fetch; signal: AbortSignal },
  text: string,
): Promise<Fields & { about: About; keepSec?: number }> => {
  const eth = { name: 'eth', title: chainFacts.eth.title } as const
  const { address, ...account } = await readAccount(text, { evm, fetch, signal, chain: eth })
  const answers = await askEachChain(evm, signal, chain => readBalance(chain, address))
  return {
    address,
    ens: account.name,
    chains: answers.by(({ wei, block, symbol }) => ({
      balance: formatCoins(wei),
      wei: String(wei),
      symbol,
      block: block === null ? null : Number(block),
    })),
    non_zero: answers.ok.filter(({ wei }) => wei > 0n).map(({ name }) => name),
    ok_count: answers.ok.length,
    failed: answers.failed,
    about: {
      sources: [...new Set([...account.sources, ...answers.sources])],
      warnings: [...account.warnings, ...specialAddressNotes(address), ...answers.warnings],
    },
    ...(answers.failed.length > 0 && { keepSec: 0 }),
  }
}
