import { z } from 'zod'
import { Terms, UsdAmount } from './terms.ts'

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
