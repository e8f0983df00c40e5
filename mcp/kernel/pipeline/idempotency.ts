import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { Store, Tx } from '../../ports/index.ts'
import { type Failure, type Issue, ToolError } from '../error.ts'
import { job } from '../job.ts'

type Kept = {
  code: Failure
  detail: string
  reason?: string
  hint?: string
  issues?: readonly Issue[]
  params?: Readonly<Record<string, unknown>>
}

type RecordRow = {
  id: string
  body: string
  state: 'running' | 'done' | 'failed' | 'secret'
  until: string
  answer?: object
  failure?: Kept
}

const collection = 'call.idempotency'
const indexes = [{ name: 'until', fields: ['until'] }]
const kept = 24 * 3600_000
/** Failures that the caller can mend and try again: what is missing comes, what is full empties. */
const neverKept: readonly Failure[] = [
  'payment_required',
  'payment_pending',
  'too_many_requests',
  'precondition_required',
]

const digest = (text: string) => createHash('sha256').update(text).digest('base64url')
const later = (now: Date, ms: number) => new Date(now.getTime() + ms).toISOString()

/** One call under an idempotency key: either an earlier answer, or the right to run. */
export type Keyed = { replay: object } | Claimed

/** The right to run: `seal` keeps the answer within the handler's transaction, `fail` keeps or forgets a failure. */
export type Claimed = {
  seal(tx: Tx, answer: object): Promise<void>
  fail(error: ToolError): Promise<void>
}

type Options = {
  scope: readonly string[]
  input: object
  now: () => Date
  runMs: number
  secret(answer: object): boolean
}

const replayOf = (row: RecordRow, now: Date): Keyed => {
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
  throw new ToolError('conflict', 'A call with this idempotency key is still running.', {
    retryAfter: Math.min(5, (Date.parse(row.until) - now.getTime()) / 1000),
  })
}

/**
 * Claims an idempotency key for 24 h, per service, tool and caller. The same input later gets the same answer without a
 * second run; another input is a `conflict`, a call still running too, with Retry-After.
 */
export const claimKey = async (store: Store, key: string, options: Options): Promise<Keyed> => {
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw new ToolError('invalid_input', 'Idempotency-Key: 1 to 255 visible ASCII characters.', {
      issues: [{ path: 'Idempotency-Key', message: '1 to 255 visible ASCII characters' }],
    })
  const { scope, input, runMs, secret } = options
  const id = digest(JSON.stringify([...scope, key]))
  const body = digest(canonicalize(input) ?? '')
  const now = options.now()
  const earlier = await store.transaction(async tx => {
    const rows = tx.collection<RecordRow>(collection, indexes)
    const row = await rows.get(id)
    if (row && row.until > now.toISOString()) return row
    await rows.put({ id, body, state: 'running', until: later(now, runMs) })
    return undefined
  })
  if (earlier && earlier.body !== body)
    throw new ToolError('conflict', 'This idempotency key belongs to a call with another input.', {
      hint: 'Use a new Idempotency-Key for a new call.',
    })
  if (earlier) return replayOf(earlier, now)
  return {
    seal: (tx, answer) =>
      tx.collection<RecordRow>(collection, indexes).put({
        id,
        body,
        until: later(options.now(), kept),
        ...(secret(answer) ? { state: 'secret' } : { state: 'done', answer }),
      }),
    async fail(error) {
      const rows = store.collection<RecordRow>(collection, indexes)
      if (error.status >= 500 || neverKept.includes(error.code)) return void (await rows.delete(id))
      const { reason, hint, issues, params } = error.extra
      const failure = {
        code: error.code,
        detail: error.message,
        ...(reason && { reason }),
        ...(hint && { hint }),
        ...(issues && { issues }),
        ...(params && { params }),
      }
      await rows.put({ id, body, state: 'failed', until: later(options.now(), kept), failure })
    },
  }
}

/** Drops idempotency records whose day is over. */
export const sweepKeys = job({ name: 'idempotency-sweep', every: 600, needs: ['store', 'clock'] }).run(
  async ({ store, clock, signal }) => {
    const rows = store.collection<RecordRow>(collection, indexes)
    while (!signal.aborted) {
      const old = await rows.find({
        index: 'until',
        where: { until: { lt: clock.now().toISOString() } },
        limit: 500,
      })
      for (const { id } of old.rows) await rows.delete(id)
      if (old.next === undefined) return
    }
  },
)
