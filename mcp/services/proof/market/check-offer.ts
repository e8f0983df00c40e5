import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import type { Workers } from '../../../ports/index.ts'
import { severities } from '../review/finding.ts'
import { runRules } from '../review/run-rules.ts'
import { policyVersion } from '../review/verdict.ts'
import type { Offer } from './offer.ts'

export const OfferReview = z
  .object({
    verdict: z.enum(['approve', 'approve_with_concerns', 'reject']).describe('What the rules say'),
    confidence: z.number().describe('How sure they are, 0 to 1'),
    issues: z
      .array(
        z.object({
          severity: z.enum(severities).describe('How bad it is'),
          rule: z.string().describe('The rule that found it'),
          detail: z.string().describe('What it is'),
        }),
      )
      .describe('What they found, worst first'),
    policy_version: z.string().describe('Version of the rules'),
  })
  .describe('The review of the text of the offer')

/** Reviews what an offer says by the rules of `review`. Throws `conflict` where they reject it. */
export const requireSound = async (workers: Workers, offer: Offer): Promise<z.output<typeof OfferReview>> => {
  const texts = [offer.title, offer.description, offer.preview_text ?? '']
  const text = texts.join('\n\n').trim()
  const { verdict, confidence, findings } = await runRules(workers, { type: 'general', text })
  const issues = findings.slice(0, 20).map(({ severity, rule, detail }) => ({ severity, rule, detail }))
  if (verdict !== 'reject') return { verdict, confidence, issues, policy_version: policyVersion }
  throw new ToolError('conflict', 'The review rejects what this offer says. Nothing was charged.', {
    reason: 'rejected_by_review',
    params: { verdict, confidence, issues, policy_version: policyVersion },
    hint: 'To buy it all the same, send verify_before_buy as false.',
  })
}
