import { stablecoins } from '../../../../lib/stablecoins.ts'
import type { Address } from '../action.ts'
import { lower } from '../scene.ts'

export const permit2: Address = '0x000000000022d473030f116ddee9f6b43ac78ba3'

/** Contracts that whole markets approve. An unlimited allowance to them is a concern, to others a blocker. */
const wellKnown: Readonly<Record<Address, string>> = {
  [permit2]: 'Permit2',
  '0x7a250d5630b4cf539739df2c5dacb4c659f2488d': 'Uniswap V2 Router',
  '0xe592427a0aece92de3edee1f18e0157c05861564': 'Uniswap V3 Router',
  '0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45': 'Uniswap Router 02',
  '0x66a9893cc07d91d95644aedd05d03f95e1dba8af': 'Uniswap Universal Router',
  '0x2626664c2603336e57b271c5c0b26f421741e481': 'Uniswap Router 02 on Base',
  '0x6ff5693b99212da76ad316178a184ab56d299b43': 'Uniswap Universal Router on Base',
  '0x111111125421ca6dc452d289314280a0f8842a65': '1inch Router 6',
  '0xc92e8bdf79f0507f65a392b0ab4667716bfe0110': 'CoW Protocol relayer',
  '0x00000000000000adc04c56bf30ac9d3c0aaf14dc': 'Seaport 1.5',
  '0x0000000000000068f116a894984e2db1123eb395': 'Seaport 1.6',
  '0x1e0049783f008a0085193e00003d00cd54003c71': 'OpenSea conduit',
  '0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2': 'Aave V3 Pool',
}

export const nameOfContract = (address: string): string | undefined => wellKnown[lower(address)]

const wrappedCoins: readonly Address[] = [
  '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  '0x4200000000000000000000000000000000000006',
  '0x82af49447d8a07e3bd95bd0d56f35241523fbab1',
  '0x0d500b1d8e8ef31e21c99d1db9a6440d3adf1270',
]

const tokens: ReadonlyMap<string, string> = new Map([
  ...stablecoins.map(({ address, symbol }) => [address.toLowerCase(), symbol] as const),
  ...wrappedCoins.map(address => [address, 'wrapped coin'] as const),
  ['0xdac17f958d2ee523a2206206994597c13d831ec7', 'USDT'],
  ['0x6b175474e89094c44da98b954eedeac495271d0f', 'DAI'],
  ['0x2260fac5e5542a773aa44fbcfedf7c193bc2c599', 'WBTC'],
])

/** The symbol of a token contract that everybody knows; nobody can get out again what is sent there. */
export const nameOfToken = (address: string): string | undefined => tokens.get(address.toLowerCase())

/** Addresses that nobody has the key of. */
export const isBurnAddress = (address: string): boolean =>
  /^0x(?:0{40}|0{36}dead|dead0{32}dead|(?:de?ad)+0*|f{40})$/i.test(address) ||
  /^0x0{38}[0-9a-f]{2}$/i.test(address)
