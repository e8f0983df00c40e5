import { type Address, formatEther, formatUnits } from 'viem'
import { ToolError } from '../../../kernel/error.ts'
import type { Stablecoin } from '../../../lib/stablecoins.ts'
import type { Evm } from '../../../ports/evm/port.ts'
import { domainFor } from '../authorization/digest.ts'
import { requireReadable } from './chains.ts'
import { onChain, openReader, orUndefined } from './reader.ts'
import { domainSeparator, isBlocked, isPaused, parseDelegate, tokenAbi } from './token.ts'

type Deps = { evm: Evm; signal: AbortSignal }

const permit2: Address = '0x000000000022D473030F116dDEE9F6B43aC78BA3'

const lookOn = async (
  { evm, signal }: Deps,
  coin: Stablecoin,
  account: Address,
  spender: Address | undefined,
) => {
  const reader = openReader(evm, requireReadable(coin.chainId).chain, signal)
  const token = { address: coin.address, abi: tokenAbi } as const
  const allowance = (to: Address) =>
    orUndefined(reader.readContract({ ...token, functionName: 'allowance', args: [account, to] }))
  const [code, gas, balance, separator, blocked, paused, toPermit2, toSpender] = await Promise.all([
    onChain(reader.getCode({ address: account })),
    onChain(reader.getBalance({ address: account })),
    orUndefined(reader.readContract({ ...token, functionName: 'balanceOf', args: [account] })),
    orUndefined(reader.readContract({ ...token, functionName: 'DOMAIN_SEPARATOR' })),
    isBlocked(reader, coin.address, account),
    isPaused(reader, coin.address),
    allowance(permit2),
    spender ? allowance(spender) : undefined,
  ])
  if (balance === undefined)
    throw new ToolError('upstream', `There is no token at ${coin.address} on ${coin.title}.`, {
      retryable: false,
    })
  const delegate = parseDelegate(code)
  const wallet = delegate ? ('delegated' as const) : ('contract' as const)
  const { name, version } = coin
  return {
    balance,
    fields: {
      chainId: coin.chainId,
      title: coin.title,
      kind: code ? wallet : ('key' as const),
      delegate: delegate ?? null,
      balance: formatUnits(balance, coin.decimals),
      balance_atomic: String(balance),
      gas: formatEther(gas),
      blocked: blocked ?? null,
      paused: paused ?? null,
      permit2_allowance: toPermit2 === undefined ? null : String(toPermit2),
      spender_allowance: toSpender === undefined ? null : String(toSpender),
      token: coin.address,
      domain: { name, version, matches: separator === domainSeparator(domainFor(coin)) },
    },
  }
}

/** Looks at an account on some chains. A chain that does not answer is told of; throws `upstream` when none does. */
export const lookAtAccount = async (
  deps: Deps,
  coins: readonly Stablecoin[],
  account: Address,
  spender: Address | undefined,
) => {
  const results = await Promise.allSettled(coins.map(coin => lookOn(deps, coin, account, spender)))
  const chains = results.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
  const failed = results.flatMap((result, index) => {
    if (result.status === 'fulfilled') return []
    if (!(result.reason instanceof ToolError) || result.reason.code !== 'upstream') throw result.reason
    return [{ chainId: coins[index]?.chainId ?? 0, reason: result.reason.message }]
  })
  const [failure] = results
  if (chains.length === 0 && failure?.status === 'rejected') throw failure.reason
  const isTest = (chainId: number) => coins.some(coin => coin.chainId === chainId && coin.testnet)
  const total = chains
    .filter(({ fields }) => !isTest(fields.chainId))
    .reduce((sum, { balance }) => sum + balance, 0n)
  return {
    address: account,
    chains: chains.map(({ fields }) => fields),
    failed,
    total: formatUnits(total, 6),
  }
}
