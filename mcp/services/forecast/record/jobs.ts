import { job } from '../../../kernel/job.ts'
import type { Ports } from '../../../ports/ports.ts'
import { forecastSettings } from '../config.ts'
import { record } from './log.ts'
import {
  annulPrediction,
  type Prediction,
  patienceDays,
  predictionsIn,
  resolvePrediction,
} from './prediction.ts'
import { takeSnapshots } from './snapshots.ts'
import { readOutcome } from './source.ts'

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
