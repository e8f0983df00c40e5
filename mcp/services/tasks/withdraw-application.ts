import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { ApplicationOut, applicationOf, applicationsIn, toPublicApplication } from './application.ts'
import { loadTask, taskId } from './public-task.ts'

export default tool({
  name: 'withdraw_application',
  title: 'Withdraw an application',
  keywords: ['cancel', 'retract', 'mind', 'changed', 'job'],
  description: 'Takes back your application while the task is open; you may apply again. Free.',
  input: z.object({ task_id: taskId }),
  aliases: { task_id: ['id'] },
  output: ApplicationOut,
  needs: ['store', 'clock'],
  price: free,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  a2a: { group: 'worker-management' },
  rest: { routes: ['POST /api/v1/tasks/:task_id/withdraw'] },
  needsSetup: true,
  examples: [{ task_id: 'task_0' }],
  summary: ({ application_id }) => `${application_id} is withdrawn.`,
}).run(({ commit, clock, caller: { id: worker } }, { task_id }) =>
  commit(async tx => {
    const task = await loadTask(tx, task_id)
    const application = await applicationOf(tx, task_id, worker)
    if (!application) throw new ToolError('not_found', 'You have not applied to this task.')
    if (application.state !== 'pending' || task.status !== 'published')
      throw new ToolError('conflict', 'It cannot be withdrawn any more.', {
        reason: 'not_pending',
        params: { state: application.state, status: task.status },
      })
    const withdrawn = { ...application, state: 'withdrawn' as const }
    await applicationsIn(tx).put(withdrawn)
    return toPublicApplication(tx, withdrawn, task, clock.now())
  }),
)
