import type { Audit } from './audit.ts'
import { grades, type Rule, type RuleFinding, type RuleSeverity } from './rule.ts'
import { contentRules } from './rules/content.ts'
import { crawlingRules } from './rules/crawling.ts'
import { headRules } from './rules/head.ts'
import { linkingRules } from './rules/linking.ts'
import { sharingRules } from './rules/sharing.ts'

export const seoRules: readonly Rule[] = [
  ...crawlingRules,
  ...headRules,
  ...contentRules,
  ...sharingRules,
  ...linkingRules,
]

export type ScoreCard = {
  score: number
  grade: 'A' | 'B' | 'C' | 'D' | 'F'
  issues: ({ id: string } & Omit<RuleFinding, 'lost'>)[]
  passed: string[]
  counts: Record<RuleSeverity, number>
}

/** A page that search engines do not take cannot have a good score, whatever else is right with it. */
const maxWhenCritical = 40

const toGrade = (score: number): ScoreCard['grade'] => {
  if (score >= 90) return 'A'
  if (score >= 80) return 'B'
  if (score >= 70) return 'C'
  return score >= 60 ? 'D' : 'F'
}

/** Runs all rules: 100 less what failed ones weigh, and their findings, the worst first. */
export const gradeAudit = (audit: Audit): ScoreCard => {
  const results = seoRules.map(rule => ({ ...rule, outcome: rule.check(audit) }))
  const findings = results.flatMap(({ id, weight, outcome }) =>
    outcome === null || outcome === 'passed' ? [] : [{ id, weight, ...outcome }],
  )
  const penalty = findings.reduce((sum, { weight, lost: penalty = 1 }) => sum + weight * penalty, 0)
  const isCritical = findings.some(({ severity }) => severity === 'critical')
  const score = Math.min(isCritical ? maxWhenCritical : 100, Math.max(0, Math.round(100 - penalty)))
  const sorted = findings.sort((a, b) => grades.indexOf(a.severity) - grades.indexOf(b.severity))
  const count = (level: RuleSeverity) => findings.filter(({ severity }) => severity === level).length
  return {
    score,
    grade: toGrade(score),
    issues: sorted.map(({ id, severity, message, fix }) => ({ id, severity, message, fix })),
    passed: results.flatMap(({ id, outcome }) => (outcome === 'passed' ? [id] : [])),
    counts: { critical: count('critical'), high: count('high'), medium: count('medium'), low: count('low') },
  }
}
