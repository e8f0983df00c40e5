import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { Profile, requireAccount, toProfile } from './account.ts'

export default tool({
  name: 'get_profile',
  title: 'Look at contact and route',
  description:
    'Returns the contact and deal route of your account and what is missing before you can open or receive threads. Free.',
  keywords: ['settings', 'ready', 'details'],
  input: z.object({}),
  output: Profile,
  needs: ['store'],
  price: free,
  auth: ['apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['account', 'free'] },
  rest: { routes: ['GET /v1/account/profile'] },
  examples: [{}],
  summary: ({ account_setup_required: { missing } }) =>
    missing.length === 0 ? 'The profile is complete.' : `Missing: ${missing.join(', ')}.`,
}).run(async ctx => toProfile(await requireAccount(ctx.store, ctx.caller), ctx))
