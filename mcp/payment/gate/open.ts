import { randomUUID } from 'node:crypto'
import { PaymentRequired, ToolError } from '../../kernel/error.ts'
import type { PaymentEvidence } from '../../kernel/http.ts'
import type { Clock } from '../../ports/clock/port.ts'
import type { Store } from '../../ports/store/port.ts'
import type { Charge, Charged, Gate } from '../charge.ts'
import type { HmacKeys } from '../derived-keys.ts'
import { type Dialect, mergeParts, type Unreadable } from '../dialect.ts'
import type { Attempt, CatalogueListing, PaymentMethod, Refusal } from '../method.ts'
import type { People } from '../people.ts'
import type { Rates } from '../rates.ts'
import type { Alarm } from './alarm.ts'
import { digest } from './digest.ts'
import { openEncryption } from './encryption.ts'
import { openKeptCalls } from './kept-call.ts'
import { NotCovered } from './not-covered.ts'
import { methodsFor, offersFor } from './offers.ts'
import { inDialect } from './outcome.ts'
import { openPaymentRecords } from './payment-records.ts'
import type { Payment, PaymentDeps } from './payment-run.ts'
import { withoutAsk, withRequest } from './person-request.ts'
import { processPayment, toRecordId } from './process-payment.ts'
import { openQuotes } from './quote.ts'
import { openReconcile } from './reconcile.ts'
import type { PaymentRow } from './record.ts'
import { refuse } from './refuse.ts'
import { requestDigest } from './request.ts'
import { toSender } from './sender.ts'

/** Keys sign quotes and encrypt payments whose outcome is not known; the same on every replica. */
export type GateOptions = HmacKeys & {
  methods: readonly PaymentMethod[]
  /** In the order of their challenges. */
  dialects: readonly Dialect[]
  rates: Rates
  /** The people whom signed-in clients act for. */
  people?: People | undefined
  /** Catalogue listing of a call, told where a payment is settled elsewhere. */
  list?: ((charge: Charge) => CatalogueListing | undefined) | undefined
  store: Store
  clock: Clock
  /** Milliseconds for which a settled transfer is watched: a chain may take it back. 0 for not at all. Default 300,000. */
  watchMs?: number
  /** Told of transfers that a chain took back. */
  onAlarm?: (alarm: Alarm) => void
  /** Told of money that has come. */
  onSettled?: ((row: PaymentRow) => void) | undefined
  /** Told of each settlement: what it came to, and in how many seconds. */
  onSettlement?: PaymentDeps['onSettlement']
  /** Names the process in records; default: another one for each gate, as after a restart. */
  process?: string
}

export type OpenGate = Gate & {
  /** Asks the methods what became of payments that nobody works on; resolves to how many it settled or failed. */
  reconcile(): Promise<number>
  /**
   * The records of payments that a credential proves to be its sender's: one that we issued, with the preimage of its invoice, or a
   * payment as it came, where what came with it is not on the chain. Empty where there is none. Throws `unauthenticated` for one that
   * is not good.
   */
  provenRecords(evidence: PaymentEvidence): readonly string[]
}

type Reading = { dialect: Dialect; attempt: Attempt }

/** Nothing came that could hold a payment, as with most calls. */
const isEmpty = ({ headers, meta }: PaymentEvidence): boolean => {
  for (const name in headers) if (headers[name] !== undefined) return false
  for (const _ in meta) return false
  return true
}

const isAttempt = (read: Attempt | Unreadable): read is Attempt => !('unreadable' in read)

/** A payment that the call's own terms name: it has no wire, so nothing frames it. */
const inTerms: Dialect = { id: 'input', ask: () => ({}), read: () => [], report: () => ({}) }

/**
 * Opens the gate over its methods and dialects. `charge` throws PaymentRequired with a quote or a reason, PaymentPending while
 * the money may be moving, `conflict` for a payment that belongs to another call, and what the work throws. One payment
 * comes to one debit and one answer, across restarts and replicas.
 */
