import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { formatUsd } from '../../lib/usd.ts'
import { countMoney } from './analytics.ts'
import { emitEvent } from './event.ts'
import { openEscrow } from './funding.ts'
import { computeUnpaid, parseUsd, usdInput, withPayout } from './money.ts'
import { loadTaskAs, PaymentOut, taskId, toPayment } from './public-task.ts'
import { loadScore, scoresIn } from './reputation.ts'
import { tasksIn } from './task.ts'

const payable: readonly string[] = ['in_progress', 'submitted', 'verifying']

export default tool({
  name: 'release_payment',
  title: 'Pay a part',
  description:
    'Pays the worker a part of the bounty from escrow while the task goes on, as for one of several deliverables; the rest is paid with the approval. Free beyond its part of the fee.',
  keywords: ['milestone', 'half', 'partial', 'advance', 'instalment'],
  input: z.object({
    task_id: taskId,
    amount_usd: usdInput({ min: '0.01', max: '10000' }).describe(
      'Part of the bounty, less than what is unpaid',
    ),
    unpaid_usd: usdInput({ min: '0', max: '10000' })
      .optional()
      .describe('What is unpaid as you know it; refused when it is not so, so that nothing is paid twice'),
    note: z.string().trim().max(500).default('').describe('For which deliverable'),
  }),
  aliases: { task_id: ['id'] },
  output: PaymentOut,
  needs: ['store', 'clock', 'ledger'],
  price: free,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  a2a: { group: 'payments' },
  rest: { routes: ['POST /api/v1/escrow/release'] },
  needsSetup: true,
  examples: [{ task_id: 'task_0', amount_usd: '2.50', note: 'The first of two photos' }],
  summary: ({ released_usd, in_escrow_usd }) => `${released_usd} USD are paid; ${in_escrow_usd} are left.`,
}).run(({ commit, clock, ledger, caller }, { task_id, amount_usd, unpaid_usd, note }) =>
  commit(async tx => {
    const now = clock.now()
    const task = await loadTaskAs(tx, task_id, caller.id, 'publisher')
    const { worker } = task
    if (worker === null || !payable.includes(task.status))
      throw new ToolError('conflict', `A task that is ${task.status} is not paid in parts.`, {
        reason: 'not_payable',
        params: { status: task.status },
      })
    if (!task.funded)
      throw new ToolError('conflict', 'Nothing is in escrow: the worker is paid directly.', {
        reason: 'not_escrowed',
        next: ['pay_deliverable'],
      })
    const unpaid = computeUnpaid(task.funds)
    if (unpaid_usd !== undefined && parseUsd(unpaid_usd) !== unpaid)
      throw new ToolError('conflict', `${formatUsd(unpaid)} USD are unpaid.`, {
        reason: 'already_paid',
        params: { unpaid_usd: formatUsd(unpaid) },
      })
    const part = parseUsd(amount_usd)
    if (part >= unpaid)
      throw new ToolError(
        'conflict',
        `${formatUsd(unpaid)} USD are unpaid; approve the work to pay all of it.`,
        {
          reason: 'too_much',
          params: { unpaid_usd: formatUsd(unpaid) },
        },
      )
    const { amount, fee, funds } = withPayout(task.funds, part)
    const next = { ...task, funds }
    const id = `${task.id}.part.${task.funds.released}`
    await openEscrow(ledger).release(tx, { id, task: task.id, to: worker, amount, fee, now })
    await tasksIn(tx).put(next)
    await countMoney(tx, task, next, now)
    const score = await loadScore(tx, worker)
    await scoresIn(tx).put({ ...score, earned: (BigInt(score.earned) + amount).toString() })
    const event = { kind: 'payment.released', amount_usd: formatUsd(amount), note } as const
    await emitEvent(tx, next, event, now.toISOString())
    return toPayment(next)
  }),
)
