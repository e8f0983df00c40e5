import { formatUnits, type Hex } from 'viem'
import type { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import { maxText } from '../../../lib/evm-words.ts'
import { maxCluster } from '../../../lib/text/cut.ts'
import type { Evm, EvmChain } from '../../../ports/evm/port.ts'
import type { Fetch } from '../../../ports/fetch/port.ts'
import type { About, Note } from '../meta.ts'
import { readAccount } from './account.ts'
import { type CallChain, openCallChain, orNullIfUnanswered } from './chain.ts'
import { othersThan } from './chains.ts'
import { codeSize, parseDelegate } from './code.ts'
import { familiarAt, impostorNotes } from './impostor-tokens.ts'
import { detectProxy } from './proxy.ts'
import { Bytes } from './quantity.ts'
import { findSpecialAddress } from './special-addresses.ts'
import { askToken, isNoToken, maxDecimals, type TokenClaims } from './token.ts'
import type { TokenFields } from './token-fields.ts'

type TokenReport = z.output<typeof TokenFields> & { about: About }
type Deps = { evm: Evm; fetch: Fetch; signal: AbortSignal }

const native = (chain: CallChain, address: Hex): TokenReport => ({
  address,
  chain: chain.name,
  chain_id: chain.id,
  standard: 'native',
  ...chain.coin,
  decimals: 18,
  total_supply: null,
  is_proxy: false,
  implementation: null,
  familiar: true,
  bytecode_size: 0,
  about: {
    warnings: [
      {
        code: 'native_placeholder',
        message: `This address stands for ${chain.coin.symbol} itself; there is no contract to call.`,
      },
    ],
  },
})

/** Chains that have a contract at an address, of those that say so in time. */
const chainsWith = async ({ evm, signal }: Deps, address: Hex, not: EvmChain): Promise<EvmChain[]> => {
  const chains = await Promise.all(
    othersThan(not).map(async name => {
      const other = openCallChain(evm, name, { signal, deadlineMs: 3_000 })
      const code = await orNullIfUnanswered(other.read(Bytes, 'eth_getCode', [address, 'latest']))
      return code && code !== '0x' && !parseDelegate(code) ? [name] : []
    }),
  )
  return chains.flat()
}

const noContract = async (deps: Deps, chain: CallChain, address: Hex): Promise<ToolError> => {
  const others = await chainsWith(deps, address, chain.name)
  const [first] = others
  return new ToolError(
    'not_found',
    `${address} is not a contract on ${chain.title}: it has no code there, so it is no token.`,
    {
      hint: first
        ? `There is a contract at this address on ${others.join(', ')}: ask with chain=${first}.`
        : 'Check the address and the chain; evm-address-intel tells what the address is.',
    },
  )
}

const note = (when: boolean, code: string, message: string): Note[] => (when ? [{ code, message }] : [])

const isCut = (text: string | null): boolean =>
  text?.endsWith('…') === true && text.length > maxText - maxCluster

const tokenNotes = (chain: CallChain, address: Hex, token: TokenClaims): Note[] => {
  const { standard, name, symbol, decimals, total_supply: totalSupply } = token
  const collects = standard === 'ERC-721' || standard === 'ERC-1155'
  if (isNoToken(token))
    return note(true, 'no_token', 'The contract answers nothing that a token answers; it may be none.')
  return [
    ...note(
      !collects && decimals === null,
      'decimals_missing',
      'The contract tells no decimals: amounts cannot be formatted, and 18 must not be assumed.',
    ),
    ...note(
      decimals !== null && decimals > maxDecimals,
      'decimals_impossible',
      'The contract tells more than 77 decimals, which no number of 256 bits has.',
    ),
    ...note(
      !collects && totalSupply === null,
      'supply_unknown',
      'The contract does not tell its total supply: the call reverts.',
    ),
    ...note(
      isCut(name) || isCut(symbol),
      'text_cut',
      `Name or symbol are longer than ${maxText} characters.`,
    ),
    ...impostorNotes(chain.name, { address, name, symbol }),
  ]
}

const toSupply = ({ total_supply: totalSupply, standard }: TokenClaims, decimals: number | null) => {
  if (totalSupply === null) return null
  const digits = standard === 'ERC-721' ? 0 : decimals
  return { raw: String(totalSupply), formatted: digits === null ? null : formatUnits(totalSupply, digits) }
}

/** Reads a token's own facts. Throws `not_found` where there is no contract, `upstream` when the chain is silent. */
export const describeToken = async (
  deps: Deps,
  input: { address: string; chain: EvmChain },
): Promise<TokenReport> => {
  const chain = openCallChain(deps.evm, input.chain, { signal: deps.signal })
  const account = await readAccount(input.address, { ...deps, chain })
  const { address } = account
  if (findSpecialAddress(chain.name, address)?.kind === 'placeholder') return native(chain, address)
  const [code, token] = await Promise.all([
    chain.read(Bytes, 'eth_getCode', [address, 'latest']),
    askToken(chain, address),
  ])
  if (code === '0x' || parseDelegate(code)) throw await noContract(deps, chain, address)
  const proxy = await detectProxy(chain, address, code)
  const decimals = token.decimals !== null && token.decimals <= maxDecimals ? Number(token.decimals) : null
  const { standard, name, symbol } = token
  return {
    address,
    chain: chain.name,
    chain_id: chain.id,
    standard,
    name,
    symbol,
    decimals,
    total_supply: toSupply(token, decimals),
    is_proxy: proxy !== null,
    implementation: proxy?.implementation ?? null,
    familiar: familiarAt(chain.name, address) !== null,
    bytecode_size: codeSize(code),
    about: {
      sources: [...new Set([...account.sources, ...chain.sources()])],
      warnings: [...account.warnings, ...tokenNotes(chain, address, token)],
      truncated: isCut(name) || isCut(symbol),
    },
  }
}
