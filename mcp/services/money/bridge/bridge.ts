import type { PublicClient } from 'viem'
import { ToolError } from '../../../kernel/error.ts'
import type { Cache } from '../../../ports/cache/port.ts'
import type { Chain, Chains, Wallet } from '../../../ports/chain/port.ts'
import type { Clock } from '../../../ports/clock/port.ts'
import type { Evm } from '../../../ports/evm/port.ts'
import type { Fetch } from '../../../ports/fetch/port.ts'
import type { Store } from '../../../ports/store/port.ts'
import { type BridgeChain, type BridgeRoute, routeNamed, routes, type Source } from './chains.ts'
import type { LocalBridge } from './devnet.ts'
import { askOver, type Iris, openIris } from './iris.ts'

/** A lane that works: the contract that payments of its route go to. */
export type Lane = {
  address: Hex
  /** Cost of a transfer that the contract allows: a share of the amount and a floor. */
  costBps: bigint
  costFloor: bigint
  /** True when it takes quotes that Circle signed. */
  takesQuotes: boolean
}

export type LaneState = { state: 'on'; lane: Lane } | { state: 'off'; reason: string }

type Hex = `0x${string}`

/** Terms set by an operator. */
export type BridgeTerms = {
  owners: readonly Hex[]
  costBps: number
  costFloor: bigint
  lanes: Readonly<Record<string, Hex>>
  off: Readonly<Record<string, string>>
  attestations: string
  marginBps: number
  gas: bigint
  referralBps: number
  max: bigint
  upfront: boolean
}

export type BridgeDeps = {
  chains: Chains
  evm: Evm
  fetch: Fetch
  cache: Cache
  store: Store
  clock: Clock
  terms: BridgeTerms
}

/** The bridge as its tools and its job use it. */
export type Bridge = {
  terms: BridgeTerms
  store: Store
  /** Milliseconds that a call waits for its money to arrive; afterwards it answers how far it is. */
  waitMs: number
  /** On local chains, with contracts and an attestation service of our own. */
  local: boolean
  now(): Date
  iris(): Promise<Iris>
  /** True when a route can be used now, and if not, why. */
  lane(route: BridgeRoute): Promise<LaneState>
  /** The lane of a route. Throws `unavailable` with the reason where it is off. */
  requireLane(route: BridgeRoute): Promise<Lane>
  source(name: Source): Chain
  relayer(chain: BridgeChain): Promise<Wallet>
  /** Reads a chain; undefined for one that no node is known of. */
  reader(chain: BridgeChain, signal?: AbortSignal): Promise<PublicClient | undefined>
  /** The contracts and the attestation service of local chains, started with the first use. */
  localBridge(): Promise<LocalBridge>
}

/** Milliseconds that what was seen of a lane holds: one that works, and one that does not. */
const lookMs = { on: 30_000, off: 5_000 }

const never = new AbortController().signal

/** Opens the bridge. Nothing is connected before the first use. */
export const openBridge = (deps: BridgeDeps): Bridge => {
  const { chains, evm, fetch, cache, store, clock, terms } = deps
  const { local } = chains
  const looks = new Map<string, { until: number; look: Promise<LaneState> }>()
  let opening: Promise<LocalBridge> | undefined
  let iris: Promise<Iris> | undefined

  const openLocal = async (): Promise<LocalBridge> => {
    const { openLocalBridge } = await import('./devnet.ts')
    return openLocalBridge(chains)
  }
  const localBridge = (): Promise<LocalBridge> => {
    opening ??= openLocal().catch(error => {
      opening = undefined
      throw error
    })
    return opening
  }

  const openService = async (): Promise<Iris> =>
    local
      ? openIris((await localBridge()).ask, undefined)
      : openIris(
          askOver(fetch, terms.attestations, () => clock.now().getTime()),
          cache,
        )

  const look = async (route: BridgeRoute): Promise<LaneState> => {
    const off = terms.off[route.name]
    if (off !== undefined) return { state: 'off', reason: off }
    const address = local ? await (await localBridge()).lane(route) : terms.lanes[route.name]
    if (address === undefined)
      return {
        state: 'off',
        reason: local
          ? 'This route is not on the local chains; base-arc and arc-base are.'
          : 'No contract is configured for this route (MONEY_BRIDGE_LANES).',
      }
    const { lookAtLane } = await import('./lane.ts')
    return lookAtLane(bridge, route, address)
  }

  const bridge: Bridge = {
    terms,
    store,
    waitMs: local ? 5_000 : 20_000,
    local,
    now: () => clock.now(),
    iris: () => {
      iris ??= openService().catch(error => {
        iris = undefined
        throw error
      })
      return iris
    },
    lane: route => {
      const before = looks.get(route.name)
      if (before && performance.now() < before.until) return before.look
      const entry = { until: performance.now() + lookMs.on, look: look(route) }
      looks.set(route.name, entry)
      entry.look.then(
        ({ state }) => {
          if (state === 'off') entry.until = performance.now() + lookMs.off
        },
        () => looks.delete(route.name),
      )
      return entry.look
    },
    requireLane: async route => {
      const lane = await bridge.lane(route)
      if (lane.state === 'on') return lane.lane
      throw new ToolError('unavailable', `${route.name} is off: ${lane.reason}`, {
        reason: 'route_off',
        hint: 'Ask for the routes that work now. Nothing was charged.',
        next: ['bridge_routes'],
      })
    },
    source: name => chains.open(name),
    relayer: async ({ title, send }) => {
      if (!send) throw new ToolError('unavailable', `Nothing is sent on ${title} from here.`)
      return chains.relayer(send)
    },
    reader: async ({ send, read }, signal = never) => {
      if (local && send !== 'base' && send !== 'arc') return undefined
      if (send && (local || read === undefined)) return chains.open(send).reader()
      if (!read) return undefined
      const { openReader } = await import('../stablecoin/reader.ts')
      return openReader(evm, read, signal)
    },
    localBridge,
  }
  return bridge
}

/** Describes the bridge for the guide. */
export const describeBridge = async (bridge: Bridge) => {
  const lanes = await Promise.all(
    routes.map(async route => {
      const lane = await bridge.lane(route).catch((error: unknown) => ({
        state: 'off' as const,
        reason: error instanceof ToolError ? error.message : 'The chain does not answer.',
      }))
      return lane.state === 'on'
        ? { route: route.name, state: lane.state }
        : { route: route.name, state: lane.state, reason: lane.reason }
    }),
  )
  const isOn = lanes.some(({ state }) => state === 'on')
  const reason = lanes.find(lane => 'reason' in lane)?.reason
  return {
    state: isOn ? ('on' as const) : ('off' as const),
    ...(!isOn && reason !== undefined && { reason }),
    routes: lanes,
  }
}

/** A transfer's route. Throws for one that is not in the table any more. */
export const requireNamed = (name: string): BridgeRoute => {
  const route = routeNamed(name)
  if (!route) throw new Error(`no route ${name}`)
  return route
}
