import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { escrowsIn } from './chain.ts'
import { loadTaskAs, taskId } from './public-task.ts'

export default tool({
  name: 'reclaim_escrow',
  title: 'Reclaim from escrow on the chain',
  description:
    'The transaction by which you take back what is left of your escrow on Base, once reclaim_after is over: sign and send it yourself, it needs nobody. Before that, cancel_task gives the money back. Free.',
  keywords: ['refund', 'stuck', 'recover', 'withdraw', 'deposit', 'funds'],
  input: z.object({ task_id: taskId }),
  aliases: { task_id: ['id'] },
  output: z.object({
    chain_id: z.number().int().describe('EIP-155 id of the chain'),
    to: z.string().describe('The contract'),
    data: z.string().describe('Data of the call'),
    value: z.literal('0').describe('No ether is sent'),
    reclaim_after: z.iso.datetime().describe('The contract refuses it before'),
    possible_now: z.boolean().describe('Whether that time is over'),
  }),
  needs: ['store', 'clock'],
  price: free,
  auth: ['erc8128', 'apiKey'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'payments' },
  rest: { routes: ['POST /api/v1/escrow/task/:task_id/reclaim'] },
  needsSetup: true,
  examples: [{ task_id: 'task_0' }],
  summary: ({ reclaim_after, possible_now }) =>
    possible_now ? 'It can be sent now.' : `It can be sent after ${reclaim_after}.`,
}).run(async ({ store, clock, caller }, { task_id }) => {
  await loadTaskAs(store, task_id, caller.id, 'publisher')
  const escrow = await escrowsIn(store).get(task_id)
  if (!escrow)
    throw new ToolError('conflict', 'The money of this task is not on the chain.', {
      reason: 'not_onchain',
      next: ['task_payment'],
    })
  const { encodeCall } = await import('./chain/contract.ts')
  const expiry = new Date(escrow.info.authorizationExpiry * 1000)
  return {
    chain_id: 8453,
    to: escrow.contract,
    data: encodeCall.reclaim(escrow.info),
    value: '0' as const,
    reclaim_after: expiry.toISOString(),
    possible_now: expiry <= clock.now(),
  }
})
