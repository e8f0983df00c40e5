import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { countText } from '../../lib/text/count.ts'
import { AnchorOutput, listAnchors } from './anchors/anchor.ts'
import { EntryOutput, LeafNumber, leafTypes, toEntry } from './ledger/leaf.ts'
import { transparencyLog } from './ledger/log.ts'

const count = (text: string) => z.number().int().describe(text)

const Outcomes = (what: string) =>
  z
    .object({ harmful: count('Reported as harmful'), harmless: count('Reported as harmless') })
    .describe(`Of ${what}, what became of them`)

export default tool({
  name: 'read_ledger',
  title: 'Read the ledger',
  description:
    'Lists entries of the public ledger from the newest, with counts, the precision of verdicts as reported outcomes tell it, the signed checkpoint and its anchors. Use it to judge the track record. Free.',
  keywords: ['log', 'transparency', 'merkle', 'history', 'browse', 'tree'],
  input: z.object({
    offset: LeafNumber.optional().describe(
      'Number of the first entry, oldest first from there; without it the newest ones',
    ),
    limit: z
      .preprocess(
        value => (typeof value === 'string' && /^\d{1,3}$/.test(value) ? Number(value) : value),
        z.number().int().min(1).max(100),
      )
      .default(20)
      .describe('Entries on a page, 1 to 100'),
  }),
  output: z.object({
    origin: z.string().describe('Name of the ledger in its checkpoints'),
    size: count('Entries that it has'),
    root: z.string().describe('Root of the tree, hexadecimal'),
    checkpoint: z.string().describe('Signed note with size and root (C2SP tlog-checkpoint)'),
    key: z.string().describe('Key that the checkpoint is signed with (C2SP signed-note verifier key)'),
    entries: z.array(EntryOutput).describe('Entries of this page'),
    statistics: z
      .object({
        by_type: z
          .object(Object.fromEntries(leafTypes.map(type => [type, count(`Entries of type ${type}`)])))
          .describe('Entries by type'),
        verdicts: z.record(z.string(), z.number()).describe('Verdicts by what they were'),
        outcomes: z
          .object({ rejected: Outcomes('what was rejected'), approved: Outcomes('what was approved') })
          .describe('Verdicts whose outcome was reported by a reporter who counts'),
        uncounted_reports: count('Outcomes that others reported'),
        reject_precision: z
          .number()
          .nullable()
          .describe('Share of rejected ones with an outcome that were harmful; null without any'),
        approve_miss_rate: z
          .number()
          .nullable()
          .describe('Share of approved ones with an outcome that were harmful; null without any'),
      })
      .describe('Computed from the leaves'),
    anchors: z
      .array(AnchorOutput)
      .describe('Where checkpoints are anchored, newest first; empty where nothing is configured'),
  }),
  needs: ['store', transparencyLog],
  price: free,
  limits: [{ perMinute: 120, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { skill: 'ledger', tags: ['proof', 'ledger', 'free'] },
  rest: { routes: ['GET /ledger'] },
  examples: [{}, { offset: 0, limit: 5 }],
  summary: ({ size }) => `The ledger has ${countText(size, 'entry')}.`,
}).run(async ({ store, transparencyLog: log }, { offset, limit }) => {
  await log.sync()
  const [{ size, root, note, key }, anchors] = await Promise.all([
    log.checkpoint(log.size()),
    listAnchors(store),
  ])
  const from = offset ?? Math.max(0, size - limit)
  const entries = (await log.leaves(from, Math.min(size, from + limit))).map((leaf, n) =>
    toEntry(leaf, from + n),
  )
  return {
    origin: log.origin,
    size,
    root,
    checkpoint: note,
    key,
    entries: offset === undefined ? entries.reverse() : entries,
    statistics: log.statistics(),
    anchors,
  }
})
