import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { type Called, type Context, free, paidBy, tool } from '../../kernel/tool.ts'
import { perCall } from '../../lib/per-call.ts'
import { formatUsd } from '../../lib/usd.ts'
import type { Tx } from '../../ports/store/port.ts'
import { commitOrKeep, quoteDirect, recordDirectPayment, refuseOwnSubmission } from './funding.ts'
import { computeUnpaid, parseUsd, usdInput } from './money.ts'
import { loadSubmission, SubmissionOut, submissionId, toPublicSubmission } from './submission.ts'

type Input = { submission_id: string; amount_usd?: string | undefined }

/** Statuses in which a deliverable may be paid: when work has come, and afterwards as long as something of it is unpaid. */
const payable: readonly string[] = ['in_progress', 'submitted', 'verifying', 'disputed', 'completed']

/** Loads what to pay for a submission. Throws what stands against it, before any money is asked for. */
const loadPayable = async (tx: Tx, { submission_id, amount_usd }: Input, publisher: string) => {
  const { submission, task } = await loadSubmission(tx, submission_id, publisher)
  if (task.publisher !== publisher)
    throw new ToolError('forbidden', 'Only the publisher of the task pays for it.', { reason: 'not_a_party' })
  if (task.terms.escrow !== 'direct')
    throw new ToolError('conflict', 'The money of this task is in escrow, and is paid from there.', {
      reason: 'in_escrow',
      next: ['release_payment', 'approve_submission'],
    })
  const unpaid = computeUnpaid(task.funds)
  const amount = amount_usd === undefined ? unpaid : parseUsd(amount_usd)
  if (!payable.includes(task.status) || amount > unpaid || amount === 0n)
    throw new ToolError(
      'conflict',
      `${formatUsd(unpaid)} USD of this task are unpaid; it is ${task.status}.`,
      {
        reason: unpaid === 0n ? 'already_paid' : 'not_payable',
        params: { unpaid_usd: formatUsd(unpaid), status: task.status },
      },
    )
  return { submission, amount }
}

const price = perCall(
  async (
    { store, caller }: Context<'store'> & Called<'apiKey'>,
    input: Parameters<typeof loadPayable>[1],
  ) => {
    const { submission, amount } = await loadPayable(store, input, caller.id)
    const { id, task, worker } = submission
    return quoteDirect({ task, worker, submission: id, amount: amount.toString() })
  },
)

export default tool({
  name: 'pay_deliverable',
  title: 'Pay for a deliverable',
  description:
    "Pays a worker for one submission of a task published with escrow: direct, by x402 straight to the worker's wallet in USDC on Base. The receipt is bound to the submission. Costs exactly the amount; there is no fee.",
  keywords: ['directly', 'milestone', 'send', 'payment'],
  input: z.object({
    submission_id: submissionId,
    amount_usd: usdInput({ min: '0.01', max: '10000' })
      .optional()
      .describe('How much of the bounty; all that is unpaid by default'),
  }),
  aliases: { submission_id: ['id'] },
  output: SubmissionOut,
  needs: ['store', 'clock', 'ledger'],
  price: free,
  check: price,
  quote: price,
  admit: refuseOwnSubmission,
  settle: 'before',
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  a2a: { group: 'payments' },
  rest: { routes: ['POST /api/v1/submissions/:submission_id/pay'] },
  needsSetup: true,
  examples: [{ submission_id: 'sub_0', amount_usd: '2.50' }],
  summary: ({ submission_id }) => `${submission_id} is paid for.`,
}).run((ctx, { submission_id }) => {
  const receipt = paidBy(ctx.receipt)
  const account = ctx.caller.id
  return commitOrKeep(ctx, { account, amount: () => 0n }, async tx => {
    await recordDirectPayment(tx, receipt, ctx.clock.now())
    const { submission } = await loadSubmission(tx, submission_id, account)
    return toPublicSubmission(submission)
  })
})
