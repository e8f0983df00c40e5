import { createHash, randomBytes } from 'node:crypto'
import { collection, deleteRows } from '../kernel/collection.ts'
import { ToolError } from '../kernel/error.ts'
import { inboxEvents } from '../kernel/inbox.ts'
import { dayMs } from '../lib/time.ts'
import { formatUsd } from '../lib/usd.ts'
import type { Clock } from '../ports/clock/port.ts'
import type { CoverRequest, Ledger } from '../ports/payment/port.ts'
import type { Store, Tx } from '../ports/store/port.ts'
import { balanceUnit, toWallet } from './account.ts'
import { credit, setAside, toBook, toEscrow } from './books.ts'
import { limitsIn } from './limits.ts'

/** A call that a person is asked to cover, in our words and the client's name. */
export type RequestedCall = {
  grant: string
  client: string
  service: string
  service_name: string
  tool: string
  title: string
  description: string
  reason: string
}

/**
 * Money that a page of ours asks for: to cover one call of a client, or to add to a balance. `open` → `covered`, when money is set
 * aside for the call or its limits were raised → `closed`, when nothing of it is left. Its id is opaque and no credential.
 */
export type PaymentRequest = {
  /** 128 random bits, base64url. */
  id: string
  account: string
  /** Millionths of a dollar. */
  amount: string
  /** Sats paid in place of dollars, where it is paid over Lightning. */
  sats: string | null
  /** Null where it adds to the balance. */
  call: RequestedCall | null
  state: 'open' | 'covered' | 'closed'
  created_at: string
  /** Until when it can be covered. */
  expires_at: string
  /** Until when what is set aside waits for its call; then it goes to the balance. */
  kept_until: string
}

/** The newest request for a call. `id` is the digest of account and call. */
type CallPointer = { id: string; request: string; until: string }

const requestIndexes = [
  { name: 'account', fields: ['account', 'state', 'expires_at'] },
  { name: 'kept', fields: ['state', 'kept_until'] },
]

export const paymentRequestsIn = collection<PaymentRequest>({
  name: 'accounts.payment_requests',
  indexes: requestIndexes,
  bounded: 'A few open ones for each account, for minutes.',
})

const pointersIn = collection<CallPointer>({
  name: 'accounts.requested_calls',
  indexes: [{ name: 'until', fields: ['until'] }],
  bounded: 'One for each request of a person; dropped with it.',
})

/** Minutes that a page can be paid on, and that what it set aside waits for the call. */
const openMinutes = 10
const keptMinutes = 70
const topUpMinutes = 24 * 60

/** Requests that one account may have open at once. */
const maxOpen = 50

const later = (now: Date, minutes: number): string => new Date(now.getTime() + minutes * 60_000).toISOString()

const toPointerId = (account: string, call: string): string =>
  createHash('sha256').update(`${account} ${call}`).digest('base64url')

export const isOpen = ({ state, expires_at }: PaymentRequest, now: Date): boolean =>
  state === 'open' && expires_at > now.toISOString()

const newRequest = (
  facts: Pick<PaymentRequest, 'account' | 'amount' | 'sats' | 'call'>,
  now: Date,
): PaymentRequest => ({
  id: randomBytes(16).toString('base64url'),
  ...facts,
  state: 'open',
  created_at: now.toISOString(),
  expires_at: later(now, facts.call ? openMinutes : topUpMinutes),
  kept_until: later(now, facts.call ? keptMinutes : topUpMinutes),
})

const hasRoom = async (tx: Tx, account: string, now: Date): Promise<boolean> => {
  const where = { account, state: 'open', expires_at: { gt: now.toISOString() } }
  return (await paymentRequestsIn(tx).count({ index: 'account', where })) < maxOpen
}

/**
 * The open request for a call that is not covered: the same one while its price is the same. Undefined where the account has too many.
 */
export const openCallRequest = (
  { store, clock }: { store: Store; clock: Clock },
  account: string,
  { balance, call, service, tool, amount, reason }: CoverRequest,
): Promise<PaymentRequest | undefined> =>
  store.transaction(async tx => {
    const now = clock.now()
    const pointerId = toPointerId(account, call)
    const pointer = await pointersIn(tx).get(pointerId)
    const before = pointer && (await paymentRequestsIn(tx).get(pointer.request))
    if (before && isOpen(before, now) && before.amount === amount) return before
    if (!(await hasRoom(tx, account, now))) return undefined
    const grant = balance.spender ?? ''
    const client = (await limitsIn(tx).get(grant))?.client.name ?? 'A client'
    const words = {
      service: service.slug,
      service_name: service.name,
      tool: tool.name,
      title: tool.title,
      description: tool.description,
    }
    const row = newRequest({ account, amount, sats: null, call: { grant, client, ...words, reason } }, now)
    await paymentRequestsIn(tx).insert(row)
    await pointersIn(tx).put({ id: pointerId, request: row.id, until: row.kept_until })
    await inboxEvents.append(tx, account, {
      service: service.slug,
      type: reason === 'balance_too_low' ? 'balance_low' : 'call_refused',
      subject: row.id,
      data: { tool: tool.name, client, reason, amount_usd: formatUsd(BigInt(amount)) },
    })
    return row
  })

/** Asks for money to add to a balance. Throws `too_many_requests` where the account has too many such pages open. */
export const openTopUpRequest = async (
  tx: Tx,
  clock: Clock,
  facts: Pick<PaymentRequest, 'account' | 'amount' | 'sats'>,
): Promise<PaymentRequest> => {
  const now = clock.now()
  if (!(await hasRoom(tx, facts.account, now)))
    throw new ToolError('too_many_requests', 'Too many pages to pay on are open for this account.', {
      hint: 'Use one of them, or wait until they are over.',
      retryAfter: 600,
    })
  const row = newRequest({ ...facts, call: null }, now)
  await paymentRequestsIn(tx).insert(row)
  return row
}

