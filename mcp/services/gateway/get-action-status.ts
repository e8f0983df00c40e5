import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { ActionOut, actionsIn, toPublicAction } from './action/action.ts'

export default tool({
  name: 'get_action_status',
  title: 'Read an action',
  description:
    'Returns the state and the evidence of one of your callability actions. Needs a Bearer agent key. Free.',
  keywords: ['call', 'check', 'result', 'outcome', 'finished', 'progress'],
  input: z.object({ action_id: z.string().max(64).describe('Id of the action') }),
  output: ActionOut,
  needs: ['store'],
  price: free,
  auth: ['bearer'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  mcp: 'unlisted',
  a2a: { tags: ['callability'] },
  rest: { routes: ['GET /actions/:action_id'] },
  needsSetup: true,
  examples: [{ action_id: 'act_0' }],
  summary: ({ action_id, state }) => `${action_id} is ${state}.`,
}).run(async ({ store, caller }, { action_id }) => {
  const action = await actionsIn(store).get(action_id)
  if (action && action.caller === caller?.id) return toPublicAction(action)
  throw new ToolError('not_found', 'You have no such action.')
})
