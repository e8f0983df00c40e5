import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { nextCursor, pageInput, pageQuery } from '../../lib/paging.ts'
import { SignedStatementOut } from './record/output.ts'
import { readSnapshot, type SnapshotRow } from './record/snapshot.ts'
import { snapshotsIn } from './record/snapshots.ts'

const toDayRow = (row: SnapshotRow, before: SnapshotRow | undefined) => {
  const { calibration, tree_size, root } = readSnapshot(row)
  const earlier = before && readSnapshot(before).calibration.predictions
  const { registered, resolved } = calibration.predictions
  const { id: day, ...signature } = row
  return {
    day,
    brier: calibration.brier,
    brier_interval95: calibration.brier_interval95,
    scored: calibration.scored,
    registered,
    resolved,
    new_predictions: registered - (earlier?.registered ?? 0),
    new_resolutions: resolved - (earlier?.resolved ?? 0),
    tree_size,
    root,
    ...signature,
  }
}

export default tool({
  name: 'get_calibration_history',
  title: 'Read the calibration history',
  description:
    'Returns cumulative daily snapshots of the record, the newest first: Brier trajectory, volume of predictions, pace of resolutions, each signed and naming the one before. Use it to see how the record grew. Free.',
  keywords: ['trend', 'time', 'accuracy', 'score', 'development', 'improved'],
  input: z.object(pageInput('Days', { max: 366, preset: 30 })),
  aliases: { after: ['cursor', 'next'] },
  output: z.object({
    days: z
      .array(
        z.object({
          day: z.string().describe('Day, UTC'),
          brier: z.number().nullable().describe('Brier score at its end; null where nothing was scored'),
          brier_interval95: z
            .array(z.number().describe('Low, then high'))
            .nullable()
            .describe('Its 95 % interval'),
          scored: z.number().int().describe('Predictions scored'),
          registered: z.number().int().describe('Predictions ever registered'),
          resolved: z.number().int().describe('Predictions resolved'),
          new_predictions: z.number().int().describe('Registered on this day'),
          new_resolutions: z.number().int().describe('Resolved on this day, less those annulled'),
          tree_size: z.number().int().describe('Entries of the record'),
          root: z.string().describe('Root of the tree over them'),
          ...SignedStatementOut,
        }),
      )
      .describe('One row a day; none before the first prediction'),
    next: nextCursor,
  }),
  needs: ['store'],
  price: free,
  limits: [{ perMinute: 120, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { skill: 'calibration_history', tags: ['calibration', 'free'] },
  rest: { routes: ['GET /expertise/calibration/history'] },
  examples: [{ limit: 7 }],
  summary: ({ days: [latest] }) =>
    latest ? `${latest.day}: Brier ${latest.brier ?? 'not known yet'}.` : 'No day is over yet.',
}).run(async ({ store }, page) => {
  const { rows, next } = await snapshotsIn(store).find({ index: 'day', order: 'desc', ...pageQuery(page) })
  const last = rows.at(-1)
  const before =
    last &&
    (await snapshotsIn(store).find({ index: 'day', where: { id: { lt: last.id } }, order: 'desc', limit: 1 }))
      .rows[0]
  return { days: rows.map((row, index) => toDayRow(row, rows[index + 1] ?? before)), next: next ?? null }
})
