import type { Artifact } from './artifact.ts'
import type { Finding } from './finding.ts'
import { rules } from './rules/all.ts'
import { movesMoney } from './rules/trade.ts'
import { readWording } from './rules/wording.ts'
import { gateVerdict, type ReversibilityGate, rank, toVerdict, type Verdict } from './verdict.ts'

export type Judgement = {
  verdict: Verdict
  confidence: number
  findings: Finding[]
  checksRun: string[]
  gate: ReversibilityGate
}

/** Rules that look for words in sentences: what they find is no more than a remark where the whole reads as harmless. */
const wordCategories: ReadonlySet<string> = new Set(['claims', 'people', 'plan', 'sanctions', 'trade'])

/** What no wording around it makes better. */
const firmCategories: ReadonlySet<string> = new Set(['injection', 'secrets'])

/** What is computed from the numbers of a trade and of the book that it is held against. */
const firmRules: ReadonlySet<string> = new Set(['trade-size', 'trade-mandate', 'trade-state'])

/** A score below which the whole reads as harmless: of sentences, where rules see little, and of what is read by its structure. */
const harmlessSentences = -0.2
const harmlessElse = -1

/** A score of a piece above which the whole does not, whatever is around it. */
const harmlessPiece = 1.5

const readsHarmless = (artifact: Artifact): boolean => {
  const wording = readWording(artifact)
  if (!wording || wording.worst > harmlessPiece) return false
  return wording.score < (wording.kind === 'sentences' ? harmlessSentences : harmlessElse)
}

const isWeak = ({ rule, category, severity }: Finding): boolean => {
  if (firmRules.has(rule)) return false
  if (severity === 'medium') return !firmCategories.has(category)
  return severity === 'high' && wordCategories.has(category)
}

const weaken = (findings: readonly Finding[], artifact: Artifact): Finding[] => {
  if (!readsHarmless(artifact)) return [...findings]
  return findings.map(finding => (isWeak(finding) ? { ...finding, severity: 'low' } : finding))
}

/** What the rules find, worst first; each thing once. */
export const findIssues = (artifact: Artifact): Finding[] => {
  const listedIssues = new Set<string>()
  const findings = rules.flatMap(rule =>
    rule.check(artifact).flatMap(({ detail, severity = rule.severity, place = {} }): Finding[] => {
      const key = `${rule.id} ${detail}`
      if (listedIssues.has(key)) return []
      listedIssues.add(key)
      return [{ rule: rule.id, severity, category: rule.category, detail, fix: rule.fix, place }]
    }),
  )
  return weaken(findings, artifact).sort((a, b) => rank(a.severity) - rank(b.severity))
}

const readConfidence = (verdict: Verdict, artifact: Artifact): number => {
  const { views, problems, type, record, text } = artifact
  if (verdict === 'reject') return 0.95
  // Words without one field that a trade has are hardly understood, unless they read as those of harmless ones do.
  if (
    type === 'trade' &&
    !readsHarmless(artifact) &&
    !['side', 'symbol', 'size', 'qty', 'quantity', 'notional', 'amount', 'price'].some(
      key => key in record,
    ) &&
    !/\b(?:buy|sell|long|short|accumulate|purchase|close\s+out)\b/i.test(text.replaceAll('_', ' ')) &&
    !movesMoney.test(text)
  )
    return 0.4
  if (problems.length > 0) return 0.6
  const onlyProse = views.length === 1 && views[0] === 'prose'
  if (onlyProse) return 0.6
  return verdict === 'approve' ? 0.8 : 0.85
}

/** The verdict of the rules alone. */
export const judge = (artifact: Artifact): Judgement => {
  const findings = findIssues(artifact)
  if (artifact.problems.length > 0 && artifact.type === 'shell_command')
    findings.push({
      rule: 'unreadable',
      severity: 'medium',
      category: 'shell',
      detail: `A part cannot be read: ${artifact.problems[0]}`,
      fix: 'Write the command so that a shell takes it.',
      place: {},
    })
  const first = toVerdict(findings)
  const confidence = readConfidence(first, artifact)
  const { verdict, gate } = gateVerdict(artifact.type, first, confidence)
  return { verdict, confidence, findings, checksRun: rules.map(({ id }) => id), gate }
}
