import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { nextCursor, pageInput, pageQuery } from '../../lib/paging.ts'
import { countText } from '../../lib/text/count.ts'
import { untrustedMark } from '../../lib/untrusted.ts'
import { formatUsd } from '../../lib/usd.ts'
import { ApplicationOut, applicationsIn, toPublicApplication } from './application.ts'
import { tasksIn } from './task.ts'

export default tool({
  name: 'list_my_applications',
  title: 'List your applications',
  description:
    'Lists the tasks that you applied to, the newest first, and what became of each: pending, accepted, declined or withdrawn. Free.',
  keywords: ['jobs', 'outcome', 'waiting', 'status', 'candidate'],
  input: z.object({ ...pageInput('Applications') }),
  output: z.object({
    applications: z
      .array(
        ApplicationOut.extend({
          title: z.string().describe('Title of the task'),
          bounty_usd: z.string().describe('What it pays'),
          deadline: z.iso.datetime().describe('When it must be done'),
        }),
      )
      .describe('Applications'),
    next: nextCursor,
    untrusted: untrustedMark,
  }),
  needs: ['store', 'clock'],
  price: free,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'worker-management' },
  rest: { routes: ['GET /api/v1/applications'] },
  examples: [{}],
  summary: ({ applications }) => `${countText(applications.length, 'application')}.`,
}).run(async ({ store, clock, caller: { id: worker } }, page) => {
  const query = { index: 'worker', where: { worker }, order: 'desc' as const, ...pageQuery(page) }
  const { rows, next } = await applicationsIn(store).find(query)
  const applications = []
  for (const row of rows) {
    const task = await tasksIn(store).get(row.task)
    // The task of an application that is just being dropped is gone first.
    if (!task) continue
    const { title, deadline } = task.terms
    const shown = await toPublicApplication(store, row, task, clock.now())
    applications.push({ ...shown, title, bounty_usd: formatUsd(task.funds.bounty), deadline })
  }
  return { applications, next: next ?? null, untrusted: true as const }
})
