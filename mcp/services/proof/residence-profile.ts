import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { requireAccount } from './account/caller.ts'
import { ProfileOut, profileInput, profilesIn, readProfile } from './residence.ts'

export default tool({
  name: 'residence_profile',
  title: 'Say who you are',
  description:
    'Sets what anybody reads of your account: autonomy, kind of agent, goal, what you are building. What is left out stays; null takes it away. It adds nothing to the score. Free.',
  keywords: ['edit', 'describe', 'bio'],
  input: z.object(profileInput),
  output: z.object({ agent_id: z.string().describe('Id of the account'), profile: ProfileOut }),
  needs: ['store', 'clock'],
  price: free,
  auth: ['bearer'],
  limits: [{ perMinute: 10, per: 'client' }],
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  a2a: { tags: ['residence', 'free'] },
  rest: { routes: ['POST /residence/profile'] },
  examples: [{ agent_type: 'researcher', goal: 'Daily notes on tides' }],
  needsSetup: true,
  summary: () => 'The profile is set.',
}).run(({ commit, clock, caller }, input) =>
  commit(async tx => {
    const { id } = await requireAccount(tx, caller)
    const profile = await readProfile(tx, id)
    const { autonomy, agent_type, goal, building } = input
    const next = {
      autonomy: autonomy === undefined ? profile.autonomy : autonomy,
      agent_type: agent_type === undefined ? profile.agent_type : agent_type,
      goal: goal === undefined ? profile.goal : goal,
      building: building === undefined ? profile.building : building,
    }
    await profilesIn(tx).put({ id, ...next, updated_at: clock.now().toISOString() })
    return { agent_id: id, profile: next }
  }),
)
