import { formatUnits, type Hex } from 'viem'
import type { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import { maxText } from '../../../lib/evm-words.ts'
import { maxCluster } from '../../../lib/text/cut.ts'
import type { Evm, EvmChain, Fetch } from '../../../ports/index.ts'
import type { About, Note } from '../meta.ts'
import { readAccount } from './account.ts'
import { type Chain, ifTold, openChain } from './chain.ts'
import { othersThan } from './chains.ts'
import { delegateOf, sizeOf } from './code.ts'
import { familiarAt, impostorNotes } from './impostor.ts'
import { knownAs } from './known.ts'
import { proxyOf } from './proxy.ts'
import { Bytes } from './quantity.ts'
import { askToken, isNoToken, mostDecimals, type Token } from './token.ts'
import type { TokenFields } from './token-fields.ts'

type Described = z.output<typeof TokenFields> & { about: About }
type Asked = { evm: Evm; fetch: Fetch; signal: AbortSignal }

const native = (chain: Chain, address: Hex): Described => ({
  address,
  chain: chain.name,
  chainId: chain.id,
  standard: 'native',
  ...chain.coin,
  decimals: 18,
  totalSupply: null,
  isProxy: false,
  implementation: null,
  familiar: true,
  bytecodeSize: 0,
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
const chainsWith = async ({ evm, signal }: Asked, address: Hex, not: EvmChain): Promise<EvmChain[]> => {
  const found = await Promise.all(
    othersThan(not).map(async name => {
      const other = openChain(evm, name, { signal, deadlineMs: 3_000 })
      const code = await ifTold(other.read(Bytes, 'eth_getCode', [address, 'latest']))
      return code && code !== '0x' && !delegateOf(code) ? [name] : []
    }),
  )
  return found.flat()
}

const noContract = async (asked: Asked, chain: Chain, address: Hex): Promise<ToolError> => {
  const others = await chainsWith(asked, address, chain.name)
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

const notesOf = (chain: Chain, address: Hex, token: Token): Note[] => {
  const { standard, name, symbol, decimals, totalSupply } = token
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
      decimals !== null && decimals > mostDecimals,
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

const supplyOf = ({ totalSupply, standard }: Token, decimals: number | null) => {
  if (totalSupply === null) return null
  const digits = standard === 'ERC-721' ? 0 : decimals
  return { raw: String(totalSupply), formatted: digits === null ? null : formatUnits(totalSupply, digits) }
}

/** What a token tells of itself. Throws `not_found` where there is no contract, `upstream` when the chain is silent. */
export const describeToken = async (
  asked: Asked,
  input: { address: string; chain: EvmChain },
): Promise<Described> => {
  const chain = openChain(asked.evm, input.chain, { signal: asked.signal })
  const account = await readAccount(input.address, { ...asked, chain })
  const { address } = account
  if (knownAs(chain.name, address)?.kind === 'placeholder') return native(chain, address)
  const [code, token] = await Promise.all([
    chain.read(Bytes, 'eth_getCode', [address, 'latest']),
    askToken(chain, address),
  ])
  if (code === '0x' || delegateOf(code)) throw await noContract(asked, chain, address)
  const proxy = await proxyOf(chain, address, code)
  const decimals = token.decimals !== null && token.decimals <= mostDecimals ? Number(token.decimals) : null
  const { standard, name, symbol } = token
  return {
    address,
    chain: chain.name,
    chainId: chain.id,
    standard,
    name,
    symbol,
    decimals,
    totalSupply: supplyOf(token, decimals),
    isProxy: proxy !== null,
    implementation: proxy?.implementation ?? null,
    familiar: familiarAt(chain.name, address) !== null,
    bytecodeSize: sizeOf(code),
    about: {
      sources: [...new Set([...account.sources, ...chain.sources()])],
      warnings: [...account.warnings, ...notesOf(chain, address, token)],
      truncated: isCut(name) || isCut(symbol),
    },
  }
}
