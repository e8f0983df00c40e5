import { ToolError } from '../../kernel/error.ts'
import { toStopError } from '../fetch/deadline.ts'
import { openEndpoint, type RpcEndpoint } from './endpoint.ts'
import type { Evm, EvmAnswer, EvmChain, EvmNetwork, EvmOptions, LocalEvm } from './port.ts'
import type { RpcPost } from './post.ts'

/** EIP-155 ids, which every endpoint is asked for before it is believed. */
const evmChains: Readonly<Record<EvmNetwork, { id: number; title: string }>> = {
  eth: { id: 1, title: 'Ethereum' },
  base: { id: 8453, title: 'Base' },
  arbitrum: { id: 42161, title: 'Arbitrum One' },
  optimism: { id: 10, title: 'OP Mainnet' },
  polygon: { id: 137, title: 'Polygon PoS' },
  'base-sepolia': { id: 84532, title: 'Base Sepolia' },
  arc: { id: 5042, title: 'Arc' },
}

type Addresses = readonly { reveal(): string }[]

type Options = {
  /** Addresses by chain, in order of preference. They may hold keys. */
  rpc: Readonly<Record<EvmChain, Addresses> & Partial<Record<EvmNetwork, Addresses>>>
  /** Milliseconds one endpoint has for one answer. Default 1,500. */
  attemptMs?: number
  now?: () => number
  /** Starts the local chain that stands in for one; undefined for a chain that none stands in for. */
  local?: (chain: EvmNetwork) => (() => Promise<{ rpc: string; generation: string }>) | undefined
}

/** A chain on this machine is the only one of its kind, however busy the machine is. */
const localMs = { attemptMs: 20_000, deadlineMs: 20_000 }

const defaults = { deadlineMs: 6_000, maxBytes: 2 << 20 }

/** Endpoints that cannot answer a question before it is believed that none can. */
const enoughUnable = 2

const down = (title: string, reasons: readonly string[]): ToolError =>
  new ToolError('upstream', `${title} does not answer just now: ${[...new Set(reasons)].join(', ')}.`, {
    hint: 'Repeat the call in a few seconds.',
    retryAfter: 5,
  })

/** The endpoint that answered last comes first: those that failed rest, and a rest grows with each fault. */
const inOrder = (endpoints: readonly RpcEndpoint[], now: number): RpcEndpoint[] => {
  const rest = (endpoint: RpcEndpoint) => Math.max(0, endpoint.restsUntil() - now)
  return [...endpoints].sort((a, b) => rest(a) - rest(b))
}

/** Opens the port to the chains. Nothing is loaded or connected before the first question. */
export const openEvm = ({
  rpc,
  attemptMs = 1_500,
  now = () => performance.now(),
  local: startLocal,
}: Options): Evm => {
  let posting: Promise<RpcPost> | undefined
  const post = () => {
    posting ??= import('./post.ts').then(({ openPost }) => openPost())
    return posting
  }
  const open = (chain: EvmNetwork): RpcEndpoint[] =>
    (rpc[chain] ?? []).map(secret =>
      openEndpoint({ url: secret.reveal(), chainId: evmChains[chain].id, post, now, checkMs: attemptMs }),
    )
  const endpoints = new Map<EvmNetwork, RpcEndpoint[]>()

  const orderedEndpoints = (chain: EvmNetwork): RpcEndpoint[] => {
    const pool = endpoints.get(chain) ?? open(chain)
    endpoints.set(chain, pool)
    return inOrder(pool, now())
  }

  const askEach = async (
    title: string,
    pool: readonly RpcEndpoint[],
    [method, params]: readonly [string, readonly unknown[]],
    options: EvmOptions & { attemptMs: number },
  ): Promise<EvmAnswer> => {
    const {
      deadlineMs = defaults.deadlineMs,
      maxBytes: bytes = defaults.maxBytes,
      signal,
      attemptMs,
    } = options
    const until = performance.now() + deadlineMs
    const reasons: string[] = []
    const unable: EvmAnswer[] = []
    let nothing: EvmAnswer | undefined
    for (const endpoint of pool) {
      if (signal?.aborted) throw toStopError(signal)
      const remainingMs = until - performance.now()
      if (remainingMs < 1) break
      const ms = Math.ceil(Math.min(attemptMs, remainingMs))
      const reply = await endpoint.ask(method, params, { ms, bytes, whole: ms === attemptMs, signal })
      const from = { endpoint: endpoint.host }
      if (signal?.aborted) throw toStopError(signal)
      if (reply.kind === 'failed') reasons.push(reply.why)
      if (reply.kind === 'refused') return { error: reply.error, ...from }
      if (reply.kind === 'unable' && unable.push({ error: reply.error, ...from }) === enoughUnable) break
      if (reply.kind !== 'result') continue
      const answer = { result: reply.result, ...from }
      if (reply.result !== null || !options.confirmNull || nothing) return answer
      nothing = answer
    }
    // One endpoint that knows nothing, and nobody to ask besides, is still an answer.
    if (nothing) return nothing
    const [answer] = unable
    if (answer && (reasons.length === 0 || unable.length === enoughUnable)) return answer
    throw down(title, reasons.length > 0 ? reasons : ['no answer in time'])
  }

  const openLocal = (chain: EvmNetwork): LocalEvm | undefined => {
    const start = startLocal?.(chain)
    if (!start) return undefined
    const { id: chainId, title } = evmChains[chain]
    let open: { rpc: string; endpoint: RpcEndpoint } | undefined
    const connect = (rpc: string) => {
      if (open?.rpc !== rpc)
        open = { rpc, endpoint: openEndpoint({ url: rpc, chainId, post, now, checkMs: localMs.attemptMs }) }
      return open.endpoint
    }
    return {
      generation: async () => (await start()).generation,
      ask: async (method, params, options) =>
        askEach(title, [connect((await start()).rpc)], [method, params], { ...localMs, ...options }),
    }
  }
  const locals = new Map<EvmNetwork, LocalEvm | undefined>()

  return {
    ask: (chain, method, params, options) =>
      askEach(evmChains[chain].title, orderedEndpoints(chain), [method, params], { attemptMs, ...options }),
    local(chain) {
      if (!locals.has(chain)) locals.set(chain, openLocal(chain))
      return locals.get(chain)
    },
  }
}
