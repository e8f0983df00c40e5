import type { Hex } from 'viem'
import type { z } from 'zod'
import type { Evm, EvmChain, Fetch } from '../../../ports/index.ts'
import type { About } from '../meta.ts'
import { readAccount } from './account.ts'
import type { AddressFields } from './address-fields.ts'
import { type Chain, ifTold, openChain } from './chain.ts'
import { delegateOf, sizeOf } from './code.ts'
import { openEns } from './ens.ts'
import { type Known, knownAs } from './known.ts'
import { proxyOf } from './proxy.ts'
import { Bytes, coins, Quantity } from './quantity.ts'
import { askToken, mostDecimals } from './token.ts'

type Fields = z.output<typeof AddressFields>

const typeOf = (code: Hex, delegatedTo: Hex | null, known: Known | null): Fields['type'] => {
  if (known?.kind === 'precompile') return 'precompile'
  if (delegatedTo) return 'delegated-wallet'
  return code === '0x' ? 'wallet' : 'contract'
}

const flagOf: Readonly<Record<Known['kind'], Fields['flags'][number] | undefined>> = {
  zero: 'zero_address',
  burn: 'burn_address',
  placeholder: 'native_placeholder',
  predeploy: 'predeploy',
  precompile: undefined,
}

const tokenOf = async (chain: Chain, address: Hex): Promise<Fields['token']> => {
  const { standard, name, symbol, decimals } = await askToken(chain, address)
  if (standard === null) return null
  const isNumber = decimals !== null && decimals <= mostDecimals
  return { standard, name, symbol, decimals: isNumber ? Number(decimals) : null }
}

/** What the code of a contract makes of it; nothing for wallets. */
const contractOf = async (chain: Chain, address: Hex, code: Hex) => {
  const [proxy, token] = await Promise.all([proxyOf(chain, address, code), tokenOf(chain, address)])
  return { proxy, token }
}

/** The ENS name of an address; an outage of ENS leaves it unknown. */
const nameOf = async (chain: Chain, address: Hex, fetch: Fetch, signal: AbortSignal) => {
  if (chain.name !== 'eth') return { ens: null, warnings: [] }
  const told = await ifTold(
    openEns(chain, fetch, signal)
      .nameOf(address)
      .then(ens => ({ ens, warnings: [] })),
  )
  const message = 'Whether the address has an ENS name is unknown: ENS did not answer.'
  return told ?? { ens: null, warnings: [{ code: 'ens_unknown', message }] }
}

type Asked = { evm: Evm; fetch: Fetch; signal: AbortSignal }

/** All that one chain tells of an address. Throws `invalid_input` for a bad address, `upstream` when the chain is silent. */
export const lookAtAddress = async (
  { evm, fetch, signal }: Asked,
  input: { address: string; chain: EvmChain },
): Promise<Fields & { about: About }> => {
  const chain = openChain(evm, input.chain, { signal })
  const account = await readAccount(input.address, { evm, fetch, signal, chain })
  const { address } = account
  const at = [address, 'latest']
  const [balance, code, nonce, block, named] = await Promise.all([
    chain.read(Quantity, 'eth_getBalance', at),
    chain.read(Bytes, 'eth_getCode', at),
    chain.read(Quantity, 'eth_getTransactionCount', at),
    ifTold(chain.read(Quantity, 'eth_blockNumber', [])),
    nameOf(chain, address, fetch, signal),
  ])
  const known = knownAs(chain.name, address)
  const delegatedTo = delegateOf(code)
  const type = typeOf(code, delegatedTo, known)
  const isContract = type === 'contract'
  const { proxy, token } = isContract ? await contractOf(chain, address, code) : { proxy: null, token: null }
  const flag = known ? flagOf[known.kind] : undefined
  const isUnused = type === 'wallet' && nonce === 0n && balance === 0n
  return {
    address,
    chain: chain.name,
    chainId: chain.id,
    type,
    isContract,
    bytecodeSize: sizeOf(code),
    balance: { wei: String(balance), formatted: coins(balance), symbol: chain.coin.symbol },
    nonce: Number(nonce),
    delegatedTo,
    proxy,
    token,
    ens: named.ens,
    label: known?.label ?? null,
    flags: [...(flag ? [flag] : []), ...(isUnused ? ['unused' as const] : [])],
    block: block === null ? null : Number(block),
    about: {
      sources: [...new Set([...account.sources, ...chain.sources()])],
      warnings: [...account.warnings, ...named.warnings],
    },
  }
}
