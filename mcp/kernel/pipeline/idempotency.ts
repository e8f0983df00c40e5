import { createHash, randomBytes } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { Store, Tx } from '../../ports/store/port.ts'
import { type Allowance, type AllowanceUse, countUses, type Full, takeUse } from '../allowance.ts'
import { collection } from '../collection.ts'
import { type Failure, type Issue, ToolError } from '../error.ts'
import { job } from '../job.ts'

type StoredFailure = {
  code: Failure
  detail: string
  reason?: string
  hint?: string
  next?: readonly string[]
  issues?: readonly Issue[]
  params?: Readonly<Record<string, unknown>>
}

type RecordRow = {
  id: string
  body: string
  state: 'running' | 'done' | 'failed' | 'secret' | 'large'
  /** While it runs, the end of its lease; afterwards the end of its day. */
  until: string
  /** The run that holds the key: the name of its process, and its own. */
  runner?: string
  /** Whom it is counted for, and as what; absent in rows of before they were counted. */
  client?: string
  isKnown?: boolean
  bytes?: number
  answer?: object
  failure?: StoredFailure
}

const retentionMs = 24 * 3600_000
/** How long a key is held without news of the process that runs its call, and how often a call that still runs renews it. */
const leaseMs = 10_000
const renewMs = 3_000
/** Names this process in the keys that it holds. */
const thisProcess = randomBytes(6).toString('hex')
/** Failures that the caller can mend and try again: what is missing comes, what is full empties. */
const retryableFailures: readonly Failure[] = [
  'payment_required',
  'payment_pending',
  'too_many_requests',
  'precondition_required',
]

/** Records of strangers, who are counted by their address. */
const strangerAllowance: Allowance = {
  name: 'call.idempotency stranger',
  client: { rows: 500, bytes: 1 << 20 },
  allBytes: 64 << 20,
}
const knownAllowance: Allowance = {
  name: 'call.idempotency known',
  client: { rows: 30_000, bytes: 64 << 20 },
  allBytes: 512 << 20,
}
const recordsIn = collection<RecordRow>({
  name: 'call.idempotency',
  indexes: [{ name: 'until', fields: ['until'] }],
  // Whoever sends the same again mostly does so soon.
  archive: { afterHours: 1 },
  allowances: [strangerAllowance, knownAllowance],
  ends: 'Each is dropped after 24 hours.',
})

/** Bytes that every record counts as; most answers fit, so that sealing one changes no counter. */
const minBytes = 2048
const maxAnswerBytes = { stranger: 16 << 10, known: 256 << 10 }

const countBytes = (value: object): number => Math.max(minBytes, Buffer.byteLength(JSON.stringify(value)))

/** Difference between a record's count and its count before. */
const toUses = (before: RecordRow | undefined, after: RecordRow | undefined): AllowanceUse[] => {
  const row = after ?? before
  if (row?.bytes === undefined || row.client === undefined) return []
  const was = before?.bytes === undefined ? undefined : before.bytes
  const rows = (after ? 1 : 0) - (was === undefined ? 0 : 1)
  const bytes = (after?.bytes ?? 0) - (was ?? 0)
  return [
    {
      allowance: row.isKnown ? knownAllowance : strangerAllowance,
      client: row.client,
      key: row.id,
      rows,
      bytes,
    },
  ]
}

const refuseFull = (full: Full): ToolError =>
  full === 'client'
    ? new ToolError('too_many_requests', 'No more idempotency keys of this caller are kept today.', {
        hint: 'Leave Idempotency-Key out, or wait until earlier ones are a day old.',
        retryAfter: 3600,
      })
    : new ToolError('unavailable', 'Idempotency keys take as much room as they may just now.', {
        hint: 'Leave Idempotency-Key out, or try again later.',
        retryAfter: 600,
      })

const digest = (text: string) => createHash('sha256').update(text).digest('base64url')
const later = (now: Date, ms: number) => new Date(now.getTime() + ms).toISOString()

