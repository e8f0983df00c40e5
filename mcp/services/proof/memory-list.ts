import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { nextCursor, pageInput, pageQuery } from '../../lib/paging.ts'
import {
  EntryFacts,
  findNamespace,
  memoryEntriesIn,
  memorySettings,
  readUsage,
  toEntryFacts,
} from './memory.ts'

export default tool({
  name: 'memory_list',
  title: 'List the memory',
  description:
    'Lists the keys of your memory with size, version and time, in the order of the keys, and what is taken of your quota. Use it to see what you kept. Free.',
  keywords: ['notes', 'stored', 'remember', 'entries'],
  input: z.object({
    ...pageInput('Keys', { max: 200, preset: 50 }),
    agent_id: z.string().min(1).max(120).optional().describe('Taken and ignored: it gives no access'),
  }),
  output: z.object({
    entries: z.array(EntryFacts).describe('What is kept, without the values'),
    next: nextCursor,
    usage: z
      .object({
        keys: z.int().describe('Keys that are taken'),
        bytes: z.int().describe('Bytes that are taken'),
        max_keys: z.int().describe('Keys that may be taken'),
        max_bytes: z.int().describe('Bytes that may be taken'),
      })
      .describe('What your memory holds'),
  }),
  needs: ['store', memorySettings.memoryMegabytes, memorySettings.memoryEntries],
  price: free,
  auth: ['bearer'],
  limits: [{ perMinute: 60, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['memory'] },
  rest: { routes: ['POST /memory/list'] },
  examples: [{ limit: 10 }],
  summary: ({ usage }) => `${usage.keys} keys, ${usage.bytes} bytes.`,
}).run(async ({ store, caller, memoryMegabytes, memoryEntries }, input) => {
  const namespace = findNamespace({ caller })
  const { rows, next } = await memoryEntriesIn(store).find({
    index: 'namespace',
    where: { namespace },
    ...pageQuery(input),
  })
  const { keys, bytes } = await readUsage(store, namespace)
  return {
    entries: rows.map(toEntryFacts),
    next: next ?? null,
    usage: { keys, bytes, max_keys: memoryEntries, max_bytes: memoryMegabytes * 1_000_000 },
  }
})
