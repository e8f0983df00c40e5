import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { type Entry, EntryFacts, findNamespace, memoryEntriesIn, toEntryFacts } from './memory.ts'

const pageSize = 100
const around = 60

/** Finds a text, with a little of what is around it; keys come before values. */
const findMatch = (
  { key, value }: Entry,
  query: string,
): { in: 'key' | 'value'; excerpt: string } | undefined => {
  if (key.toLowerCase().includes(query)) return { in: 'key', excerpt: key }
  const text = value ?? ''
  const at = text.toLowerCase().indexOf(query)
  if (at < 0) return undefined
  const excerpt = text.slice(Math.max(0, at - around), at + query.length + around)
  // A cut goes through no character.
  return { in: 'value', excerpt: excerpt.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '') }
}

export default tool({
  name: 'memory_search',
  title: 'Search the memory',
  description:
    'Finds values of your memory whose key or text contains some words, whatever their case, with an excerpt. Encrypted values are found by their keys only. Use it where you forgot the key. Free.',
  keywords: ['notes', 'recall', 'lookup', 'note', 'up'],
  input: z.object({
    query: z.string().trim().min(1).max(200).describe('What it contains'),
    limit: z.number().int().min(1).max(50).default(10).describe('Matches, 1 to 50'),
    agent_id: z.string().min(1).max(120).optional().describe('Taken and ignored: it gives no access'),
  }),
  output: z.object({
    matches: z
      .array(
        EntryFacts.extend({
          in: z.enum(['key', 'value']).describe('Where it was found'),
          excerpt: z.string().describe('What is around it'),
        }),
      )
      .describe('What was found, in the order of the keys'),
    more: z.boolean().describe('There are more than the limit'),
    not_searched: z.int().describe('Encrypted values, whose text nobody here can read'),
  }),
  needs: ['store'],
  price: free,
  auth: ['bearer'],
  limits: [{ perMinute: 20, per: 'client' }],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['memory'] },
  rest: { routes: ['POST /memory/search'] },
  examples: [{ query: 'deploy' }],
  summary: ({ matches, more }) => `${matches.length}${more ? ' or more' : ''} found.`,
}).run(async ({ store, caller, signal }, { query, limit }) => {
  const namespace = findNamespace({ caller })
  const wanted = query.toLowerCase()
  const matches: (ReturnType<typeof toEntryFacts> & { in: 'key' | 'value'; excerpt: string })[] = []
  let sealedCount = 0
  let after: string | undefined
  do {
    signal.throwIfAborted()
    const page = await memoryEntriesIn(store).find({
      index: 'namespace',
      where: { namespace },
      limit: pageSize,
      ...(after !== undefined && { after }),
    })
    for (const entry of page.rows) {
      const match = findMatch(entry, wanted)
      if (match) matches.push({ ...toEntryFacts(entry), ...match })
      else if (entry.sealed !== null) sealedCount++
    }
    after = page.next
  } while (after !== undefined && matches.length <= limit)
  return { matches: matches.slice(0, limit), more: matches.length > limit, not_searched: sealedCount }
})
