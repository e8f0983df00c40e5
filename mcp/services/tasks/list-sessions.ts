import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { nextCursor, pageInput, pageQuery } from '../../lib/paging.ts'
import { countText } from '../../lib/text/count.ts'
import { SessionOut, toPublicSession } from './public-session.ts'
import { sessionsIn } from './session.ts'

export default tool({
  name: 'list_sessions',
  keywords: ['streaming', 'payments', 'open'],
  title: 'List sessions',
  description: 'The sessions that you pay, or that pay your time, the newest first. Free.',
  input: z.object({
    role: z.enum(['publisher', 'worker']).default('publisher').describe('Which side you are on'),
    ...pageInput('Sessions'),
  }),
  output: z.object({ sessions: z.array(SessionOut).describe('Sessions'), next: nextCursor }),
  needs: ['store', 'clock'],
  price: free,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'payments' },
  rest: { routes: ['GET /api/v1/streams'] },
  examples: [{ role: 'publisher' }],
  summary: ({ sessions }) => `${countText(sessions.length, 'session')}.`,
}).run(async ({ store, clock, caller: { id: account } }, { role, ...page }) => {
  const where = role === 'publisher' ? { publisher: account } : { worker: account }
  const query = { index: role, where, order: 'desc' as const, ...pageQuery(page) }
  const { rows, next } = await sessionsIn(store).find(query)
  return { sessions: rows.map(row => toPublicSession(row, clock.now())), next: next ?? null }
})
