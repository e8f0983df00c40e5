import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { free, tool } from '../../kernel/tool.ts'
import { catSettings } from './config.ts'
import { Purr } from './feeding.ts'
import { creditTip, minTip } from './tip.ts'

export default tool({
  name: 'claim_tip',
  title: 'Claim a tip',
  description:
    'Turns a confirmed direct transfer of at least 0.10 USDC on Base to the cat into a feeding, by its transaction hash. Use it after sending a tip. Free; each transfer counts once.',
  keywords: ['sent', 'hand', 'paid', 'manually', 'credit', 'money'],
  input: z.object({
    partner: z.string().max(100).default('partner').describe('Path segment of the partner who sends the tip'),
    transaction_hash: z
      .string({ error: 'needed: the hash of the transfer' })
      .max(100)
      .describe('Transaction hash of the transfer'),
  }),
  aliases: { transaction_hash: ['tx_hash', 'transaction', 'hash'] },
  output: Purr,
  needs: ['store', 'clock', 'transfers', catSettings.partners],
  price: free,
  limits: [{ perMinute: 30, per: 'client' }],
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  a2a: { tags: ['cat', 'tip', 'free'] },
  rest: { routes: ['POST /api/:partner/tip/claim'] },
  examples: [{ partner: 'partner', transaction_hash: `0x${'0'.repeat(64)}` }],
  summary: ({ purr, number }) => `${purr} That was feeding ${number}.`,
}).run(async ({ commit, clock, transfers, partners }, { partner, transaction_hash }) => {
  if (!partners.includes(partner))
    throw new ToolError('not_found', `There is no partner "${partner.slice(0, 40)}".`)
  const tip = await transfers.prove('base', transaction_hash, minTip)
  return commit(async tx => {
    const purr = await creditTip(tx, transfers, tip, clock.now())
    if (purr) return purr
    throw new ToolError('conflict', 'This transfer has paid for something else already.')
  })
})
