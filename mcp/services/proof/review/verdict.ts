import type { ArtifactType } from './artifact-type.ts'
import { type Severity, severities } from './finding.ts'

export type Verdict = 'approve' | 'approve_with_concerns' | 'reject'

/** Changes whenever a rule may judge otherwise. */
export const policyVersion = 'review-rules-7'

export const engine = 'deterministic-rules'

const irreversibleTypes: ReadonlySet<ArtifactType> = new Set([
  'trade',
  'onchain_action',
  'sanctions_screening',
])

/** Below it an irreversible action is not approved. */
export const gateThreshold = 0.5

export type ReversibilityGate = {
  triggered: boolean
  original_verdict: Verdict
  confidence: number
  threshold: number
}

/** How bad it is: 0 is worst. */
export const rank = (severity: Severity): number => severities.indexOf(severity)

/** A blocker rejects; anything high or medium is a concern. */
export const toVerdict = (findings: readonly { severity: Severity }[]): Verdict => {
  const worst = Math.min(...findings.map(({ severity }) => rank(severity)), severities.length)
  if (worst === 0) return 'reject'
  return worst <= 2 ? 'approve_with_concerns' : 'approve'
}

/** An irreversible action that is hardly understood is not approved. */
export const gateVerdict = (
  type: ArtifactType,
  verdict: Verdict,
  confidence: number,
): { verdict: Verdict; gate: ReversibilityGate } => {
  const triggered = irreversibleTypes.has(type) && confidence < gateThreshold && verdict !== 'reject'
  return {
    verdict: triggered ? 'reject' : verdict,
    gate: { triggered, original_verdict: verdict, confidence, threshold: gateThreshold },
  }
}
