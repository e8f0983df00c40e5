import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { toIsoUtc } from '../../lib/time.ts'
import type { Calibration } from './record/calibration.ts'
import { record } from './record/log.ts'
import { CalibrationOut, DomainWord } from './record/output.ts'

const maxAge = 60

export default tool({
  name: 'get_calibration',
  title: 'Read the calibration',
  description:
    'Tells how well the forecasts of this service came true: Brier score with interval, calibration curve, decomposition, log score, skill, by domain and method. Use it before you rely on a forecast. A record without outcomes says so. Free.',
  keywords: ['predictions', 'accuracy', 'precision', 'reliability', 'track', 'hit'],
  input: z.object({
    domain: DomainWord.optional().describe('Only this domain'),
    since: z
      .string()
      .max(40)
      .refine(text => toIsoUtc(text) !== null, 'must be a date such as 2026-01-31')
      .optional()
      .describe('Only predictions registered from this date on'),
  }),
  output: CalibrationOut.extend({
    as_of: z.string().describe('When this was true'),
    tree_size: z.number().int().describe('Entries of the record'),
    root: z.string().describe('Root of the Merkle tree over them'),
    record_url: z.url().describe('The entries that all of this follows from'),
    backtests_url: z.url().describe('Backtests, apart from the record: none of them counts here'),
  }),
  needs: ['cache', record],
  price: free,
  limits: [{ perMinute: 120, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { skill: 'calibration_track_record', tags: ['calibration', 'free'] },
  rest: { routes: ['GET /expertise/calibration'] },
  examples: [{}, { domain: 'infrastructure' }],
  summary: ({ status, brier, scored, predictions }) =>
    status === 'insufficient_data'
      ? `No prediction is scored yet; ${predictions.registered} are registered.`
      : `Brier ${brier} over ${scored} predictions.`,
}).run(async ({ record, cache, base }, { domain, since }) => {
  const { at, size, root, calibration } = await record.state()
  const narrow = async (): Promise<Calibration> => {
    if (domain === undefined && since === undefined) return calibration
    const from = since === undefined ? undefined : (toIsoUtc(since) ?? undefined)
    // Such a question reads the whole record, so that it is answered once a minute.
    const { value } = await cache.take(`forecast:calibration:${domain}:${from}`, async () => ({
      value: await record.narrow({ domain, from }),
      seconds: maxAge,
    }))
    return value
  }
  return {
    ...(await narrow()),
    as_of: at.toISOString(),
    tree_size: size,
    root,
    record_url: `${base}/expertise/record`,
    backtests_url: `${base}/expertise/backtests`,
  }
})
