import { z } from 'zod'
import { Terms, UsdAmount } from './terms.ts'

const { shape } = Terms

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
