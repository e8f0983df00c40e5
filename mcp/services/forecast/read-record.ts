import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { entriesIn, record } from './record/log.ts'
import { EntryOut, toPublicEntry } from './record/prediction.ts'

export default tool({
  name: 'read_record',
  title: 'Read the record',
  keywords: ['log', 'raw', 'transparency', 'download', 'audit', 'leaves'],
  description:
    'Returns the entries of the record in their order, as they are hashed: registrations, resolutions, annulments. Everything that is published of this service follows from them. Free.',
  input: z.object({
    from: z.number().int().min(0).max(1e12).default(0).describe('First entry'),
    limit: z.number().int().min(1).max(1000).default(100).describe('How many'),
  }),
  output: z.object({
    entries: z.array(EntryOut).describe('The entries'),
    next: z.number().int().nullable().describe('"from" of the next page; null at the end'),
    tree_size: z.number().int().describe('Entries of the record now'),
    untrusted: z.literal(true).describe('Questions and evidence are words of callers'),
  }),
  needs: ['store', record],
  price: free,
  limits: [{ perMinute: 600, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  rest: { routes: ['GET /expertise/record'] },
  examples: [{ from: 0, limit: 10 }],
  summary: ({ entries, tree_size }) => `${entries.length} of ${tree_size} entries.`,
}).run(async ({ store, record }, { from, limit }) => {
  const { rows } = await entriesIn(store).find({ index: 'seq', where: { seq: { gte: from } }, limit })
  const size = await record.size()
  const end = from + rows.length
  return {
    entries: rows.map(toPublicEntry),
    next: rows.length > 0 && end < size ? end : null,
    tree_size: size,
    untrusted: true as const,
  }
})
