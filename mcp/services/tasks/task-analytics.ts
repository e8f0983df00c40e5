import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { dayMs } from '../../lib/time.ts'
import { AnalyticsOut, type Stats, statsIn, toAnalytics } from './analytics.ts'
import { readWork, WorkOut } from './work-analytics.ts'

export default tool({
  name: 'task_analytics',
  title: 'Read the analytics',
  description:
    'Rates, times per step (median, p90, mean), bounties and spending over a window, of your tasks or of all; of yours also how workers did, golden tasks, and how far several agree. Counted from the histories; null where there is nothing to count. Free.',
  keywords: ['completion', 'duration', 'average', 'statistics', 'metrics', 'report'],
  input: z.object({
    scope: z.enum(['mine', 'all']).default('mine').describe('Your tasks, or those of everybody'),
    days: z.number().int().min(1).max(365).default(30).describe('Days up to today, 1 to 365'),
  }),
  output: AnalyticsOut.extend({ work: WorkOut }),
  needs: ['store', 'clock'],
  price: free,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'analytics' },
  rest: { routes: ['GET /api/v1/analytics'] },
  examples: [{ scope: 'mine' }, { scope: 'all', days: 7 }],
  summary: ({ tasks }) => `${tasks.published} published, ${tasks.completed} completed.`,
}).run(async ({ store, clock, caller: { id: account } }, { scope, days }) => {
  const now = clock.now()
  const to = now.toISOString().slice(0, 10)
  const from = new Date(now.getTime() - (days - 1) * dayMs).toISOString().slice(0, 10)
  const where = { scope: scope === 'all' ? 'all' : account, day: { gte: from, lte: to } }
  const stats: Stats[] = []
  for (let after: string | undefined; ; ) {
    const page = await statsIn(store).find({ index: 'scope', where, limit: 1000, ...(after && { after }) })
    stats.push(...page.rows)
    if (!page.next) break
    after = page.next
  }
  const work = scope === 'mine' ? await readWork(store, account, from) : null
  return { scope, from, to, ...toAnalytics(stats), work }
})
