import { ToolError } from '../../../kernel/error.ts'
import { job } from '../../../kernel/job.ts'
import { isRecord, parseJson } from '../../../lib/json.ts'
import type { Ports } from '../../../ports/ports.ts'
import { forecastSettings } from '../config.ts'
import type { Comparison, Content } from './entry.ts'
import { record } from './log.ts'
import {
  annulPrediction,
  type Prediction,
  patienceDays,
  predictionsIn,
  resolvePrediction,
} from './prediction.ts'
import { takeSnapshots } from './snapshots.ts'

type Source = NonNullable<Content['source']>

/** The value that a JSON Pointer (RFC 6901) names; undefined for none. */
const readPointer = (value: unknown, pointer: string): unknown => {
  if (pointer === '') return value
  let at = value
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(at)) at = /^(0|[1-9]\d{0,8})$/.test(name) ? at[Number(name)] : undefined
    else at = isRecord(at) && Object.hasOwn(at, name) ? at[name] : undefined
  }
  return at
}

const compareNumbers: Record<Comparison, (one: number, other: number) => boolean> = {
  '=': (one, other) => one === other,
  '>': (one, other) => one > other,
  '>=': (one, other) => one >= other,
  '<': (one, other) => one < other,
  '<=': (one, other) => one <= other,
}

const toNumber = (value: unknown): number | undefined => {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined
}

/** True when a value of a source meets its comparison; undefined where the two cannot be compared. */
const compare = (value: unknown, is: Comparison, wanted: string): boolean | undefined => {
  const [one, other] = [toNumber(value), toNumber(wanted)]
  if (one !== undefined && other !== undefined) return compareNumbers[is](one, other)
  if (is !== '=' || !['string', 'boolean', 'number'].includes(typeof value)) return undefined
  return String(value).trim().toLowerCase() === wanted.trim().toLowerCase()
}

/** Asks a declared source how a question came out; `url` is the address that answered. Throws `upstream` where it does not say. */
const readOutcome = async (
  fetch: Ports['fetch'],
  { url, pointer, is, value }: Source,
  signal: AbortSignal,
): Promise<{ outcome: 0 | 1; url: string }> => {
  const answer = await fetch(url, { accept: 'application/json', maxBytes: 1 << 20, fresh: true, signal })
  const met =
    answer.status === 200 && !answer.truncated
      ? compare(readPointer(parseJson(answer.text().text), pointer), is, value)
      : undefined
  if (met === undefined) throw new ToolError('upstream', `${new URL(url).host} does not say how it came out.`)
  return { outcome: met ? 1 : 0, url: answer.url }
}

const day = 86_400_000
const maxDue = 50

const isGivenUp = ({ closes_at }: Prediction, now: Date): boolean =>
  now.getTime() >= Date.parse(closes_at) + patienceDays * day

type Deps = Pick<Ports, 'store' | 'clock' | 'fetch'> & { trustedSources: readonly string[] }

/** Settles a prediction that is due: the word of its source, another try tomorrow, or the end of patience. */
const settleDue = async (
  { store, clock, fetch, trustedSources }: Deps,
  { id, content, ...due }: Prediction,
  signal: AbortSignal,
): Promise<void> => {
  const answer = content.source
    ? await readOutcome(fetch, content.source, signal).catch(() => undefined)
    : undefined
  await store.transaction(async tx => {
    const now = clock.now()
    const current = await predictionsIn(tx).get(id)
    if (current?.state !== 'open' || current.due_at !== due.due_at) return
    if (answer)
      await resolvePrediction(
        tx,
        current,
        {
          outcome: answer.outcome,
          by: trustedSources.includes(new URL(answer.url).host) ? 'source' : 'declared',
          evidence: content.source?.url ?? '',
        },
        now,
      )
    else if (isGivenUp(current, now))
      await annulPrediction(tx, current, content.source ? 'source_failed' : 'unresolved', now)
    else await predictionsIn(tx).put({ ...current, due_at: new Date(now.getTime() + day).toISOString() })
  })
}

/** Asks the declared sources of predictions that have closed, and annuls those that nobody resolved for 90 days. */
export const resolveDue = job({
  name: 'resolve-due',
  every: 600,
  needs: ['store', 'clock', 'fetch', forecastSettings.trustedSources],
}).run(async ({ signal, store, clock, fetch, trustedSources }) => {
  const { rows } = await predictionsIn(store).find({
    index: 'due',
    where: { due_at: { gt: '', lte: clock.now().toISOString() } },
    limit: maxDue,
  })
  for (const prediction of rows) {
    if (signal.aborted) return
    await settleDue({ store, clock, fetch, trustedSources }, prediction, signal)
  }
})

/** Takes the snapshot of each day that is over, those too that were missed. */
export const snapshotDaily = job({
  name: 'snapshot-daily',
  every: 3600,
  needs: ['store', 'clock', 'sign', record],
}).run(({ store, clock, sign, record }) => takeSnapshots({ store, clock, sign, record }))
