import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { tasksSettings } from './config.ts'
import { formatUsd, parseUsd, usdInput } from './money/amount.ts'
import { computeFee } from './money/funds.ts'

export default tool({
  name: 'calculate_fee',
  title: 'Calculate the fee',
  description:
    'What a bounty costs its publisher: the fee on top of it and both together. Use it before publishing. Free.',
  input: z.object({
    bounty_usd: usdInput({ min: '0.01', max: '10000' }).describe('The bounty in USD'),
  }),
  output: z.object({
    bounty_usd: z.string().describe('What the worker gets'),
    fee_usd: z.string().describe('Fee on top'),
    total_usd: z.string().describe('What goes into escrow'),
    fee_percent: z.number().describe('Fee in per cent of the bounty'),
  }),
  needs: [tasksSettings.feeBps],
  price: free,
  auth: ['erc8128', 'apiKey', 'public'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  rest: { routes: ['GET /api/v1/escrow/config'] },
  examples: [{ bounty_usd: '10.00' }],
  summary: ({ total_usd, fee_usd }) => `${total_usd} USD, of which ${fee_usd} are the fee.`,
}).run(async ({ feeBps }, { bounty_usd }) => {
  const bounty = parseUsd(bounty_usd)
  const fee = computeFee(bounty, feeBps)
  return {
    bounty_usd: formatUsd(bounty),
    fee_usd: formatUsd(fee),
    total_usd: formatUsd(bounty + fee),
    fee_percent: feeBps / 100,
  }
})
