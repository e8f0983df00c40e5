import { z } from 'zod'
import { toUsd } from './fees.ts'

export const Charges = z
  .array(
    z.object({
      what: z.string().describe('What it is for'),
      credits: z.number().int().describe('Credits'),
      usd: z.string().describe('The same in USD'),
    }),
  )
  .describe('What the call costs, or would cost in a dry run')

export const dryRunField = z
  .boolean()
  .default(false)
  .describe('Do all but write and charge; answers what would be')

export const dryRan = z.boolean().describe('True when nothing was written or charged')

/** Charges as answers list them; those of nothing are left out. */
export const toCharges = (fees: Readonly<Record<string, number>>): z.output<typeof Charges> =>
  Object.entries(fees)
    .filter(([, credits]) => credits > 0)
    .map(([what, credits]) => ({ what, credits, usd: toUsd(credits) }))
