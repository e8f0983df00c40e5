import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { ensureAccount, executorId, refuseSelf } from './account.ts'
import { badgeName, grantBadge, listBadges, revokeBadge } from './qualification.ts'

export default tool({
  name: 'grant_badge',
  title: 'Grant a badge',
  description:
    'Gives a worker a badge of yours, or takes it back; returns those that it holds of you. Tasks may ask for a badge (badge_required), and passing their test earns it. Free.',
  keywords: ['qualification', 'certify', 'qualify', 'revoke', 'trusted'],
  input: z.object({
    executor_id: executorId,
    badge: badgeName.describe('Name of the badge'),
    granted: z.boolean().default(true).describe('false takes it back'),
  }),
  aliases: { executor_id: ['worker_id', 'worker'] },
  output: z.object({ badges: z.array(z.string()).describe('Badges of yours that the worker holds') }),
  needs: ['store', 'clock'],
  price: free,
  limits: [{ perMinute: 60, per: 'client' }],
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'worker-management' },
  rest: { routes: ['POST /api/v1/workers/badge'] },
  examples: [
    { executor_id: 'eip155:8453:0x00000000000000000000000000000000000000b2', badge: 'Door inspector' },
  ],
  summary: ({ badges }) =>
    badges.length === 0 ? 'It holds no badge of yours.' : `Its badges of yours: ${badges.join(', ')}.`,
}).run(({ commit, clock, caller }, { executor_id: worker, badge, granted }) =>
  commit(async tx => {
    const now = clock.now()
    const { id: publisher } = await ensureAccount(tx, caller.id, now)
    await refuseSelf(tx, publisher, worker, 'Nobody can give themselves a badge.')
    if (granted) await grantBadge(tx, { publisher, worker, badge, now })
    else await revokeBadge(tx, publisher, worker, badge)
    return { badges: await listBadges(tx, worker, publisher) }
  }),
)
