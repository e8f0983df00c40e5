import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { LeafNumber } from './ledger/leaf.ts'
import { transparencyLog } from './ledger/log.ts'

export default tool({
  name: 'check_ledger_consistency',
  title: 'Prove that the ledger only grew',
  description:
    'Returns the consistency proof between two sizes of the ledger: that nothing before was changed or taken out. Use it with the checkpoint that you kept. Free.',
  keywords: ['append', 'tampered', 'split', 'monitor', 'transparency', 'view'],
  input: z.object({
    from: LeafNumber.describe('Size of the checkpoint that you kept'),
    to: LeafNumber.optional().describe('A later size; without it that of the last checkpoint'),
  }),
  output: z.object({
    from: z
      .object({ size: z.number().int().describe('Size'), root: z.string().describe('Root') })
      .describe('The older tree'),
    to: z
      .object({ size: z.number().int().describe('Size'), root: z.string().describe('Root') })
      .describe('The newer tree'),
    hashes: z.array(z.string()).describe('The proof, hexadecimal (RFC 9162 §2.1.4)'),
    checkpoint: z.string().describe('The last signed checkpoint'),
  }),
  needs: [transparencyLog],
  price: free,
  limits: [{ perMinute: 300, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['ledger', 'free'] },
  rest: { routes: ['GET /ledger/consistency'] },
  examples: [{ from: 1 }],
  summary: ({ from, to }) => `The first ${from.size} of ${to.size} entries are as they were.`,
}).run(async ({ transparencyLog: log }, { from, to }) => {
  await log.sync()
  const { size, note } = await log.checkpoint(to ?? log.size())
  const newer = to ?? size
  if (newer > log.size() || from > newer)
    throw new ToolError(
      'invalid_input',
      `from and to: They must be from 0 to ${log.size()}, the older one first.`,
      {
        issues: [{ path: from > newer ? 'from' : 'to', message: `must be from 0 to ${log.size()}` }],
      },
    )
  const at = (count: number) => ({ size: count, root: log.root(count) })
  return { from: at(from), to: at(newer), hashes: log.consistency(from, newer), checkpoint: note }
})
