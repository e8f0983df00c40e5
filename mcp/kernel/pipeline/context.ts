import { inSpan, type Span } from '../../lib/trace/span.ts'
import type { Paid } from '../../payment/charge.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Store } from '../../ports/store/port.ts'
import { withClient } from '../collection.ts'
import type { Service } from '../service.ts'
import type { AnyTool, Call, Caller, Context } from '../tool.ts'
import { type Abort, signalOf } from './abort.ts'
import { countFirstCallsLeft } from './first-calls.ts'
import type { Incoming } from './incoming.ts'
import { provideAll } from './provide.ts'
import type { World } from './world.ts'

type Shared = Partial<Ports> &
  Pick<Call, 'base' | 'progress' | 'commit' | 'decline' | 'spend' | 'signal' | 'freeCallsLeft'>

/** Keys of the abort that a context's signal is made from, and of an endpoint's exchange. */
const aborting = Symbol('abort')
const exchanging = Symbol('exchange')

type PrivateContext = { [aborting]: Abort; [exchanging]?: unknown }

const sharedContexts = new WeakMap<World, WeakMap<AnyTool, Shared>>()

/** The store as a call writes to it: in the name of its client, and bound by budgets unless it was paid for. */
export const toOriginStore = (
  store: Store,
  { client, caller, asker }: Pick<Call, 'client' | 'caller' | 'asker'>,
): Store => {
  const own = withClient(store, client, asker.paid, caller?.id)
  if (!asker.span) return own
  const step = ['store transaction', 'client', { 'db.operation.name': 'transaction' }] as const
  return { ...own, transaction: work => inSpan(asker.span, step, () => own.transaction(work)) }
}

/** Context that a tool's calls share, with exactly the ports it declares; made once, since a call must cost little. */
const sharedContext = (world: World, tool: AnyTool): Shared => {
  const byTool = sharedContexts.get(world)
  const cached = byTool?.get(tool)
  if (cached) return cached
  const needs = provideAll(world, [...tool.needs, ...(tool.wants ?? [])])
  const shared: Shared = {
    ...needs,
    get base() {
      return world.base((this as unknown as Call).service)
    },
    get signal() {
      return signalOf((this as unknown as PrivateContext)[aborting])
    },
    async freeCallsLeft(this: Call) {
      const { caller, service } = this
      const { freeCalls: calls = 0 } = service.prepaid ?? {}
      const { store } = world.ports
      if (!caller?.balance || !store) return 0
      return countFirstCallsLeft(store, { slug: service.slug, caller: caller.id, calls })
    },
    progress: () => {},
    commit: () => Promise.reject(new Error('nothing runs yet')),
    decline: () => Promise.reject(new Error('nothing runs yet')),
    spend: () => false,
  }
  // What clients share is used by each call in its own name.
  for (const name of ['workers', 'llm', 'fetch', 'dns', 'rdap', 'tls', 'vies'] as const)
    if (name in needs)
      Object.defineProperty(shared, name, {
        get(this: Call) {
          const port = world.ports[name]
          return port?.forCall?.(this) ?? port
        },
      })
  if ('store' in needs)
    Object.defineProperty(shared, 'store', {
      get(this: Call) {
        return world.ports.store && toOriginStore(world.ports.store, this)
      },
    })
  sharedContexts.set(world, (byTool ?? new WeakMap<AnyTool, Shared>()).set(tool, shared))
  return shared
}

/** The context of one call: what its tool shares, and what it brings along. */
export const buildContext = (
  world: World,
  service: Service,
  tool: AnyTool,
  { channel, progress, idempotencyKey, client, exchange }: Incoming,
  caller: Caller | undefined,
  abort: Abort,
  span: Span | undefined,
): Context<keyof Ports> => {
  const context: Context<keyof Ports> & PrivateContext = Object.create(sharedContext(world, tool))
  context.service = service
  context[aborting] = abort
  if (exchange !== undefined) context[exchanging] = exchange
  context.channel = channel
  context.caller = caller
  context.receipt = undefined
  context.isPaying = false
  context.quota = undefined
  context.idempotencyKey = idempotencyKey
  context.client = client
  context.asker = { client, paid: false, span }
  if (progress) context.progress = progress
  return context
}

/** Value the adapter gave the call beside its input. */
export const exchangeOf = (context: object): unknown => (context as PrivateContext)[exchanging]

/** The same context for a handler that runs now: it may commit, and knows its receipt. */
export const running = (
  context: Context<keyof Ports>,
  { commit, decline, spend }: Pick<Call, 'commit' | 'decline' | 'spend'>,
  payment: Paid | undefined,
): Context<keyof Ports> => {
  context.commit = commit
  context.decline = decline
  context.spend = spend
  context.receipt = payment?.receipt
  context.asker.paid = payment !== undefined
  return context
}
