import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { formatUsd } from '../../lib/usd.ts'
import { tasksSettings } from './config.ts'
import { computeBountyFee, newFunds, parseUsd, share, usdInput, withPayout } from './money.ts'
import { escrowKinds } from './task.ts'

export default tool({
  name: 'calculate_fee',
  title: 'Calculate the fee',
  keywords: ['commission', 'total', 'price', 'estimate', 'platform', 'dollar'],
  description:
    'What a bounty costs its publisher: the fee on top of it and both together. Use it before publishing. Free.',
  input: z.object({
    bounty_usd: usdInput({ min: '0.01', max: '10000' }).describe('The bounty in USD'),
    kill_fee_percent: z.number().int().min(0).max(100).default(0).describe('As you would publish it'),
    escrow: z.enum(escrowKinds).default('ledger').describe('Where the money waits; direct has no fee'),
  }),
  output: z.object({
    bounty_usd: z.string().describe('What the worker gets'),
    fee_usd: z.string().describe('Fee on top'),
    total_usd: z.string().describe('What goes into escrow'),
    fee_percent: z.number().describe('Fee in per cent of the bounty'),
    kill_fee_usd: z.string().describe('What the worker gets if you cancel after assigning'),
    kill_fee_total_usd: z.string().describe('What that costs you, with its part of the fee'),
  }),
  needs: [tasksSettings.feeBps],
  price: free,
  auth: ['erc8128', 'apiKey', 'public'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'publish-task' },
  rest: { routes: ['GET /api/v1/payments/fee'] },
  examples: [{ bounty_usd: '10.00' }],
  summary: ({ total_usd, fee_usd }) => `${total_usd} USD, of which ${fee_usd} are the fee.`,
}).run(async ({ feeBps: configured }, { bounty_usd, escrow, kill_fee_percent }) => {
  const feeBps = escrow === 'direct' ? 0 : configured
  const bounty = parseUsd(bounty_usd)
  const fee = computeBountyFee(bounty, feeBps)
  const killFee = share(bounty, BigInt(kill_fee_percent), 100n)
  const killed = withPayout(newFunds(bounty, feeBps), killFee)
  return {
    bounty_usd: formatUsd(bounty),
    fee_usd: formatUsd(fee),
    total_usd: formatUsd(bounty + fee),
    fee_percent: feeBps / 100,
    kill_fee_usd: formatUsd(killFee),
    kill_fee_total_usd: formatUsd(killFee + killed.fee),
  }
})
