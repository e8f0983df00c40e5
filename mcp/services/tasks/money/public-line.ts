import { z } from 'zod'
import { formatUsd } from '../../../lib/usd.ts'
import type { Ports } from '../../../ports/ports.ts'

/** Kinds of money movements. */
const lineKinds = [
  'deposit',
  'escrow',
  'release',
  'refund',
  'bonus',
  'session',
  'withdrawal',
  'other',
] as const

export const LineOut = z.object({
  kind: z.enum(lineKinds).describe('What it is'),
  task_id: z.string().nullable().describe('The task that it belongs to'),
  reference: z.string().nullable().describe('The session or the withdrawal that it belongs to'),
  amount_usd: z.string().describe('What came, with a minus what went'),
  at: z.iso.datetime().describe('When'),
})

type Line = Awaited<ReturnType<Ports['ledger']['statement']>>['lines'][number]

export const toPublicLine = ({ memo, amount: { value }, time }: Line): z.output<typeof LineOut> => {
  const [name, reference = null] = memo.split(' ')
  const isTask = reference?.startsWith('task_') === true
  return {
    kind: lineKinds.find(kind => kind === name) ?? 'other',
    task_id: isTask ? reference : null,
    reference: isTask ? null : reference,
    amount_usd: value < 0n ? `-${formatUsd(-value)}` : formatUsd(value),
    at: time,
  }
}
