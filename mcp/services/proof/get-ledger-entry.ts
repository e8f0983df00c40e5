import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { EntryOutput, LeafNumber, toEntry } from './ledger/leaf.ts'
import { transparencyLog } from './ledger/log.ts'

export default tool({
  name: 'get_ledger_entry',
  title: 'Get an entry of the ledger',
  description:
    'Returns one entry of the ledger, its exact leaf, and its inclusion proof to a signed checkpoint or to an older size. Free.',
  keywords: ['merkle', 'lookup', 'transparency'],
  input: z.object({
    index: LeafNumber.describe('Number of the entry'),
    size: LeafNumber.optional().describe(
      'Prove it in the tree of this size; without it in that of the checkpoint',
    ),
  }),
  output: z.object({
    entry: EntryOutput.describe('The entry'),
    leaf: z.string().describe('Its exact bytes: canonical JSON'),
    inclusion: z
      .object({
        size: z.number().int().describe('Size of the tree'),
        root: z.string().describe('Root of the tree of that size, hexadecimal'),
        hashes: z.array(z.string()).describe('From the leaf to the root, hexadecimal (RFC 9162 §2.1.3)'),
      })
      .describe('That the entry is in the tree'),
    checkpoint: z.string().describe('The last signed checkpoint'),
  }),
  needs: [transparencyLog],
  price: free,
  limits: [{ perMinute: 300, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['ledger', 'free'] },
  rest: { routes: ['GET /ledger/:index'] },
  examples: [{ index: 0 }],
  summary: ({ entry }) => `Entry ${entry.index}: ${entry.type}.`,
}).run(async ({ transparencyLog: log }, { index, size }) => {
  const wanted = Math.max(index + 1, size ?? 0)
  if (wanted > log.size()) await log.sync()
  if (index >= log.size())
    throw new ToolError('not_found', `index: The ledger has entries 0 to ${log.size() - 1}.`)
  const provenSize = size ?? (await log.checkpoint(index + 1)).size
  if (provenSize <= index || provenSize > log.size())
    throw new ToolError('invalid_input', `size: It must be from ${index + 1} to ${log.size()}.`, {
      issues: [{ path: 'size', message: `must be from ${index + 1} to ${log.size()}` }],
    })
  const [leaf = '', { note }] = await Promise.all([log.leaf(index), log.checkpoint(provenSize)])
  const inclusion = { size: provenSize, root: log.root(provenSize), hashes: log.inclusion(index, provenSize) }
  return { entry: toEntry(leaf, index), leaf, inclusion, checkpoint: note }
})
