import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { requireCaller } from './account/caller.ts'
import { tasksSettings } from './config.ts'
import { parseUsd } from './money/amount.ts'
import { commitOrKeep, fundTask, quoteDeposit } from './money/fund.ts'
import { newFunds, totalOf } from './money/funds.ts'
import { publishFields } from './task/input.ts'
import { TaskOut, toPublicTask } from './task/public-task.ts'
import { publishTask } from './task/publish.ts'

export default tool({
  name: 'publish_task',
  title: 'Publish a task',
  description:
    'Publishes a task for people, agents or robots, with a bounty in USD, a deadline and the evidence to hand in. Free with deposit: later; the bounty and the fee go into escrow when it is assigned, or at once with deposit: now (by x402, or from the balance).',
  keywords: ['hire a person', 'post a job', 'request work', 'create task', 'bounty', 'gig', 'errand'],
  input: z.object({
    ...publishFields,
    deposit: z.enum(['now', 'later']).default('later').describe('When the money goes into escrow'),
  }),
  output: TaskOut,
  needs: ['store', 'clock', 'ledger', tasksSettings.feeBps],
  price: free,
  quote: async ({ store, ledger, caller, feeBps }, { deposit, bounty_usd }) =>
    deposit === 'later'
      ? free
      : quoteDeposit(store, ledger, requireCaller(caller), totalOf(newFunds(parseUsd(bounty_usd), feeBps))),
  settle: 'before',
  limits: [{ perMinute: 30, per: 'client' }],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  rest: { routes: ['POST /api/v1/tasks'], status: 201 },
  examples: [
    {
      title: 'Is the bakery on Main Street open?',
      instructions: 'Go there, take a photo of the door with its opening hours, and say if it is open.',
      category: 'physical_presence',
      bounty_usd: '5.00',
      deadline_hours: 24,
      evidence_required: ['photo_geo', 'text_response'],
      location_hint: 'Main Street 1, Springfield',
      location_lat: 39.7817,
      location_lng: -89.6501,
    },
  ],
  summary: ({ task_id, payment }) => `Published as ${task_id} for ${payment.bounty_usd} USD.`,
}).run((ctx, { deposit, ...input }) => {
  const { clock, ledger, caller, receipt, feeBps } = ctx
  const publisher = requireCaller(caller)
  const amount = () => totalOf(newFunds(parseUsd(input.bounty_usd), feeBps))
  return commitOrKeep(ctx, { account: publisher, amount }, async tx => {
    const now = clock.now()
    const task = await publishTask(tx, input, { publisher, feeBps, now })
    const isPaidNow = deposit === 'now'
    return toPublicTask(isPaidNow ? await fundTask(tx, ledger, task, { receipt, now }) : task)
  })
})
