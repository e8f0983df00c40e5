import { ToolError } from '../../../kernel/error.ts'
import type { ChainName } from '../../../ports/chain/port.ts'
import type { EvmNetwork } from '../../../ports/evm/port.ts'

type Hex = `0x${string}`

/** A chain that CCTP V2 reaches. `domain` is Circle's number of it. */
export type BridgeChain = {
  name: string
  title: string
  chainId: number
  domain: number
  usdc: Hex
  /** Under which name it is read; without one, Circle's word is all there is. */
  read?: EvmNetwork
  /** Under which name transactions are sent on it. */
  send?: ChainName
}

/** Circle's contracts, at the same address on every chain of the table (`@circle-fin/bridge-kit` 1.15.1). */
export const messengerAddress: Hex = '0x28b5a0e9C621a5BadaA536219b3a228C8168cf5d'
export const transmitterAddress: Hex = '0x81D40F21F12A8F0E3252Bccb954D722d4c464B64'
/** TokenMessengerWithFees, where fees are paid at once by a quote that Circle signed. */
export const messengerWithFeesAddress: Hex = '0x71f54F818671cD0D7ea140Da213e5C8b5C92a408'

const chain = (
  name: string,
  title: string,
  chainId: number,
  domain: number,
  usdc: Hex,
  more: Pick<BridgeChain, 'read' | 'send'> = {},
): BridgeChain => ({ name, title, chainId, domain, usdc, ...more })

/** Base, and the sixteen chains that it is bridged to. */
export const chains: readonly BridgeChain[] = [
  chain('base', 'Base', 8453, 6, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', {
    read: 'base',
    send: 'base',
  }),
  chain('arc', 'Arc', 5042, 26, '0x3600000000000000000000000000000000000000', { read: 'arc', send: 'arc' }),
  chain('ethereum', 'Ethereum', 1, 0, '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', { read: 'eth' }),
  chain('arbitrum', 'Arbitrum One', 42161, 3, '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', {
    read: 'arbitrum',
    send: 'arbitrum',
  }),
  chain('optimism', 'OP Mainnet', 10, 2, '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', { read: 'optimism' }),
  chain('polygon', 'Polygon PoS', 137, 7, '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', {
    read: 'polygon',
    send: 'polygon',
  }),
  chain('avalanche', 'Avalanche', 43114, 1, '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E'),
  chain('unichain', 'Unichain', 130, 10, '0x078D782b760474a361dDA0AF3839290b0EF57AD6'),
  chain('linea', 'Linea', 59144, 11, '0x176211869cA2b568f2A7D4EE941E073a821EE1ff'),
  chain('sonic', 'Sonic', 146, 13, '0x29219dd400f2Bf60E5a23d13Be72B486D4038894'),
  chain('worldchain', 'World Chain', 480, 14, '0x79A02482A880bCE3F13e09Da970dC34db4CD24d1'),
  chain('monad', 'Monad', 143, 15, '0x754704Bc059F8C67012fEd69BC8A327a5aafb603'),
  chain('sei', 'Sei', 1329, 16, '0xe15fC38F6D8c56aF07bbCBe3BAf5708A2Bf42392'),
  chain('xdc', 'XDC', 50, 18, '0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1'),
  chain('hyperevm', 'HyperEVM', 999, 19, '0xb88339CB7199b77E23DB6E890353E22632Ba630f'),
  chain('ink', 'Ink', 57073, 21, '0x2D270e6886d130D724215A266106e6832161EAEd'),
  chain('plume', 'Plume', 98866, 22, '0x222365EF19F7947e5484218551B56bb3965Aa7aF'),
]

/** Source chains of transfers. */
export const sources = ['base', 'arc'] as const

export type Source = (typeof sources)[number]

const byName = new Map(chains.map(chain => [chain.name, chain]))
const byDomain = new Map(chains.map(chain => [chain.domain, chain]))

/** A chain by its name. Throws for one that is not in the table. */
export const chainNamed = (name: string): BridgeChain => {
  const chain = byName.get(name)
  if (!chain) throw new Error(`no chain ${name}`)
  return chain
}

/** The chain of one of Circle's domains; undefined for one that is not in the table. */
export const chainOfDomain = (domain: number): BridgeChain | undefined => byDomain.get(domain)

/** One direction: from a source to a chain that is reached from there. */
export type BridgeRoute = { name: string; from: BridgeChain & { name: Source }; to: BridgeChain }

const isRoute = (from: Source, to: string): boolean =>
  from !== to && byName.has(to) && (from === 'base' || to === 'base')

const toRoute = (from: Source, to: string): BridgeRoute => ({
  name: `${from}-${to}`,
  from: { ...chainNamed(from), name: from },
  to: chainNamed(to),
})

/** Base to each of the sixteen, and Arc to Base. */
export const routes: readonly BridgeRoute[] = sources.flatMap(from =>
  chains.filter(({ name }) => isRoute(from, name)).map(({ name }) => toRoute(from, name)),
)

/** A route by its name, such as `base-arc`. */
export const routeNamed = (name: string): BridgeRoute | undefined => routes.find(route => route.name === name)

/** The route between two chains. Throws `invalid_input` that names the field and lists what it may be. */
export const requireRoute = (from: Source, to: string): BridgeRoute => {
  if (isRoute(from, to)) return toRoute(from, to)
  const there = routes.filter(route => route.from.name === from).map(route => route.to.name)
  const fault = from === to ? 'the same chain as from' : `no chain that ${from} is bridged to`
  throw new ToolError('invalid_input', `"${to}" is ${fault}.`, {
    issues: [{ path: 'to', message: `must be one of ${there.join(', ')}` }],
  })
}