/** Finds money set aside for a call and not taken yet; else undefined. */
export const findSetAside = async (
  store: Store,
  ledger: Ledger,
  account: string,
  call: string,
): Promise<PaymentRequest | undefined> => {
  const pointer = await pointersIn(store).get(toPointerId(account, call))
  const row = pointer && (await paymentRequestsIn(store).get(pointer.request))
  if (row?.state !== 'covered') return undefined
  const { available } = await ledger.balance(store, balanceUnit, toEscrow(row.id))
  return available.value >= BigInt(row.amount) ? row : undefined
}

/**
 * Takes a payment that came for a request, once per receipt: it is set aside for the call while that can be covered, and goes to the
 * balance otherwise. Throws `not_found` for a request that never was.
 */
export const takePayment = async (
  tx: Tx,
  { ledger, clock }: { ledger: Ledger; clock: Clock },
  id: string,
  { receipt, method }: { receipt: string; method: string },
): Promise<{ row: PaymentRequest; to: 'call' | 'balance' }> => {
  const row = await paymentRequestsIn(tx).get(id)
  if (!row) throw new ToolError('not_found', 'There is no such request for money.')
  const value = BigInt(row.amount)
  const source = `world:account-${method}` as const
  if (row.call && isOpen(row, clock.now())) {
    const memo = `${row.call.service}.${row.call.tool}`
    await setAside(tx, ledger, { id: `paid:${receipt}`, request: id, from: source, value, memo })
    await paymentRequestsIn(tx).put({ ...row, state: 'covered' })
    return { row, to: 'call' }
  }
  const memo = row.call ? 'paid too late for its call' : `top-up by ${method}`
  await credit(tx, ledger, { id: `topup:${receipt}`, book: toBook(row.account), value, source, memo })
  if (!row.call) await paymentRequestsIn(tx).put({ ...row, state: 'closed' })
  return { row, to: 'balance' }
}

/** The open request of its own account. Undefined for one that is over, was never, or is somebody else's. */
const ownOpenRequest = async (tx: Tx, now: Date, account: string, id: string) => {
  const row = await paymentRequestsIn(tx).get(id)
  return row?.call && row.account === account && isOpen(row, now) ? { ...row, call: row.call } : undefined
}

const over = () =>
  new ToolError('gone', 'This page is over.', {
    hint: 'Have your client make the call again: it gets a new page.',
  })

/** Covers a call from the balance of who asked for it, past its limits, once. Throws `gone`, or `conflict` where the balance has too little. */
export const coverFromBalance = async (
  tx: Tx,
  { ledger, clock }: { ledger: Ledger; clock: Clock },
  account: string,
  id: string,
): Promise<void> => {
  const row = await ownOpenRequest(tx, clock.now(), account, id)
  if (!row) throw over()
  const { service, tool } = row.call
  await setAside(tx, ledger, {
    id: `cover:${id}`,
    request: id,
    from: toWallet(account),
    value: BigInt(row.amount),
    memo: `${service}.${tool}`,
  })
  await paymentRequestsIn(tx).put({ ...row, state: 'covered' })
}

/** Notes that the limits were changed for a call that waits: it goes on by itself. Throws `gone`. */
export const coverByLimits = async (
  tx: Tx,
  clock: Clock,
  account: string,
  id: string,
): Promise<RequestedCall> => {
  const row = await ownOpenRequest(tx, clock.now(), account, id)
  if (!row) throw over()
  await paymentRequestsIn(tx).put({ ...row, state: 'closed' })
  return row.call
}

/** Brings what no call took to the balance. False while a call under way still holds it. */
const closeRequest = async (tx: Tx, ledger: Ledger, id: string): Promise<boolean> => {
  const row = await paymentRequestsIn(tx).get(id)
  if (row?.state !== 'covered') return true
  const { total, held } = await ledger.balance(tx, balanceUnit, toEscrow(id))
  if (held.value > 0n) return false
  if (total.value > 0n)
    await credit(tx, ledger, {
      id: `return:${id}`,
      book: toBook(row.account),
      value: total.value,
      source: toEscrow(id),
      memo: 'no call came for it',
    })
  await paymentRequestsIn(tx).put({ ...row, state: 'closed' })
  return true
}

const page = 200

/** Milliseconds that requests are kept when they are over: what was paid, for the statement; what nobody paid, for a payment that is late. */
const keptMs = { closed: 30 * dayMs, open: dayMs } as const

/** Ends requests whose time is over, and forgets old ones. */
export const sweepRequests = async ({
  store,
  ledger,
  clock,
  signal,
}: {
  store: Store
  ledger: Ledger
  clock: Clock
  signal: AbortSignal
}): Promise<void> => {
  const now = clock.now()
  const before = (at: string) => ({ lt: at })
  for (let after: string | undefined = ''; after !== undefined && !signal.aborted; ) {
    const requests: { rows: PaymentRequest[]; next?: string | undefined } = await paymentRequestsIn(
      store,
    ).find({
      index: 'kept',
      where: { state: 'covered', kept_until: before(now.toISOString()) },
      limit: page,
      ...(after !== '' && { after }),
    })
    for (const { id } of requests.rows) await store.transaction(tx => closeRequest(tx, ledger, id))
    after = requests.next
  }
  for (const state of ['open', 'closed'] as const) {
    const where = { state, kept_until: before(new Date(now.getTime() - keptMs[state]).toISOString()) }
    await deleteRows(paymentRequestsIn(store), { index: 'kept', where }, signal)
  }
  await deleteRows(pointersIn(store), { index: 'until', where: { until: before(now.toISOString()) } }, signal)
}
