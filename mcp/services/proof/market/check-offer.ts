import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import type { Workers } from '../../../ports/workers/port.ts'
import { severities } from '../review/finding.ts'
import { reviewText } from '../review/review-text.ts'
import { policyVersion } from '../review/verdict.ts'
import type { Offer } from './offer.ts'

export const OfferReview = z
  .object({
    verdict: z.enum(['approve', 'approve_with_concerns', 'reject']).describe('The worst that was found'),
    confidence: z.number().describe('How much of it could be judged, 0 to 1'),
    issues: z
      .array(
        z.object({
          severity: z.enum(severities).describe('How bad it is'),
          rule: z.string().describe('The rule that found it'),
          detail: z.string().describe('What it is'),
        }),
      )
      .describe('What was found, worst first'),
    policy_version: z.string().describe('Version of the review'),
  })
  .describe('The review of the text of the offer')

/** Reviews what an offer says as `review` does, without a model. Throws `conflict` where it is rejected. */
export const requireSound = async (workers: Workers, offer: Offer): Promise<z.output<typeof OfferReview>> => {
  const texts = [offer.title, offer.description, offer.preview_text ?? '']
  const text = texts.join('\n\n').trim()
  const { verdict, confidence, findings } = await reviewText({ workers }, { type: 'general', text })
  const issues = findings.slice(0, 20).map(({ severity, rule, detail }) => ({ severity, rule, detail }))
  if (verdict !== 'reject') return { verdict, confidence, issues, policy_version: policyVersion }
  throw new ToolError('conflict', 'The review rejects what this offer says. Nothing was charged.', {
    reason: 'rejected_by_review',
    params: { verdict, confidence, issues, policy_version: policyVersion },
    hint: 'To buy it all the same, send verify_before_buy as false.',
  })
}
