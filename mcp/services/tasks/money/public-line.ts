import { z } from 'zod'
import type { Ports } from '../../../ports/index.ts'
import { formatUsd } from './amount.ts'

export const LineOut = z.object({
  kind: z.string().describe('deposit, escrow, release, refund, bonus or withdrawal, and of which task'),
  amount_usd: z.string().describe('What came, with a minus what went'),
  at: z.iso.datetime().describe('When'),
})

type Line = Awaited<ReturnType<Ports['ledger']['statement']>>['lines'][number]

export const toPublicLine = ({ memo, amount: { value }, time }: Line): z.output<typeof LineOut> => ({
  kind: memo,
  amount_usd: value < 0n ? `-${formatUsd(-value)}` : formatUsd(value),
  at: time,
})
