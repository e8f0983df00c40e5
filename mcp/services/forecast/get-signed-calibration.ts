import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { countText } from '../../lib/text/count.ts'
import { record } from './record/log.ts'
import { CalibrationOut, SignedStatementOut } from './record/output.ts'
import type { Snapshot } from './record/snapshot.ts'
import { signNow } from './record/snapshots.ts'

export default tool({
  name: 'get_signed_calibration',
  title: 'Read the signed calibration',
  description:
    'Returns the calibration data with the root of the record, signed with Ed25519 over canonical JSON; canonical is the exact text. Use it to keep a proof, and check it offline with octagent verify-record or any Ed25519 library. Free.',
  keywords: ['accuracy', 'merkle', 'track', 'machine', 'verifiable', 'predictions'],
  input: z.object({}),
  output: z.object({
    payload: z
      .object({
        type: z.literal('octagent-forecast-snapshot/1').describe('What is signed'),
        as_of: z.string().describe('When it was true'),
        tree_size: z.number().int().describe('Entries of the record'),
        root: z.string().describe('Root of the Merkle tree over them (RFC 9162)'),
        previous: z
          .string()
          .nullable()
          .describe('SHA-256 of the daily snapshot before; null before the first'),
        calibration: CalibrationOut.describe('Calibration data'),
      })
      .describe('What canonical says'),
    ...SignedStatementOut,
    record_url: z.url().describe('The entries that all of this follows from'),
  }),
  needs: ['store', 'sign', record],
  price: free,
  limits: [{ perMinute: 120, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { skill: 'signed_calibration', tags: ['calibration', 'signature', 'free'] },
  rest: { routes: ['GET /expertise/calibration/signed'] },
  examples: [{}],
  summary: ({ payload, key_fingerprint }) =>
    `${countText(payload.tree_size, 'entry')}, signed under ${key_fingerprint}.`,
}).run(async ({ base, store, sign, record }) => {
  const signature = await signNow({ store, sign, record })
  return {
    payload: JSON.parse(signature.canonical) as Snapshot & { calibration: z.output<typeof CalibrationOut> },
    ...signature,
    record_url: `${base}/expertise/record`,
  }
})
