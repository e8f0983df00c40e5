import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { requireCaller } from './account/caller.ts'
import { HeldOut, loadHeld } from './chain/public-escrow.ts'
import { tasksSettings } from './config.ts'
import { escrowAccount } from './money/escrow.ts'
import { LineOut, toPublicLine } from './money/public-line.ts'
import { checkMember } from './task/load.ts'
import { PaymentOut, taskId, toPayment } from './task/public-task.ts'

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
  const task = await checkMember(store, task_id, requireCaller(caller), arbiters)
  const { lines } = await ledger.statement(store, 'USDC', escrowAccount(task_id), {
    order: 'asc',
    limit: 200,
  })
  const onchain = await loadHeld(store, task_id)
  return { ...toPayment(task), events: lines.map(toPublicLine), onchain }
})
