import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { formatUsd } from '../../lib/usd.ts'
import type { Tx } from '../../ports/store/port.ts'
import { escrowsIn, type Step, stepsIn } from './chain.ts'
import { tasksSettings } from './config.ts'
import { escrowAccount, LineOut, toPublicLine } from './money.ts'
import { checkMember, PaymentOut, taskId, toPayment } from './public-task.ts'

const address = (what: string) => z.string().describe(what)

const StepOut = z.object({
  kind: z
    .enum(['authorize', 'capture', 'void', 'excess'])
    .describe('authorize: held; capture: paid; void: the rest goes back; excess: what came twice goes back'),
  amount_usd: z.string().nullable().describe('Of a capture: what is paid, fee included'),
  state: z
    .enum(['queued', 'sent', 'done', 'failed'])
    .describe('queued: it is on its way; sent: a block has it; done: for good; failed: it never will'),
  transaction: z.string().nullable().describe('The last transaction on Base'),
  problem: z.string().nullable().describe('Why it is not done'),
})

/** A task's payment in the contract, with the terms that anybody can check there. */
const HeldOut = z
  .object({
    contract: address('Contract on Base (TaskEscrow)'),
    payment: z.string().describe('Name of the payment in the contract'),
    paid_to: address('Where it was paid: an address that is made from its terms'),
    terms: z
      .object({
        operator: address('Who may capture it'),
        payer: address('Who gets back what is not captured'),
        receiver: address('Who gets what is captured'),
        token: address('USDC'),
        maxAmount: z.string().describe('What is held, in millionths'),
        preApprovalExpiry: z.number().describe('Until then it may be taken'),
        authorizationExpiry: z.number().describe('Until then it may be captured; then the payer may take it'),
        refundExpiry: z.number().describe('Until then it may be refunded'),
        minFeeBps: z.number().describe('Least fee, hundredths of a percent'),
        maxFeeBps: z.number().describe('Highest fee, hundredths of a percent'),
        feeReceiver: address('Who gets the fee'),
        salt: z.string().describe('Tells payments apart'),
      })
      .describe('PaymentInfo of the contract; keep it: with it the payer needs nobody to reclaim'),
    steps: z.array(StepOut).describe('What the contract did and is to do, the first one first'),
  })
  .nullable()
  .describe('Where the money is on the chain; null where it is not')

const toPublicStep = ({ kind, amount, state, transaction, problem }: Step): z.output<typeof StepOut> => ({
  kind,
  amount_usd: kind === 'capture' ? formatUsd(amount) : null,
  state,
  transaction,
  problem,
})

const loadHeld = async (tx: Tx, task: string): Promise<z.output<typeof HeldOut>> => {
  const escrow = await escrowsIn(tx).get(task)
  if (!escrow) return null
  const { rows } = await stepsIn(tx).find({ index: 'task', where: { task }, limit: 1000 })
  const steps = rows.filter(({ hash }) => hash === escrow.hash).map(toPublicStep)
  return { contract: escrow.contract, payment: escrow.hash, paid_to: escrow.purse, terms: escrow.info, steps }
}

export default tool({
  name: 'task_payment',
  title: 'Read the money of a task',
  keywords: ['status', 'payouts', 'ledger', 'balance'],
  description:
    'What was put into escrow for a task of yours, paid, given back and taken as a fee, with each movement. Free.',
  input: z.object({ task_id: taskId }),
  aliases: { task_id: ['id'] },
  output: PaymentOut.extend({
    events: z.array(LineOut).describe('Movements of its escrow, the first one first'),
    onchain: HeldOut,
  }),
  needs: ['store', 'ledger', tasksSettings.arbiters],
  price: free,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'payments' },
  rest: {
    routes: [
      'GET /api/v1/tasks/:task_id/payment',
      'GET /api/v1/tasks/:task_id/transactions',
      'GET /api/v1/escrow/balance',
    ],
  },
  needsSetup: true,
  examples: [{ task_id: 'task_0' }],
  summary: ({ status, in_escrow_usd }) => `${status}; ${in_escrow_usd} USD in escrow.`,
}).run(async ({ store, ledger, caller, arbiters }, { task_id }) => {
  const task = await checkMember(store, task_id, caller.id, arbiters)
  const { lines } = await ledger.statement(store, 'USDC', escrowAccount(task_id), {
    order: 'asc',
    limit: 200,
  })
  const onchain = await loadHeld(store, task_id)
  return { ...toPayment(task), events: lines.map(toPublicLine), onchain }
})
