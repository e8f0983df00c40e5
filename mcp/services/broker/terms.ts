import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { z } from 'zod'

const line = (maxLength: number, what: string) => z.string().trim().min(1).max(maxLength).describe(what)

const usdForm =
  'USD such as 12.5, with at most 6 decimals and no sign or word; 0, or no price at all, leaves it to the negotiation'

const usdError = { error: `must be ${usdForm}` }

/** A USD amount as people write it, exact to a millionth. */
const UsdAmount = z
  .union(
    [z.number(usdError).nonnegative(usdError).max(1_000_000_000, usdError), z.string().max(24, usdError)],
    usdError,
  )
  .transform((value, context) => {
    const text = typeof value === 'number' ? String(value) : value.trim()
    const [, whole = '', fraction = ''] = /^(\d{1,10})(?:\.(\d{1,6}))?$/.exec(text) ?? []
    if (whole !== '') return (BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'))).toString()
    context.addIssue({ code: 'custom', message: `must be ${usdForm}` })
    return z.NEVER
  })

/** The terms of a deal as they are stored, hashed and signed: exact, and canonical once every field is there. */
export const Terms = z.object({
  price_micro: z.string().describe('Price in millionths of the currency, a whole number as text'),
  currency: z.literal('USD').describe('Currency of the price'),
  quantity: z.number().int().min(1).max(1_000_000).describe('How many'),
  deliverables: z.array(line(500, 'One deliverable')).max(20).describe('What is delivered'),
  acceptance_criteria: z.array(line(500, 'One criterion')).max(20).describe('When it counts as delivered'),
  delivery_deadline_days: z
    .number()
    .int()
    .min(0)
    .max(3650)
    .nullable()
    .describe('Days from sealing to delivery'),
  license: line(500, 'Rights that pass').nullable().describe('Rights that pass with it'),
  refund: line(500, 'When money goes back').nullable().describe('When money goes back'),
  notes: line(2000, 'Anything else').nullable().describe('Anything else that is agreed'),
})

export type Terms = z.output<typeof Terms>

/** `sha256:…` over the canonical JSON (RFC 8785) of the terms. */
export const hashTerms = (terms: Terms): string =>
  `sha256:${createHash('sha256')
    .update(canonicalize(terms) ?? '')
    .digest('hex')}`

/** Meaning of a zero price, for answers that have one; null where there is a price. */
export const PriceNote = z
  .string()
  .nullable()
  .describe('What a price of 0 means; null where there is a price')

/** Says that a price of 0 is one that is still open, or, once `isAgreed`, that nothing is to be paid. */
export const notePrice = (micro: string, isAgreed = false): string | null => {
  if (BigInt(micro) !== 0n) return null
  return isAgreed
    ? 'Nothing is to be paid for it.'
    : 'No price is named: both sides agree on one by price_usd in the patch of an offer; sealed as it is, nothing is to be paid.'
}

const { shape } = Terms

/** Terms as callers write them: dollars, and only what there is to say. */
export const GivenTerms = {
  price_usd: UsdAmount.default('0').describe(
    'Price in USD, such as 12.5; left out or 0, the price is left to the negotiation',
  ),
  quantity: shape.quantity.default(1).describe('How many'),
  deliverables: shape.deliverables.default([]).describe('What is delivered'),
  acceptance_criteria: shape.acceptance_criteria.default([]).describe('When it counts as delivered'),
  delivery_deadline_days: shape.delivery_deadline_days
    .default(null)
    .describe('Days from sealing to delivery'),
  license: shape.license.default(null).describe('Rights that pass with it'),
  refund: shape.refund.default(null).describe('When money goes back'),
  notes: shape.notes.default(null).describe('Anything else that is agreed'),
}

const TermsInput = z.object(GivenTerms)

/** The exact terms that were given. */
export const toTerms = ({ price_usd, ...rest }: z.output<typeof TermsInput>): Terms => ({
  price_micro: price_usd,
  currency: 'USD',
  quantity: rest.quantity,
  deliverables: rest.deliverables,
  acceptance_criteria: rest.acceptance_criteria,
  delivery_deadline_days: rest.delivery_deadline_days,
  license: rest.license,
  refund: rest.refund,
  notes: rest.notes,
})

/** A change of terms (RFC 7396): only what differs; null takes a field away. */
export const Patch = z
  .strictObject({
    price_usd: UsdAmount.optional().describe('Price in USD'),
    quantity: shape.quantity.optional(),
    deliverables: shape.deliverables.nullable().optional().describe('What is delivered'),
    acceptance_criteria: shape.acceptance_criteria
      .nullable()
      .optional()
      .describe('When it counts as delivered'),
    delivery_deadline_days: shape.delivery_deadline_days.optional(),
    license: shape.license.optional(),
    refund: shape.refund.optional(),
    notes: shape.notes.optional(),
  })
  .describe('What changes in the standing terms; null takes a field away')

/** The terms after a change. */
export const applyPatch = (terms: Terms, { price_usd, ...patch }: z.output<typeof Patch>): Terms => ({
  ...terms,
  ...(price_usd !== undefined && { price_micro: price_usd }),
  ...(patch.quantity !== undefined && { quantity: patch.quantity }),
  ...(patch.deliverables !== undefined && { deliverables: patch.deliverables ?? [] }),
  ...(patch.acceptance_criteria !== undefined && { acceptance_criteria: patch.acceptance_criteria ?? [] }),
  ...(patch.delivery_deadline_days !== undefined && { delivery_deadline_days: patch.delivery_deadline_days }),
  ...(patch.license !== undefined && { license: patch.license }),
  ...(patch.refund !== undefined && { refund: patch.refund }),
  ...(patch.notes !== undefined && { notes: patch.notes }),
})
