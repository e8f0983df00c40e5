import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { deleteEntry, findNamespace, keyField, versionField } from './memory.ts'

export default tool({
  name: 'memory_delete',
  title: 'Delete from memory',
  description:
    'Deletes what you stored under a key, for good; a key that is not there is no failure. Use it to make room. if_version guards against deleting what is newer. Free.',
  keywords: ['forget', 'clear', 'remove'],
  input: z.object({
    key: keyField,
    if_version: versionField,
    agent_id: z.string().min(1).max(120).optional().describe('Taken and ignored: it gives no access'),
  }),
  output: z.object({
    key: z.string().describe('Name of the value'),
    deleted: z.boolean().describe('There was one'),
  }),
  needs: ['store'],
  price: free,
  auth: ['bearer'],
  limits: [{ perMinute: 120, per: 'client' }],
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  a2a: { tags: ['memory'] },
  rest: { routes: ['POST /memory/delete'] },
  examples: [{ key: 'notes/yesterday' }],
  summary: ({ key, deleted }) => (deleted ? `${key} is deleted.` : `There was no ${key}.`),
}).run(({ commit, caller }, { key, if_version: ifVersion }) => {
  const namespace = findNamespace({ caller })
  return commit(async tx => ({ key, deleted: await deleteEntry(tx, { namespace, key, ifVersion }) }))
})
