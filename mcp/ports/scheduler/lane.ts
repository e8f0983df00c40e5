import { setMaxListeners } from 'node:events'
import { ToolError } from '../../kernel/error.ts'
import { toNetwork } from '../../kernel/origin.ts'
import { isWithinShare } from '../../lib/fair-share.ts'
import { toStopError } from '../fetch/deadline.ts'
import type { Asker, Booking, LaneUse, SharedPort, Weight } from './port.ts'

/** One task that asks for a place, and about how many bytes it keeps while it waits. */
export type PlaceRequest = {
  /** Default: the house itself. */
  asker?: Asker | undefined
  weight?: Weight
  bytes?: number
  /** Whose own places it takes besides, such as the origin of a request. */
  target?: string | undefined
  signal?: AbortSignal | undefined
}

export type LaneOptions = {
  resource: SharedPort
  /** Tasks that run at once. */
  places: number
  /** How many of the places heavy tasks may have, and free callers. Default: all. */
  heavyPlaces?: number
  freePlaces?: number
  /** How many tasks of one target run at once. Default: as many as there are places. */
  placesPerTarget?: number
  /** A network of payers leaves as much to others as one of free callers; else it may have all places but one. */
  sharesPaid?: boolean
  /** Tasks of one client that run at once, of each weight; networks are bounded by their share. Default for payers: all but one. */
  maxRunning?: { free: number; paid: number }
  /** Calls of one free client, and of one payer, that run or wait at once. All tasks of a call that is in belong to it. */
  maxCalls?: { free: number; paid: number }
  /** Tasks of all clients that wait, and their bytes. */
  maxWaiting?: number
  maxWaitingBytes?: number
  /** How long a task waits that nobody has paid for, and how long a call waits before it is charged. */
  maxWaitMs?: number
  maxBookingMs?: number
  /** A booking holds a place until its call has run; else it only makes sure that the call is let in. For tasks that take long. */
  holdsPlaces?: boolean
  /** Seconds after which a refused caller may come back. */
  retryAfter?: number
}

/** A place that a task has; `leave` is called once. */
export type LanePlace = { leave(): void }

type Task = { asker: Asker; weight: Weight; bytes: number; target?: string | undefined }

type Waiting = Task & {
  since: number
  enter(place: LanePlace): void
  refuse(error: ToolError): void
}

/** Share of one client in the lane. Payers and free callers of one address are two clients. */
type Client = {
  key: string
  network: Network
  running: Record<Weight, number>
  waiting: Waiting[]
  calls: Map<Asker, number>
}

type Network = {
  key: string
  paid: boolean
  running: number
  waiting: number
  /** In the order of their turns: who was served last is last. */
  clients: Map<string, Client>
}

/** Light tasks that may pass a heavy one that waits. */
const maxPassing = 4

/** The house itself, which asks like a free client. */
const house: Asker = { client: '', paid: false }

/**
 * Who gets the next place of a resource. Payers come before free callers and light tasks before heavy ones; networks take
 * turns, and the clients of a network among themselves, each in the order it asked. A free network never has more places than it leaves to
 * others, one of payers leaves one; so it is with the places of a target. When too much waits, the newest task of the free client with the most goes, if the
 * newcomer has a better right.
 */
