import type { Clock, Store } from '../../ports/index.ts'
import type { Charge, Gate } from '../index.ts'
import type { Payload, Rail } from '../rail.ts'
import { openBooks } from './books.ts'
import { type Bench, fly, type Landed } from './flight.ts'
import { digest, keyOf, readPayload } from './payload.ts'
import { openQuotes } from './quote.ts'
import { openReconcile } from './reconcile.ts'
import { paymentRequired } from './required.ts'
import { openVault } from './vault.ts'

export type GateOptions = {
  rails: readonly Rail[]
  store: Store
  clock: Clock
  /** Signs quotes and encrypts payloads whose outcome is not known; the same on every replica. */
  hmacKey: Buffer
}

export type OpenGate = Gate & {
  /** Asks the chain what became of payments that nobody works on; resolves to how many it settled or failed. */
  reconcile(): Promise<number>
}

/** The one call that a payment pays: who asks which tool for what. */
const requestOf = ({ service, tool, caller, input }: Charge): string =>
  digest('request', `${service.slug}.${tool.name}`, caller?.id ?? null, input)

const identityOf = (rail: Rail, payload: Payload): string | undefined => {
  try {
    return rail.identity(payload)
  } catch {
    return undefined
  }
}

/**
 * Opens the gate over its rails. `charge` throws PaymentRequired with a quote or a reason, PaymentPending while the
 * money may be moving, `conflict` for a payment that belongs to another call, and what the work throws. One payload
 * comes to one debit and one answer, across restarts and replicas.
 */
export const openGate = ({ rails, store, clock, hmacKey }: GateOptions): OpenGate => {
  const bench: Bench = {
    rails,
    books: openBooks(store, clock),
    quotes: openQuotes(hmacKey, clock),
    vault: openVault(hmacKey),
  }
  const flights = new Map<string, Promise<Landed>>()

  const refuse = async (
    charge: Charge,
    request: string | undefined,
    reason?: 'unreadable' | 'wrong_network',
  ) => {
    throw await paymentRequired(rails, bench.quotes, charge, request, reason)
  }

  /** The flight of a payload for a request; the one under way where there is one. Nothing is awaited before it is. */
  const join = (
    charge: Charge,
    payload: Payload,
    rail: Rail,
    identity: string,
    work: Work,
  ): Promise<Landed> => {
    const request = requestOf(charge)
    const id = keyOf(identity, payload)
    const name = `${id} ${request}`
    const under = flights.get(name)
    if (under) return under.then(landed => ({ ...landed, replayed: true }))
    const runner = bench.books.runner()
    const flight = fly(bench, { charge, payload, rail, identity, id, request, runner, work })()
    flights.set(name, flight)
    const over = () => flights.delete(name)
    flight.then(over, over)
    return flight
  }

  return {
    reconcile: openReconcile(bench, store, clock),
    async charge(charge, work) {
      const { payment, input } = charge
      if (input === undefined) return refuse(charge, undefined)
      if (payment === undefined) return refuse(charge, requestOf(charge))
      const payload = readPayload(payment)
      if (!payload) return refuse(charge, requestOf(charge), 'unreadable')
      const rail = rails.find(({ network }) => network === payload.accepted.network)
      if (!rail) return refuse(charge, requestOf(charge), 'wrong_network')
      const identity = identityOf(rail, payload)
      if (identity === undefined) return refuse(charge, requestOf(charge), 'unreadable')
      const { answer, receipt, replayed } = await join(charge, payload, rail, identity, work)
      return { answer: answer as Awaited<ReturnType<typeof work>>, receipt, replayed }
    },
  }
}

type Work = Parameters<Gate['charge']>[1]
