import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { accountsIn, ensureAccount, executorKinds } from './account.ts'
import { loadScore } from './reputation.ts'
import { toPublicWorker, WorkerOut } from './worker.ts'

export default tool({
  name: 'register_worker',
  title: 'Register as a worker',
  description:
    'Says what you are and what you can do, so that you may apply to tasks. Call it again to change it. Free.',
  keywords: ['sign', 'up', 'profile', 'skills', 'join', 'earn'],
  input: z.object({
    kind: z.enum(executorKinds).describe('human, agent or robot'),
    name: z.string().trim().min(1).max(60).describe('Name that publishers see'),
    bio: z.string().trim().max(1000).default('').describe('What you can do'),
    skills: z.array(z.string().trim().min(1).max(60)).max(20).default([]).describe('Skills, up to 20'),
  }),
  output: WorkerOut,
  needs: ['store', 'clock'],
  price: free,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'worker-management' },
  rest: { routes: ['POST /api/v1/workers/register'] },
  examples: [{ kind: 'human', name: 'Ada', skills: ['photography'] }],
  summary: ({ name, kind }) => `${name} is registered (${kind}).`,
}).run(({ commit, clock, caller }, { kind, name, bio, skills }) =>
  commit(async tx => {
    const now = clock.now()
    const account = await ensureAccount(tx, caller.id, now)
    const registered = { ...account, kind, name, bio: bio || null, skills }
    await accountsIn(tx).put(registered)
    return toPublicWorker(registered, await loadScore(tx, account.id), now)
  }),
)
