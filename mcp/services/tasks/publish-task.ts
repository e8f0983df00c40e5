import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { requireCaller } from './account/caller.ts'
import { type EscrowChain, escrowChain, requireEscrowChain } from './chain/port.ts'
import { tasksSettings } from './config.ts'
import { parseUsd } from './money/amount.ts'
import { commitOrKeep, fundTask, quoteDeposit } from './money/fund.ts'
import { computeTotal, newFunds } from './money/funds.ts'
import { publishFields } from './task/input.ts'
import { TaskOut, toPublicTask } from './task/public-task.ts'
import { publishTask } from './task/publish.ts'
import { beginsTask, readTaskProse } from './task/read-prose.ts'

/** Refuses a way to hold the money that is not there, before anything is published. */
const checkEscrow = async (
  chain: EscrowChain | undefined,
  { escrow, deposit }: { escrow: string; deposit: string },
): Promise<void> => {
  if (escrow === 'ledger') return
  if (deposit === 'now')
    throw new ToolError(
      'invalid_input',
      `With escrow: ${escrow} the payment names the worker: it comes later.`,
      {
        issues: [{ path: 'deposit', message: `must be later with escrow: ${escrow}` }],
      },
    )
  if (escrow === 'onchain') await requireEscrowChain(chain).place()
}

export default tool({
  name: 'publish_task',
  title: 'Publish a task',
  description:
    'Publishes a task for people, agents or robots, with a bounty in USD, a deadline and the evidence to hand in. With deposit: now bounty and fee go into escrow at once (by x402, or from the balance); with later, free, when it is assigned: until then it is listed last, and ends after 24 hours.',
  keywords: ['hire', 'person', 'human', 'job', 'post', 'create'],
  input: z.object({
    ...publishFields,
    deposit: z.enum(['now', 'later']).default('later').describe('When the money goes into escrow'),
  }),
  output: TaskOut,
  needs: ['store', 'clock', 'ledger', tasksSettings.feeBps],
  wants: [escrowChain],
  price: free,
  check: ({ escrowChain: chain }, { escrow, deposit }) => checkEscrow(chain, { escrow, deposit }),
  quote: async ({ store, ledger, caller, feeBps }, { deposit, bounty_usd, workers }) => {
    if (deposit === 'later') return free
    const total = computeTotal({ funds: newFunds(parseUsd(bounty_usd), feeBps), spare: workers - 1 })
    return quoteDeposit(store, ledger, requireCaller(caller), total)
  },
  settle: 'before',
  credits: true,
  limits: [{ perMinute: 30, per: 'client' }],
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  a2a: { group: 'publish-task', prose: { begins: beginsTask, read: readTaskProse } },
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
  const amount = () =>
    computeTotal({ funds: newFunds(parseUsd(input.bounty_usd), feeBps), spare: input.workers - 1 })
  return commitOrKeep(ctx, { account: publisher, amount }, async tx => {
    const now = clock.now()
    const task = await publishTask(tx, input, { publisher, feeBps, now })
    const isPaidNow = deposit === 'now'
    return toPublicTask(isPaidNow ? await fundTask(tx, ledger, task, { receipt, now }) : task)
  })
})