/** One call under an idempotency key: either an earlier answer, or the right to run. */
export type ClaimResult = { replay: object } | Claim

/** The right to run: `seal` keeps the answer within the handler's transaction, `fail` keeps or forgets a failure. */
export type Claim = {
  seal(tx: Tx, answer: object, isPaid: boolean): Promise<void>
  fail(error: ToolError): Promise<void>
}

type Options = {
  scope: readonly string[]
  /** Whom the record is counted for: the caller where it is known, else a network address. */
  client: string
  isKnown: boolean
  input: object
  now: () => Date
  runMs: number
  secret(answer: object): boolean
}

const replay = (row: RecordRow, now: Date): ClaimResult => {
  if (row.state === 'done' && row.answer) return { replay: row.answer }
  if (row.state === 'failed' && row.failure) {
    const { code, detail, ...more } = row.failure
    throw new ToolError(code, detail, more)
  }
  if (row.state === 'secret')
    throw new ToolError(
      'conflict',
      'This idempotency key was answered once, with a secret that is not kept.',
      {
        hint: 'Use a new Idempotency-Key to run the call again.',
      },
    )
  if (row.state === 'large')
    throw new ToolError(
      'conflict',
      'This idempotency key was answered once, with an answer that is too large to keep.',
      { hint: 'The call has run. Use a new Idempotency-Key to run it again.' },
    )
  throw stillRunning(Math.min(5, (Date.parse(row.until) - now.getTime()) / 1000))
}

const stillRunning = (retryAfter: number): ToolError =>
  new ToolError('conflict', 'A call with this idempotency key is still running.', { retryAfter })

const embeddedStores = new WeakMap<Store, boolean>()

/** True for the embedded store. An answer is kept, a failure is not. */
const isEmbedded = async (store: Store): Promise<boolean> => {
  const known = embeddedStores.get(store)
  if (known !== undefined) return known
  const { engine } = await store.health()
  embeddedStores.set(store, engine === 'embedded')
  return engine === 'embedded'
}

/** True when the run that holds a key has died: the embedded store belongs to one process, so nobody else runs there. */
const isAbandoned = async (store: Store, { state, runner }: RecordRow): Promise<boolean> =>
  state === 'running' && runner !== undefined && !runner.startsWith(thisProcess) && (await isEmbedded(store))

/** Throws `invalid_input` for what is no idempotency key. */
export const checkKey = (key: string): void => {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return
  throw new ToolError('invalid_input', 'Idempotency-Key: 1 to 255 visible ASCII characters.', {
    issues: [{ path: 'Idempotency-Key', message: '1 to 255 visible ASCII characters' }],
  })
}

/** Renews the lease of a key until the returned function is called, or its call can no longer be running. */
const keepLease = (
  store: Store,
  id: string,
  isOwn: (row: RecordRow) => boolean,
  { now, runMs }: Options,
): (() => void) => {
  const renewUntil = performance.now() + runMs
  const renew = () => {
    if (performance.now() > renewUntil) return clearInterval(timer)
    recordsIn(store)
      .update(id, row =>
        isOwn(row) && row.state === 'running' ? { ...row, until: later(now(), leaseMs) } : row,
      )
      .catch(() => undefined)
  }
  const timer = setInterval(renew, renewMs)
  timer.unref()
  return () => clearInterval(timer)
}

/**
 * Claims an idempotency key for 24 h, per service, tool and caller. The same input later gets the same answer without a
 * second run; another input is a `conflict`, a call still running too, with Retry-After. A run holds its key by a lease, so
 * that the key of a process that died is free again within seconds; a run that lost its lease can seal nothing.
 */