export const openLane = ({
  resource,
  places,
  heavyPlaces = places,
  freePlaces = places,
  placesPerTarget = places,
  sharesPaid = false,
  maxRunning = { free: 1, paid: Math.max(1, places - 1) },
  maxCalls = { free: 5, paid: 64 },
  maxWaiting = 256,
  maxWaitingBytes = Number.POSITIVE_INFINITY,
  maxWaitMs = 30_000,
  maxBookingMs = 10_000,
  holdsPlaces = true,
  retryAfter = 2,
}: LaneOptions) => {
  /** In the order of their turns: who was served last is last. */
  const networks = new Map<string, Network>()
  const running = { light: 0, heavy: 0, free: 0 }
  /** Tasks that run for each target, by network. */
  const targets = new Map<string, Map<Network, number>>()
  const waiting = { tasks: 0, bytes: 0, heavy: 0 }
  const held = new Map<Asker, LanePlace>()
  const letIn = new Set<Asker>()
  let passing = 0

  const reason = `${resource}_busy`
  const clientFull = () =>
    new ToolError('too_many_requests', 'This client has too many calls under way that need the same.', {
      reason,
      retryAfter,
      hint: 'Wait for the answers of the calls before, then call again.',
    })
  let refusals = 0
  const allFull = () => {
    refusals++
    return new ToolError('unavailable', 'Too many calls of others are under way that need the same.', {
      reason,
      retryAfter,
      hint: `Repeat in ${retryAfter} seconds.`,
    })
  }

  const ensureClient = (address: string, paid: boolean): Client => {
    const ownNetwork = toNetwork(address)
    const networkKey = `${paid ? 'paid' : 'free'} ${ownNetwork}`
    const network = networks.get(networkKey) ?? {
      key: networkKey,
      paid,
      running: 0,
      waiting: 0,
      clients: new Map(),
    }
    networks.set(networkKey, network)
    const client = network.clients.get(address) ?? {
      key: address,
      network,
      running: { light: 0, heavy: 0 },
      waiting: [],
      calls: new Map(),
    }
    network.clients.set(address, client)
    return client
  }

  /** A client that has nothing in the lane is forgotten. */
  const forget = ({ key, network, calls }: Client) => {
    if (calls.size > 0) return
    network.clients.delete(key)
    if (network.clients.size === 0) networks.delete(network.key)
  }

  const join = ({ calls }: Client, asker: Asker) => void calls.set(asker, (calls.get(asker) ?? 0) + 1)

  const part = (client: Client, asker: Asker) => {
    const remaining = (client.calls.get(asker) ?? 1) - 1
    if (remaining > 0) client.calls.set(asker, remaining)
    else client.calls.delete(asker)
    forget(client)
  }

  /** Puts a client, and its network, last in turn. */
  const moveLast = ({ key, network }: Client) => {
    const client = network.clients.get(key)
    if (!client) return
    network.clients.delete(key)
    network.clients.set(key, client)
    networks.delete(network.key)
    networks.set(network.key, network)
  }

  const hasShare = ({ paid }: Network, own: number, used: number, all: number): boolean => {
    if (used >= all) return false
    return paid && !sharesPaid ? own < Math.max(1, all - 1) : isWithinShare({ own, used, all })
  }

  const fitsTarget = (network: Network, target: string | undefined): boolean => {
    const tasks = target === undefined ? undefined : targets.get(target)
    if (!tasks) return true
    const used = [...tasks.values()].reduce((sum, count) => sum + count, 0)
    return hasShare(network, tasks.get(network) ?? 0, used, placesPerTarget)
  }

  const fits = ({ network, running: own }: Client, weight: Weight, target?: string): boolean => {
    if (weight === 'heavy' && running.heavy >= heavyPlaces) return false
    if (own[weight] >= maxRunning[network.paid ? 'paid' : 'free']) return false
    // Free callers have shares of what payers leave them.
    const kept = network.paid ? 0 : running.free + places - freePlaces
    const used = Math.max(kept, running.light + running.heavy)
    return hasShare(network, network.running, used, places) && fitsTarget(network, target)
  }

  const countTarget = (network: Network, target: string | undefined, by: 1 | -1) => {
    if (target === undefined) return
    const tasks = targets.get(target) ?? new Map<Network, number>()
    const count = (tasks.get(network) ?? 0) + by
    if (count > 0) tasks.set(network, count)
    else tasks.delete(network)
    if (tasks.size > 0) targets.set(target, tasks)
    else targets.delete(target)
  }

  const occupy = (client: Client, { asker, weight, target }: Task): LanePlace => {
    const { network } = client
    countTarget(network, target, 1)
    running[weight] += 1
    if (!network.paid) running.free += 1
    client.running[weight] += 1
    network.running += 1
    moveLast(client)
    let hasLeft = false
    return {
      leave() {
        if (hasLeft) return
        hasLeft = true
        countTarget(network, target, -1)
        running[weight] -= 1
        if (!network.paid) running.free -= 1
        client.running[weight] -= 1
        network.running -= 1
        moveLast(client)
        part(client, asker)
        admit()
      },
    }
  }

  const unlist = (client: Client, task: Waiting): boolean => {
    const at = client.waiting.indexOf(task)
    if (at === -1) return false
    client.waiting.splice(at, 1)
    client.network.waiting -= 1
    waiting.tasks -= 1
    waiting.bytes -= task.bytes
    if (task.weight === 'heavy') waiting.heavy -= 1
    return true
  }

  const findNext = (paid: boolean, weight: Weight): { client: Client; task: Waiting } | undefined => {
    for (const network of networks.values()) {
      if (network.paid !== paid || network.waiting === 0) continue
      for (const client of network.clients.values()) {
        if (client.waiting.length === 0 || !fits(client, weight)) continue
        const task = client.waiting.find(each => each.weight === weight && fitsTarget(network, each.target))
        if (task) return { client, task }
      }
    }
    return undefined
  }

  const takeNext = () => {
    const order: readonly Weight[] = passing >= maxPassing ? ['heavy', 'light'] : ['light', 'heavy']
    for (const paid of [true, false])
      for (const weight of order) {
        const next = findNext(paid, weight)
        if (next) return next
      }
    return undefined
  }

  const admit = () => {
    for (let next = takeNext(); next; next = takeNext()) {
      const { client, task } = next
      unlist(client, task)
      passing = task.weight === 'light' && waiting.heavy > 0 ? passing + 1 : 0
      task.enter(occupy(client, task))
    }
  }

  const isFull = (bytes: number): boolean =>
    waiting.tasks >= maxWaiting || (waiting.tasks > 0 && waiting.bytes + bytes > maxWaitingBytes)

  /** The newest task of the free network, and in it the client, with the most waiting, where the newcomer goes before it. */
  const findWeakest = (newcomer: Client): { client: Client; task: Waiting } | undefined => {
    let heaviest: Network | undefined
    for (const network of networks.values())
      if (!network.paid && network.waiting > (heaviest?.waiting ?? 0)) heaviest = network
    let busiest: Client | undefined
    for (const client of heaviest?.clients.values() ?? [])
      if (client.waiting.length > (busiest?.waiting.length ?? 0)) busiest = client
    const task = busiest?.waiting.at(-1)
    if (!heaviest || !busiest || !task || busiest === newcomer) return undefined
    const isBetter =
      newcomer.network.paid ||
      (heaviest === newcomer.network
        ? busiest.waiting.length > newcomer.waiting.length + 1
        : heaviest.waiting > newcomer.network.waiting + 1)
    return isBetter ? { client: busiest, task } : undefined
  }

  const makeRoom = (newcomer: Client, bytes: number) => {
    while (isFull(bytes)) {
      const out = findWeakest(newcomer)
      if (!out) throw allFull()
      unlist(out.client, out.task)
      out.task.refuse(allFull())
    }
  }

  type Wait = Task & { signal?: AbortSignal | undefined; ms?: number }

  const wait = (client: Client, { asker, weight, bytes, target, signal, ms }: Wait): Promise<LanePlace> =>
    new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined
      const settle = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abandon)
      }
      const task: Waiting = {
        since: performance.now(),
        asker,
        weight,
        bytes,
        target,
        enter(place) {
          settle()
          resolve(place)
        },
        refuse(error) {
          settle()
          part(client, asker)
          reject(error)
        },
      }
      const abandon = () => {
        if (signal && unlist(client, task)) task.refuse(toStopError(signal))
      }
      if (ms !== undefined)
        timer = setTimeout(() => {
          if (unlist(client, task)) task.refuse(allFull())
        }, ms)
      signal?.addEventListener('abort', abandon, { once: true })
      client.waiting.push(task)
      client.network.waiting += 1
      waiting.tasks += 1
      waiting.bytes += bytes
      if (weight === 'heavy') waiting.heavy += 1
    })

  /** Lets a call in, or refuses it for how many its client has. */
  const joinAs = (asker: Asker, paid: boolean): Client => {
    const client = ensureClient(asker.client, paid)
    if (client.calls.has(asker) || client.calls.size < maxCalls[paid ? 'paid' : 'free']) {
      join(client, asker)
      return client
    }
    throw clientFull()
  }

  const takePlace = async (client: Client, request: Wait, isSure: boolean): Promise<LanePlace> => {
    const { asker, weight, bytes, target } = request
    if (fits(client, weight, target)) return occupy(client, request)
    try {
      if (!isSure) makeRoom(client, bytes)
    } catch (full) {
      part(client, asker)
      throw full
    }
    return wait(client, request)
  }

  const releaseWith = (asker: Asker, release: () => void) => {
    const { release: before } = asker
    asker.release = () => {
      before?.()
      release()
    }
  }

  /** Throws what a payer of this client would be told: it would get no place, nor be among the next. */
  const checkRoom = (address: string, weight: Weight) => {
    const client = ensureClient(address, true)
    const { size } = client.calls
    const isNext = fits(client, weight)
    forget(client)
    if (size >= maxCalls.paid) throw clientFull()
    if (isNext) return
    const others = [...networks.values()].filter(({ paid, waiting }) => paid && waiting > 0)
    if (others.length >= places) throw allFull()
  }

  return {
    /**
     * A place, at once or when it is this task's turn; one that is reserved for its call, if there is. Throws
     * `too_many_requests` or `unavailable`, or the reason of an aborted signal.
     */
    async enter({
      asker = house,
      weight = 'heavy',
      bytes = 0,
      target,
      signal,
    }: PlaceRequest): Promise<LanePlace> {
      if (signal?.aborted) throw toStopError(signal)
      // A call may have many tasks at once.
      if (signal) setMaxListeners(0, signal)
      const reserved = held.get(asker)
      held.delete(asker)
      if (reserved && asker.paid) return reserved
      reserved?.leave()
      const client = joinAs(asker, asker.paid)
      const isSure = asker.paid && letIn.has(asker)
      const ms = asker.paid || asker === house ? undefined : maxWaitMs
      const request = { asker, weight, bytes, target, signal, ...(ms !== undefined && { ms }) }
      return takePlace(client, request, isSure)
    },
    async reserve({ asker, isPaying, weight = 'heavy', signal }: Booking): Promise<void> {
      if (!isPaying) return checkRoom(asker.client, weight)
      if (signal?.aborted) throw toStopError(signal)
      if (held.has(asker) || letIn.has(asker)) return
      const client = joinAs(asker, true)
      if (!holdsPlaces) {
        try {
          if (!fits(client, weight)) makeRoom(client, 0)
        } catch (full) {
          part(client, asker)
          throw full
        }
        letIn.add(asker)
        releaseWith(asker, () => {
          if (letIn.delete(asker)) part(client, asker)
        })
        return
      }
      const place = await takePlace(client, { asker, weight, bytes: 0, signal, ms: maxBookingMs }, false)
      held.set(asker, place)
      releaseWith(asker, () => {
        if (held.get(asker) === place) held.delete(asker)
        place.leave()
      })
    },
    use(): LaneUse {
      const since = [...networks.values()].flatMap(({ clients }) =>
        [...clients.values()].flatMap(client => client.waiting.map(task => task.since)),
      )
      return {
        places,
        running: running.light + running.heavy,
        waiting: waiting.tasks,
        refusals,
        longestSeconds: since.length === 0 ? 0 : (performance.now() - Math.min(...since)) / 1000,
      }
    },
    /** Refuses everybody who waits. */
    clear(error: ToolError) {
      for (const network of [...networks.values()])
        for (const client of [...network.clients.values()])
          for (const task of [...client.waiting]) {
            unlist(client, task)
            task.refuse(error)
          }
    },
  }
}

export type Lane = ReturnType<typeof openLane>
