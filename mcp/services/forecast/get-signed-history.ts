import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { nextCursor, pageInput, pageQuery } from '../../lib/paging.ts'
import { countText } from '../../lib/text/count.ts'
import { SignedStatementOut } from './record/output.ts'
import { hashSnapshot, readSnapshot, type SnapshotRow, signStatement } from './record/snapshot.ts'
import { snapshotsIn } from './record/snapshots.ts'

const toDay = (row: SnapshotRow) => {
  const { calibration, tree_size, root } = readSnapshot(row)
  const { brier, brier_interval95, scored, predictions } = calibration
  return {
    day: row.id,
    snapshot_sha256: hashSnapshot(row),
    brier,
    brier_interval95,
    scored,
    registered: predictions.registered,
    resolved: predictions.resolved,
    annulled: predictions.annulled,
    tree_size,
    root,
  }
}

export default tool({
  name: 'get_signed_history',
  keywords: ['accuracy', 'trend', 'verifiable', 'track', 'developed', 'time'],
  title: 'Read the signed calibration history',
  description:
    'Returns the Brier trajectory of daily snapshots as one statement, signed with Ed25519 over canonical JSON; each day names the hash of its own signed snapshot. Free.',
  input: z.object(pageInput('Days', { max: 366, preset: 30 })),
  aliases: { after: ['cursor', 'next'] },
  output: z.object({
    payload: z
      .object({
        type: z.literal('octagent-forecast-history/1').describe('What is signed'),
        as_of: z.string().describe('When it was signed'),
        days: z
          .array(
            z.object({
              day: z.string().describe('Day, UTC'),
              snapshot_sha256: z.string().describe('SHA-256 of the canonical text of its snapshot'),
              brier: z.number().nullable().describe('Brier score at its end; null where nothing was scored'),
              brier_interval95: z
                .array(z.number().describe('Low, then high'))
                .nullable()
                .describe('Its 95 % interval'),
              scored: z.number().int().describe('Predictions scored'),
              registered: z.number().int().describe('Predictions ever registered'),
              resolved: z.number().int().describe('Predictions resolved'),
              annulled: z.number().int().describe('Predictions annulled'),
              tree_size: z.number().int().describe('Entries of the record'),
              root: z.string().describe('Root of the tree over them'),
            }),
          )
          .describe('Days, the newest first'),
      })
      .describe('What canonical says'),
    ...SignedStatementOut,
    next: nextCursor,
  }),
  needs: ['store', 'clock', 'sign'],
  price: free,
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  rest: { routes: ['GET /expertise/calibration/history/signed'] },
  examples: [{ limit: 7 }],
  summary: ({ payload, key_fingerprint }) =>
    `${countText(payload.days.length, 'day')}, signed under ${key_fingerprint}.`,
}).run(async ({ store, clock, sign }, page) => {
  const { rows, next } = await snapshotsIn(store).find({ index: 'day', order: 'desc', ...pageQuery(page) })
  const payload = {
    type: 'octagent-forecast-history/1' as const,
    as_of: clock.now().toISOString(),
    days: rows.map(toDay),
  }
  return { payload, ...signStatement(sign, payload), next: next ?? null }
})
