import { z } from 'zod'

export const decimal = z.string().regex(/^\d{1,9}(?:\.\d{1,6})?$/, 'must be a decimal amount such as 0.05')

/** Terms of a request besides the need; nothing of it is required, and what is not said is not assumed. */
export const extras = {
  max_cost: decimal.optional().describe('Most that may be spent on it, decimal'),
  currency: z.enum(['USD', 'USDC']).optional().describe('Currency of max_cost; USD by default'),
  authority: z
    .object({
      budget: decimal.describe('What may be spent without asking anybody, decimal USD'),
      reference: z.string().max(200).optional().describe('Who allowed it, or under what'),
    })
    .optional()
    .describe('Who allows the spending; unknown where it is left out'),
  accepted_licenses: z
    .array(z.string().min(1).max(200))
    .max(50)
    .optional()
    .describe(
      'Licences or addresses of terms whose results may be used; NOASSERTION grants it where none are named',
    ),
}

const Extras = z.object(extras)

export type ExtraInput = z.output<typeof Extras>

/** Millionths of a decimal amount. */
export const toMicro = (amount: string): bigint => {
  const [whole = '0', fraction = ''] = amount.split('.')
  return BigInt(whole) * 1_000_000n + BigInt(fraction.slice(0, 6).padEnd(6, '0'))
}

/** Millionths of a USD as a decimal amount. */
export const dollars = (micro: bigint): string => {
  const fraction = (micro % 1_000_000n).toString().padStart(6, '0').replace(/0+$/, '')
  return `${micro / 1_000_000n}${fraction === '' ? '' : `.${fraction}`}`
}