export const claimKey = async (store: Store, key: string, options: Options): Promise<ClaimResult> => {
  const { scope, client, isKnown, input, secret } = options
  const id = digest(JSON.stringify([...scope, key]))
  const owner = { client: digest(client), isKnown }
  const body = digest(canonicalize(input) ?? '')
  const now = options.now()
  const runner = `${thisProcess}${randomBytes(6).toString('hex')}`
  const claimed = await store.transaction(async (tx): Promise<{ row?: RecordRow; full?: Full }> => {
    const rows = recordsIn(tx)
    const row = await rows.get(id)
    if (row && row.until > now.toISOString() && !(await isAbandoned(store, row))) return { row }
    await countUses(tx, toUses(row, undefined))
    const bytes = minBytes
    const until = later(now, leaseMs)
    const fresh: RecordRow = { id, body, ...owner, bytes, state: 'running', runner, until }
    const [use] = toUses(undefined, fresh)
    const full = use && (await takeUse(tx, use))
    if (full) {
      // The record of before is over, and counted no more.
      await rows.delete(id)
      return { full }
    }
    await rows.put(fresh)
    return {}
  })
  if (claimed.full) throw refuseFull(claimed.full)
  const earlier = claimed.row
  if (earlier && earlier.body !== body)
    throw new ToolError('conflict', 'This idempotency key belongs to a call with another input.', {
      hint: 'Use a new Idempotency-Key for a new call.',
    })
  if (earlier) return replay(earlier, now)
  const isOwn = (row: RecordRow): boolean => row.runner === runner
  const stopRenewing = keepLease(store, id, isOwn, options)
  const write = async (tx: Tx, facts: Partial<RecordRow> & Pick<RecordRow, 'state'>): Promise<void> => {
    stopRenewing()
    const rows = recordsIn(tx)
    const before = await rows.get(id)
    // Without its lease this run is one too many, and must leave nothing behind.
    if (before && !isOwn(before)) throw stillRunning(1)
    const row = { id, body, ...owner, until: later(options.now(), retentionMs), ...facts }
    const after = { ...row, bytes: countBytes(row) }
    await rows.put(after)
    await countUses(tx, toUses(before, after))
  }
  const forget = (tx: Tx) => drop(tx, [id], isOwn)
  const maxBytes = isKnown ? maxAnswerBytes.known : maxAnswerBytes.stranger
  return {
    seal(tx, answer, isPaid) {
      if (secret(answer)) return write(tx, { state: 'secret' })
      // What was paid for is kept with its payment as well, and a bound must not take it from its payer.
      const isLarge = !isPaid && countBytes(answer) > maxBytes
      return write(tx, isLarge ? { state: 'large' } : { state: 'done', answer })
    },
    async fail(error) {
      stopRenewing()
      if (error.status >= 500 || retryableFailures.includes(error.code)) return store.transaction(forget)
      const { reason, hint, next, issues, params } = error.extra
      const failure = {
        code: error.code,
        detail: error.message,
        ...(reason && { reason }),
        ...(next && { next }),
        ...(hint && { hint }),
        ...(issues && { issues }),
        ...(params && { params }),
      }
      await store.transaction(tx => write(tx, { state: 'failed', failure }))
    },
  }
}

const drop = async (tx: Tx, ids: readonly string[], isOver: (row: RecordRow) => boolean): Promise<void> => {
  const rows = recordsIn(tx)
  const uses: AllowanceUse[] = []
  for (const id of ids) {
    const row = await rows.get(id)
    if (!row || !isOver(row)) continue
    await rows.delete(id)
    uses.push(...toUses(row, undefined))
  }
  await countUses(tx, uses)
}

/** Drops idempotency records whose day is over. */
export const sweepKeys = job({ name: 'idempotency-sweep', every: 600, needs: ['store', 'clock'] }).run(
  async ({ store, clock, signal }) => {
    const rows = recordsIn(store)
    while (!signal.aborted) {
      const now = clock.now().toISOString()
      const old = await rows.find({ index: 'until', where: { until: { lt: now } }, limit: 100 })
      const ids = old.rows.map(({ id }) => id)
      if (ids.length > 0) await store.transaction(tx => drop(tx, ids, ({ until }) => until < now))
      if (old.next === undefined) return
    }
  },
)
