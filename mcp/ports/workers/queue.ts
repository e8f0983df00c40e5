import { ToolError } from '../../kernel/error.ts'
import { toStopError } from '../fetch/deadline.ts'
import type { Asker } from '../index.ts'

/** How a task is weighed before it runs: small input is light, whatever it turns out to cost. */
export type Weight = 'light' | 'heavy'

/** One task that asks for a place, and about how many bytes it keeps while it waits. */
export type PlaceRequest = { asker: Asker; weight: Weight; bytes: number; signal?: AbortSignal | undefined }

export type Bounds = {
  /** Tasks that run at once; heavy ones leave one of these places free when there is more than one. */
  places: number
  /** Calls of one free client, and of one payer, that run or wait at once. All tasks of a call that is in belong to it. */
  maxCallsPerClient: number
  maxCallsPerPayer: number
  /** Tasks of all clients that wait, and their bytes. */
  maxWaiting: number
  maxWaitingBytes: number
}

/** A place that a task has; `leave` is called once. */
export type QueuePlace = { leave(): void }

type Waiting = PlaceRequest & { enter(place: QueuePlace): void; refuse(error: ToolError): void }

/** What one client has in the queue. Payers and free callers of one address are two clients. */
type Client = { key: string; paid: boolean; running: number; waiting: Waiting[]; calls: Map<Asker, number> }

const tooMany = (detail: string) =>
  new ToolError('too_many_requests', detail, {
    retryAfter: 2,
    hint: 'Wait for the answers of the calls before, then call again.',
  })

const clientFull = () => tooMany('Too many inputs of this client are being read at once.')
const allFull = () => tooMany('Too many inputs are being read at once.')

/**
 * Who gets the next place: one task of a client runs at a time, payers come before free callers, and clients take turns,
 * each in the order it asked. Heavy tasks never take the last place, so that light ones do not wait for them. When
 * too much waits, the newest task of the free client with the most goes, if the newcomer has a better right.
 */
export const openQueue = (bounds: Bounds) => {
  const { places, maxCallsPerClient, maxCallsPerPayer, maxWaiting, maxWaitingBytes } = bounds
  const heavyPlaces = Math.max(1, places - 1)
  /** In the order of their turns: who was served last is last. */
  const clients = new Map<string, Client>()
  const running = { light: 0, heavy: 0 }
  const waiting = { tasks: 0, bytes: 0 }

  const ensureClient = ({ client, paid }: Asker): Client => {
    const key = `${paid ? 'paid' : 'free'} ${client}`
    const existing = clients.get(key)
    if (existing) return existing
    const newClient = { key, paid, running: 0, waiting: [], calls: new Map() }
    clients.set(key, newClient)
    return newClient
  }

  const join = ({ calls }: Client, asker: Asker) => void calls.set(asker, (calls.get(asker) ?? 0) + 1)

  /** A client that has nothing in the queue is forgotten. */
  const part = ({ key, calls }: Client, asker: Asker) => {
    const remaining = (calls.get(asker) ?? 1) - 1
    if (remaining > 0) calls.set(asker, remaining)
    else calls.delete(asker)
    if (calls.size === 0) clients.delete(key)
  }

  const fits = (weight: Weight) =>
    running.light + running.heavy < places && (weight === 'light' || running.heavy < heavyPlaces)

  const occupy = (client: Client, { asker, weight }: PlaceRequest): QueuePlace => {
    running[weight] += 1
    client.running += 1
    let hasLeft = false
    return {
      leave() {
        if (hasLeft) return
        hasLeft = true
        running[weight] -= 1
        client.running -= 1
        clients.delete(client.key)
        clients.set(client.key, client)
        part(client, asker)
        admit()
      },
    }
  }

  const unlist = (client: Client, task: Waiting) => {
    const at = client.waiting.indexOf(task)
    if (at === -1) return false
    client.waiting.splice(at, 1)
    waiting.tasks -= 1
    waiting.bytes -= task.bytes
    return true
  }

  const takeNext = (paid: boolean): { client: Client; task: Waiting } | undefined => {
    for (const client of clients.values()) {
      if (client.paid !== paid || client.running > 0) continue
      const task = client.waiting.find(({ weight }) => fits(weight))
      if (task) return { client, task }
    }
    return undefined
  }

  const admit = () => {
    for (let next = takeNext(true) ?? takeNext(false); next; next = takeNext(true) ?? takeNext(false)) {
      unlist(next.client, next.task)
      next.task.enter(occupy(next.client, next.task))
    }
  }

  const isFull = (bytes: number) =>
    waiting.tasks >= maxWaiting || (waiting.tasks > 0 && waiting.bytes + bytes > maxWaitingBytes)

  /** The newest task of the free client that has the most waiting, where the newcomer goes before it. */
  const weakest = (newcomer: Client): { client: Client; task: Waiting } | undefined => {
    let busiest: Client | undefined
    for (const client of clients.values())
      if (!client.paid && client.waiting.length > (busiest?.waiting.length ?? 0)) busiest = client
    const task = busiest?.waiting.at(-1)
    if (!busiest || !task || busiest === newcomer) return undefined
    const isBetter = newcomer.paid || busiest.waiting.length > newcomer.waiting.length + 1
    return isBetter ? { client: busiest, task } : undefined
  }

  const makeRoom = (newcomer: Client, bytes: number) => {
    while (isFull(bytes)) {
      const out = weakest(newcomer)
      if (!out) throw allFull()
      unlist(out.client, out.task)
      out.task.refuse(allFull())
    }
  }

  const wait = (client: Client, request: PlaceRequest): Promise<QueuePlace> =>
    new Promise((resolve, reject) => {
      const { asker, bytes, signal } = request
      const settle = () => signal?.removeEventListener('abort', abandon)
      const task: Waiting = {
        ...request,
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
      signal?.addEventListener('abort', abandon, { once: true })
      client.waiting.push(task)
      waiting.tasks += 1
      waiting.bytes += bytes
    })

  return {
    /** A place, at once or when it is this task's turn. Throws `too_many_requests`, or the reason of an aborted signal. */
    async enter(request: PlaceRequest): Promise<QueuePlace> {
      const { asker, weight, bytes, signal } = request
      if (signal?.aborted) throw toStopError(signal)
      const client = ensureClient(asker)
      const maxCalls = asker.paid ? maxCallsPerPayer : maxCallsPerClient
      if (!client.calls.has(asker) && client.calls.size >= maxCalls) throw clientFull()
      join(client, asker)
      if (client.running === 0 && fits(weight)) return occupy(client, request)
      try {
        makeRoom(client, bytes)
      } catch (full) {
        part(client, asker)
        throw full
      }
      return wait(client, request)
    },
    /** Refuses everybody who waits. */
    clear(error: ToolError) {
      for (const client of [...clients.values()])
        for (const task of [...client.waiting]) {
          unlist(client, task)
          task.refuse(error)
        }
    },
  }
}
