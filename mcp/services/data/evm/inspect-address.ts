import type { Hex } from 'viem'
import type { z } from 'zod'
import type { Evm, EvmChain } from '../../../ports/evm/port.ts'
import type { Fetch } from '../../../ports/fetch/port.ts'
import type { About } from '../meta.ts'
import { readAccount } from './account.ts'
import type { AddressFields } from './address-fields.ts'
import { type CallChain, openCallChain, orNullIfUnanswered } from './chain.ts'
import { codeSize, parseDelegate } from './code.ts'
import { openEns } from './ens.ts'
import { detectProxy } from './proxy.ts'
import { Bytes, formatCoins, Quantity } from './quantity.ts'
import { findSpecialAddress, type SpecialAddress } from './special-addresses.ts'
import { askToken, maxDecimals } from './token.ts'

type Fields = z.output<typeof AddressFields>

const addressType = (code: Hex, delegatedTo: Hex | null, special: SpecialAddress | null): Fields['type'] => {
  if (special?.kind === 'precompile') return 'precompile'
  if (delegatedTo) return 'delegated-wallet'
  return code === '0x' ? 'wallet' : 'contract'
}

const flagByKind: Readonly<Record<SpecialAddress['kind'], Fields['flags'][number] | undefined>> = {
  zero: 'zero_address',
  burn: 'burn_address',
  placeholder: 'native_placeholder',
  predeploy: 'predeploy',
  precompile: undefined,
}

const readToken = async (chain: CallChain, address: Hex): Promise<Fields['token']> => {
  const { standard, name, symbol, decimals } = await askToken(chain, address)
  if (standard === null) return null
  const isNumber = decimals !== null && decimals <= maxDecimals
  return { standard, name, symbol, decimals: isNumber ? Number(decimals) : null }
}

/** Reads facts from the code of a contract; nothing for wallets. */
const readContract = async (chain: CallChain, address: Hex, code: Hex) => {
  const [proxy, token] = await Promise.all([detectProxy(chain, address, code), readToken(chain, address)])
  return { proxy, token }
}

/** The ENS name of an address; an outage of ENS leaves it unknown. */
const readName = async (chain: CallChain, address: Hex, fetch: Fetch, signal: AbortSignal) => {
  if (chain.name !== 'eth') return { ens: null, warnings: [] }
  const name = await orNullIfUnanswered(
    openEns(chain, fetch, signal)
      .lookUpName(address)
      .then(ens => ({ ens, warnings: [] })),
  )
  const message = 'Whether the address has an ENS name is unknown: ENS did not answer.'
  return name ?? { ens: null, warnings: [{ code: 'ens_unknown', message }] }
}

type Deps = { evm: Evm; fetch: Fetch; signal: AbortSignal }

/** All that one chain tells of an address. Throws `invalid_input` for a bad address, `upstream` when the chain is silent. */
export const lookAtAddress = async (
  { evm, fetch, signal }: Deps,
  input: { address: string; chain: EvmChain },
): Promise<Fields & { about: About }> => {
  const chain = openCallChain(evm, input.chain, { signal })
  const account = await readAccount(input.address, { evm, fetch, signal, chain })
  const { address } = account
  const at = [address, 'latest']
  const [balance, code, nonce, block, ensName] = await Promise.all([
    chain.read(Quantity, 'eth_getBalance', at),
    chain.read(Bytes, 'eth_getCode', at),
    chain.read(Quantity, 'eth_getTransactionCount', at),
    orNullIfUnanswered(chain.read(Quantity, 'eth_blockNumber', [])),
    readName(chain, address, fetch, signal),
  ])
  const special = findSpecialAddress(chain.name, address)
  const delegatedTo = parseDelegate(code)
  const type = addressType(code, delegatedTo, special)
  const isContract = type === 'contract'
  const { proxy, token } = isContract
    ? await readContract(chain, address, code)
    : { proxy: null, token: null }
  const flag = special ? flagByKind[special.kind] : undefined
  const isUnused = type === 'wallet' && nonce === 0n && balance === 0n
  return {
    address,
    chain: chain.name,
    chain_id: chain.id,
    type,
    is_contract: isContract,
    bytecode_size: codeSize(code),
    balance: { wei: String(balance), formatted: formatCoins(balance), symbol: chain.coin.symbol },
    nonce: Number(nonce),
    delegated_to: delegatedTo,
    proxy,
    token,
    ens: ensName.ens,
    label: special?.label ?? null,
    flags: [...(flag ? [flag] : []), ...(isUnused ? ['unused' as const] : [])],
    block: block === null ? null : Number(block),
    about: {
      sources: [...new Set([...account.sources, ...chain.sources()])],
      warnings: [...account.warnings, ...ensName.warnings],
    },
  }
}
