import type { ArtifactType } from './artifact-type.ts'
import { type Finding, type Layer, layers, type Severity, severities } from './finding.ts'

export type Verdict = 'approve' | 'approve_with_concerns' | 'reject'

/** Changes whenever a layer may judge otherwise. */
export const policyVersion = 'review-9'

const irreversibleTypes: ReadonlySet<ArtifactType> = new Set([
  'trade',
  'onchain_action',
  'sanctions_screening',
])

/** Below it an irreversible action is not approved. */
const gateThreshold = 0.5

export type ReversibilityGate = {
  triggered: boolean
  original_verdict: Verdict
  confidence: number
  threshold: number
}

/** How bad it is: 0 is worst. */
export const severityRank = (severity: Severity): number => severities.indexOf(severity)

const maxPerRule = 10

/** Each thing once, worst first; of one rule no more than anybody reads. */
export const sortFindings = (findings: readonly Finding[]): Finding[] => {
  const seen = new Set<string>()
  const counts = new Map<string, number>()
  return [...findings]
    .sort((a, b) => severityRank(a.severity) - severityRank(b.severity))
    .filter(({ rule, detail }) => {
      const key = `${rule} ${detail}`
      const count = counts.get(rule) ?? 0
      if (seen.has(key) || count >= maxPerRule) return false
      seen.add(key)
      counts.set(rule, count + 1)
      return true
    })
}

/** A blocker rejects; anything high or medium is a concern. The worst finding decides, whichever layer it is of. */
export const toVerdict = (findings: readonly { severity: Severity }[]): Verdict => {
  const worst = Math.min(...findings.map(({ severity }) => severityRank(severity)), severities.length)
  if (worst === 0) return 'reject'
  return worst <= 2 ? 'approve_with_concerns' : 'approve'
}

/** The layers whose findings decided; of an approval all that were run. */
export const toEngine = (findings: readonly Finding[], run: readonly Layer[]): string => {
  const verdict = toVerdict(findings)
  const deciding = findings.filter(({ severity }) => toVerdict([{ severity }]) === verdict)
  const named =
    verdict === 'approve' ? run : layers.filter(layer => deciding.some(one => one.layer === layer))
  return named.join('+')
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
