import type { Paid } from '../../payment/charge.ts'
import type { Ports } from '../../ports/index.ts'
import type { Service } from '../service.ts'
import type { Call, Caller, Context } from '../tool.ts'
import type { Abort } from './abort.ts'
import type { Incoming } from './incoming.ts'
import type { World } from './world.ts'

type Shared = Ports & Pick<Call, 'service' | 'base' | 'progress' | 'commit' | 'signal'>

/** Where a context keeps the abort that its signal is made from. */
const aborting = Symbol('abort')

type Aborting = { [aborting]: Abort }

const sharedOf = new WeakMap<World, WeakMap<Service, Shared>>()

/** What all calls of a service have in common; made once, since a call must cost little. */
const shared = (world: World, service: Service): Shared => {
  const known = sharedOf.get(world)?.get(service)
  if (known) return known
  const made: Shared = {
    ...(world.ports as Ports),
    service,
    get base() {
      return world.base(service)
    },
    get signal() {
      return (this as unknown as Aborting)[aborting].signal
    },
    progress: () => {},
    commit: () => Promise.reject(new Error('nothing runs yet')),
  }
  const services = sharedOf.get(world) ?? new WeakMap<Service, Shared>()
  sharedOf.set(world, services.set(service, made))
  return made
}

/** The context of one call: what its service shares, and what it brings along. */
export const contextOf = (
  world: World,
  service: Service,
  { channel, progress, idempotencyKey, client }: Incoming,
  caller: Caller | undefined,
  abort: Abort,
): Context<keyof Ports> => {
  const context: Context<keyof Ports> & Aborting = Object.create(shared(world, service))
  context[aborting] = abort
  context.channel = channel
  context.caller = caller
  context.receipt = undefined
  context.quota = undefined
  context.idempotencyKey = idempotencyKey
  context.client = client
  if (progress) context.progress = progress
  return context
}

/** The same context for a handler that runs now: it may commit, and knows its receipt. */
export const running = (
  context: Context<keyof Ports>,
  commit: Call['commit'],
  paid: Paid | undefined,
): Context<keyof Ports> => {
  context.commit = commit
  context.receipt = paid?.receipt
  return context
}
