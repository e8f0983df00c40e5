import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { formatUsd } from '../../lib/usd.ts'
import { escrowChain, requireEscrowChain } from './chain.ts'
import { tasksSettings } from './config.ts'
import { computeTotal } from './money.ts'
import { findTermsIssues, PublishInput, publishTask } from './task-terms.ts'

type Issue = { path: string; message: string }

const Strict = PublishInput.strict()

/** An item of a batch, read as publish_task reads its input. */
const readItem = (item: unknown): { input: PublishInput } | { issues: Issue[] } => {
  const { data, error } = Strict.safeParse(item)
  if (error) {
    const issues = error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
    return { issues }
  }
  const issues = findTermsIssues(data)
  return issues.length > 0 ? { issues } : { input: data }
}

export default tool({
  name: 'batch_create_tasks',
  title: 'Publish many tasks',
  keywords: ['30', 'jobs', 'post', 'bulk', 'mass', 'once'],
  description:
    'Publishes up to 50 tasks in one call, each with the fields of publish_task and a result of its own. atomic: all or none; best_effort: those that are right. Free; the money goes into escrow when each is assigned, which has to be within 24 hours.',
  input: z.object({
    tasks: z
      .array(z.record(z.string(), z.unknown()).describe('Fields of publish_task'))
      .min(1)
      .max(50)
      .describe('1 to 50 tasks'),
    mode: z.enum(['atomic', 'best_effort']).default('atomic').describe('What happens when one is wrong'),
  }),
  output: z.object({
    created: z
      .array(
        z.object({
          index: z.number().int().describe('Which of the tasks, from 0'),
          task_id: z.string().describe('Id of the task'),
        }),
      )
      .describe('Tasks that were published'),
    errors: z
      .array(
        z.object({
          index: z.number().int().describe('Which of the tasks, from 0'),
          code: z.literal('invalid_input').describe('Why it was not'),
          issues: z
            .array(
              z.object({
                path: z.string().describe('The field'),
                message: z.string().describe('What is wrong'),
              }),
            )
            .describe('Every field that is wrong'),
        }),
      )
      .describe('Tasks that were not'),
    total_bounty_usd: z.string().describe('Bounties of what was published'),
    escrow_required_usd: z.string().describe('Bounties and fees: what will go into escrow'),
  }),
  needs: ['store', 'clock', tasksSettings.feeBps],
  wants: [escrowChain],
  price: free,
  limits: [{ perMinute: 3, per: 'client' }],
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  a2a: { group: 'batch-operations' },
  rest: { routes: ['POST /api/v1/tasks/batch'] },
  examples: [
    {
      tasks: [
        {
          title: 'Photo of the north gate',
          instructions: 'Take a photo of the north gate in daylight.',
          category: 'physical_presence',
          bounty_usd: '3.00',
          deadline_hours: 48,
          evidence_required: ['photo'],
        },
      ],
    },
  ],
  summary: ({ created, errors }) => `${created.length} published, ${errors.length} refused.`,
}).run(async ({ commit, clock, caller: { id: publisher }, feeBps, escrowChain: chain }, { tasks, mode }) => {
  const items = tasks.map(readItem)
  const errors = items.flatMap((item, index) =>
    'issues' in item ? [{ index, code: 'invalid_input' as const, issues: item.issues }] : [],
  )
  if (mode === 'atomic' && errors.length > 0)
    throw new ToolError(
      'invalid_input',
      `${errors.length} of ${tasks.length} tasks are wrong; none was published.`,
      {
        issues: errors.flatMap(({ index, issues }) =>
          issues.map(({ path, message }) => ({ path: `tasks.${index}${path ? `.${path}` : ''}`, message })),
        ),
      },
    )
  if (items.some(item => 'input' in item && item.input.escrow === 'onchain'))
    await requireEscrowChain(chain).place()
  return commit(async tx => {
    const now = clock.now()
    const created: { index: number; task_id: string }[] = []
    let [bounties, total] = [0n, 0n]
    for (const [index, item] of items.entries()) {
      if ('issues' in item) continue
      const task = await publishTask(tx, item.input, { publisher, feeBps, now })
      bounties += BigInt(task.funds.bounty) * BigInt(1 + (task.spare ?? 0))
      total += computeTotal(task)
      created.push({ index, task_id: task.id })
    }
    return {
      created,
      errors,
      total_bounty_usd: formatUsd(bounties),
      escrow_required_usd: formatUsd(total),
    }
  })
})