export const openGate = (options: GateOptions): OpenGate => {
  const {
    methods,
    dialects,
    rates,
    people,
    list,
    store,
    clock,
    hmacKey,
    previousHmacKey,
    watchMs = 300_000,
    onAlarm,
    onSettled,
    onSettlement,
    process,
  } = options
  const deps: PaymentDeps = {
    methods,
    dialects,
    rates,
    people,
    list,
    records: openPaymentRecords(store, clock, watchMs, process, onSettled),
    quotes: openQuotes({ hmacKey, previousHmacKey }, clock),
    encryption: openEncryption({ hmacKey, previousHmacKey }),
    onAlarm: onAlarm ?? (() => undefined),
    onSettlement,
    now: () => clock.now(),
  }
  const underWay = new Map<string, Promise<Charged<object>>>()

  const methodFor = ({ kind, network }: Attempt): PaymentMethod | undefined =>
    methods.find(method => method.kind === kind && method.network === network)

  const readTerms = (charge: Charge): Reading[] => {
    const { terms } = charge.price
    const method = terms?.payment && methodsFor(methods, charge)[0]
    if (!terms?.payment || !method) return []
    const { kind, network } = method
    const proof = [terms.order ?? requestDigest(charge)]
    const data = { ...terms.data, ...terms.payment }
    return [
      { dialect: inTerms, attempt: { dialect: 'input', kind, network, accepted: undefined, proof, data } },
    ]
  }

  /** The balance of a caller who brings no payment. */
  const readBalance = (charge: Charge): Reading[] => {
    const { caller } = charge
    const method = caller?.balance && methodsFor(methods, charge).find(({ book }) => book !== undefined)
    const dialect = dialects.find(({ id }) => id === 'account')
    if (!caller?.balance || !method || !dialect) return []
    const { kind, network } = method
    const { account, spender } = caller.balance
    // Each call is a payment of its own: repeats are told apart by their Idempotency-Key.
    const data = {
      account,
      id: randomUUID(),
      ...(spender !== undefined && { spender, service: charge.service.slug, tool: charge.tool.name }),
    }
    return [
      { dialect, attempt: { dialect: dialect.id, kind, network, accepted: undefined, proof: [], data } },
    ]
  }

  /** Reads a person's reserve for this call as its payment. */
  const readReserved = async (
    charge: Charge,
    [balance]: readonly Reading[],
  ): Promise<Reading | undefined> => {
    const owner = charge.caller?.balance
    const reserved = owner && (await people?.findReserved(owner, requestDigest(charge)))
    if (!reserved || !balance) return undefined
    const { account, amount } = reserved
    const accepted = { asset: owner.unit, payTo: '', amount, extra: {} }
    const data = { account, owner: owner.account, id: randomUUID() }
    return { ...balance, attempt: { ...balance.attempt, accepted, data } }
  }

  /** True when several payments of one call are the same money in several dialects. */
  const isOnePayment = (readings: readonly Reading[]): boolean => {
    if (readings.length === 1) return true
    const names = readings.map(({ attempt }) => methodFor(attempt)?.identify(attempt))
    return names[0] !== undefined && names.every(name => name === names[0])
  }

  /** The payment of a record, as it came; what is settled needs nothing of it but its name. */
  const readRecord = async (id: string): Promise<(Reading & { method: PaymentMethod }) | undefined> => {
    const row = await deps.records.get(id)
    const method = row && methods.find(each => each.id === row.method && each.network === row.network)
    const dialect = row && dialects.find(each => each.id === row.dialect)
    if (!row || !method || !dialect) return undefined
    const opened = row.sealed === null ? undefined : deps.encryption.open(row.sealed)
    if (opened !== undefined) return { method, dialect, ...(JSON.parse(opened) as { attempt: Attempt }) }
    const { kind, network } = method
    const form = row.form ?? undefined
    const nothing = { dialect: dialect.id, kind, network, accepted: undefined, proof: [], data: {} }
    return { method, dialect, attempt: { ...nothing, ...(form !== undefined && { form }) } }
  }

  const goOn = async (charge: Charge, id: string, work: Payment['work']): Promise<Charged<object>> => {
    const reading = await readRecord(id)
    if (!reading) throw await refuse(deps, charge)
    const request = requestDigest(charge)
    return processPayment(deps, {
      charge,
      ...reading,
      request,
      runner: deps.records.runner(),
      record: id,
      work,
    })
  }

  const readPayments = (charge: Charge) => {
    const readings: Reading[] = []
    let unreadable: (Unreadable & { dialect: Dialect }) | undefined
    for (const dialect of dialects)
      for (const payment of dialect.read(charge.evidence)) {
        if (isAttempt(payment)) readings.push({ dialect, attempt: payment })
        else unreadable ??= { dialect, ...payment }
      }
    return { readings, unreadable }
  }

  const refuseFor = async (charge: Charge, reading: Reading, reason: Refusal): Promise<never> => {
    const { dialect, attempt } = reading
    throw inDialect(await refuse(deps, charge, reason), payment => dialect.report(payment, { attempt }))
  }

  /**
   * Pays with what came. Nothing is awaited before a payment is under way: the same one that comes at once joins it. Where that one is
   * refused, it may have looked for the money before this call came: then this call looks once itself.
   */
  const payWith = (
    charge: Charge,
    readings: readonly Reading[],
    work: Payment['work'],
    isSecondLook = false,
  ): Promise<Charged<object>> => {
    const [reading] = readings
    if (!reading) return Promise.reject(new Error('nothing pays this call'))
    const { attempt, dialect } = reading
    const request = requestDigest(charge)
    const { kind, network, proof, data } = attempt
    const sender = attempt.isPublic ? toSender('', charge) : null
    const name = `${digest(kind, network, proof, data, sender)} ${request}`
    const before = readings.length === 1 ? underWay.get(name) : undefined
    if (before)
      return before.then(
        answer => ({ ...answer, replayed: true }),
        error => {
          if (isSecondLook || !(error instanceof PaymentRequired)) throw error
          return payWith(charge, readings, work, true)
        },
      )
    const method = methodFor(attempt)
    if (!method) return refuseFor(charge, reading, 'wrong_network')
    if (!isOnePayment(readings)) return refuseFor(charge, reading, 'ambiguous_payment')
    const runner = deps.records.runner()
    const payment = processPayment(deps, { charge, attempt, dialect, method, request, runner, work })
    underWay.set(name, payment)
    const over = () => underWay.delete(name)
    payment.then(over, over)
    return payment
  }

  const orUncovered = (error: unknown): NotCovered => {
    if (error instanceof NotCovered) return error
    throw error
  }

  /**
   * A call that a client makes for a person: paid by what was set aside for it, else from the balance within the limits. Where neither
   * covers it, the refusal has a page on which the person may; a call that comes back from there waits for them once.
   */
  const payForPerson = async (
    { openRequest, awaitCover, page }: People,
    charge: Charge,
    balance: readonly Reading[],
    work: Payment['work'],
  ): Promise<Charged<object>> => {
    const tryToPay = async (): Promise<Charged<object> | NotCovered> => {
      const reserved = await readReserved(charge, balance)
      const paid = reserved && (await payWith(charge, [reserved], work).catch(orUncovered))
      if (paid && !(paid instanceof NotCovered)) return paid
      return payWith(charge, balance, work).catch(orUncovered)
    }
    const first = await tryToPay()
    if (!(first instanceof NotCovered)) return first
    const { page: openPage } = charge.evidence
    const refused = await withRequest(first, charge, { openRequest, page })
    if (!refused.extra.ask || openPage?.id !== refused.extra.ask.id)
      throw openPage ? withoutAsk(refused) : refused
    if (!(await awaitCover(openPage.id, openPage.signal))) throw withoutAsk(refused)
    const second = await tryToPay()
    if (second instanceof NotCovered)
      throw withoutAsk(await withRequest(second, charge, { openRequest, page }))
    return second
  }

  return {
    reconcile: openReconcile(deps, store, clock),
    calls: openKeptCalls({ store, clock, hmacKey, encryption: deps.encryption }),
    provenRecords(evidence) {
      const readings = dialects.flatMap(dialect => dialect.read(evidence))
      for (const reading of readings)
        if (!isAttempt(reading))
          throw new ToolError('unauthenticated', reading.detail ?? `${reading.unreadable} cannot be read.`)
      return readings.filter(isAttempt).flatMap(attempt => {
        const identity = attempt.isPublic ? undefined : methodFor(attempt)?.identify(attempt)
        return identity !== undefined ? [toRecordId(attempt, identity)] : []
      })
    },
    members: dialects.flatMap(({ members = [] }) => members),
    extensions: dialects.flatMap(({ extensions = [] }) => extensions),
    isPayable: ({ service, caller }) =>
      methods.some(
        ({ book }) => book === undefined || (caller?.balance ?? service.prepaid)?.unit === book.unit,
      ),
    hasPayment: (evidence: PaymentEvidence) =>
      evidence.record !== undefined ||
      (!isEmpty(evidence) && dialects.some(dialect => dialect.read(evidence).length > 0)),
    async findQuote(charge) {
      // An invoice of each would cost its issuer something, and a book is nobody's who reads a catalogue.
      const carried = methods.filter(({ moves }) => moves === 'us')
      const offers = await offersFor(carried, charge, rates).catch((cause: unknown) => {
        if (cause instanceof ToolError && cause.code === 'unavailable') return []
        throw cause
      })
      return mergeParts(dialects.map(dialect => dialect.ask(offers, charge))).structured
    },
    async findPayment(charge) {
      // Whoever goes on with a record asks for what it pays, and for nothing that is free.
      if (charge.evidence.record !== undefined) return 'settled'
      let isOpen = false
      for (const { attempt } of readPayments(charge).readings) {
        const method = methodFor(attempt)
        const identity = method?.identify(attempt)
        const row = identity === undefined ? undefined : await deps.records.get(toRecordId(attempt, identity))
        const isThisCall = row?.request === requestDigest(charge)
        if (isThisCall && row.log !== null) return 'settled'
        if (method?.moves === 'payer' || (isThisCall && row.state !== 'failed')) isOpen = true
      }
      return isOpen ? 'open' : undefined
    },
    async charge(charge, work) {
      if (charge.input === undefined) throw await refuse(deps, charge)
      if (charge.evidence.record !== undefined)
        return (await goOn(charge, charge.evidence.record, work)) as never
      const { readings: brought, unreadable } = readPayments(charge)
      const readings = [...readTerms(charge), ...brought]
      if (unreadable) {
        const { dialect } = unreadable
        throw inDialect(await refuse(deps, charge, 'unreadable', unreadable), payment =>
          dialect.report(payment),
        )
      }
      if (readings.length > 0) return payWith(charge, readings, work) as never
      const balance = readBalance(charge)
      if (balance.length === 0) throw await refuse(deps, charge)
      if (people && charge.caller?.balance?.spender !== undefined)
        return payForPerson(people, charge, balance, work) as never
      return payWith(charge, balance, work) as never
    },
  }
}
