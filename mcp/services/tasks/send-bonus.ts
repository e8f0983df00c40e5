import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { type Called, type Context, free, tool } from '../../kernel/tool.ts'
import { newId } from '../../lib/new-id.ts'
import { perCall } from '../../lib/per-call.ts'
import { formatUsd } from '../../lib/usd.ts'
import type { Tx } from '../../ports/store/port.ts'
import { commitOrKeep, quoteDeposit, quoteDirect, recordDirectPayment, refuseSelfPayment } from './funding.ts'
import { addPayment, BalanceOut, loadSpendableBalance, parseUsd, payBonus, usdInput } from './money.ts'
import { loadTaskAs, taskId } from './public-task.ts'
import type { Task } from './task.ts'

const mayPay = async (tx: Tx, id: string, publisher: string): Promise<Task & { worker: string }> => {
  const { worker, ...task } = await loadTaskAs(tx, id, publisher, 'publisher')
  if (task.status === 'completed' && worker !== null) return { ...task, worker }
  throw new ToolError('conflict', 'A bonus can be paid once the task is completed.', {
    reason: 'not_completed',
    params: { status: task.status },
  })
}

type Asked = { task_id: string; amount_usd: string }

const price = perCall(
  async (
    { store, ledger, caller }: Context<'store' | 'ledger'> & Called<'apiKey'>,
    { task_id, amount_usd }: Asked,
  ) => {
    const publisher = caller.id
    const { terms, worker } = await mayPay(store, task_id, publisher)
    const amount = parseUsd(amount_usd).toString()
    if (terms.escrow !== 'ledger') return quoteDirect({ task: task_id, worker, submission: null, amount })
    return quoteDeposit(store, ledger, publisher, parseUsd(amount_usd))
  },
)

export default tool({
  name: 'send_bonus',
  title: 'Pay a bonus',
  description:
    'Pays the worker of a completed task of yours something on top, without a fee: from your balance, else by x402 in USDC on Base; with escrow: onchain or direct by x402 to the wallet of the worker.',
  keywords: ['tip', 'extra', 'reward', 'thank', 'good'],
  input: z.object({
    task_id: taskId,
    amount_usd: usdInput({ min: '0.01', max: '1000' }).describe('How much, 0.01 to 1,000 USD'),
  }),
  aliases: { task_id: ['id'] },
  output: BalanceOut,
  needs: ['store', 'clock', 'ledger'],
  price: free,
  check: price,
  quote: price,
  admit: async ({ store, caller }, { task_id }, { address }) => {
    const { terms, worker } = await mayPay(store, task_id, caller.id)
    if (terms.escrow !== 'ledger') refuseSelfPayment(worker, address)
  },
  settle: 'before',
  credits: true,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  a2a: { group: 'payments' },
  rest: { routes: ['POST /api/v1/payments/bonus'] },
  needsSetup: true,
  examples: [{ task_id: 'task_0', amount_usd: '1.00' }],
  summary: ({ available_usd }) => `The bonus is paid; ${available_usd} USD can be spent.`,
}).run((ctx, { task_id, amount_usd }) => {
  const { clock, ledger, caller, receipt } = ctx
  const publisher = caller.id
  const amount = parseUsd(amount_usd)
  return commitOrKeep(ctx, { account: publisher, amount: () => amount }, async tx => {
    const { id, worker } = await mayPay(tx, task_id, publisher)
    const now = clock.now()
    if (!(await recordDirectPayment(tx, receipt, now))) {
      if (receipt) await addPayment(tx, ledger, { receipt: receipt.id, account: publisher, amount })
      const bonus = { id: newId('pay', now), task: id, from: publisher, to: worker, amount }
      await payBonus(tx, ledger, bonus)
    }
    return {
      account_id: publisher,
      available_usd: formatUsd(await loadSpendableBalance(tx, ledger, publisher)),
    }
  })
})
