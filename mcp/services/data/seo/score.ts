import type { Audit } from './audit.ts'
import { type Finding, grades, type Rule, type Severity } from './rule.ts'
import { contentRules } from './rules/content.ts'
import { crawlingRules } from './rules/crawling.ts'
import { headRules } from './rules/head.ts'
import { linkingRules } from './rules/linking.ts'
import { sharingRules } from './rules/sharing.ts'

export const rules: readonly Rule[] = [
  ...crawlingRules,
  ...headRules,
  ...contentRules,
  ...sharingRules,
  ...linkingRules,
]

export type Graded = {
  score: number
  grade: 'A' | 'B' | 'C' | 'D' | 'F'
  issues: ({ id: string } & Omit<Finding, 'lost'>)[]
  passed: string[]
  counts: Record<Severity, number>
}

/** A page that search engines do not take cannot have a good score, whatever else is right with it. */
const mostWhenCritical = 40

const gradeOf = (score: number): Graded['grade'] => {
  if (score >= 90) return 'A'
  if (score >= 80) return 'B'
  if (score >= 70) return 'C'
  return score >= 60 ? 'D' : 'F'
}

/** Runs all rules: 100 less what failed ones weigh, and their findings, the worst first. */
export const gradeAudit = (audit: Audit): Graded => {
  const results = rules.map(rule => ({ ...rule, found: rule.check(audit) }))
  const findings = results.flatMap(({ id, weight, found }) =>
    found === null || found === 'passed' ? [] : [{ id, weight, ...found }],
  )
  const lost = findings.reduce((sum, { weight, lost = 1 }) => sum + weight * lost, 0)
  const isCritical = findings.some(({ severity }) => severity === 'critical')
  const score = Math.min(isCritical ? mostWhenCritical : 100, Math.max(0, Math.round(100 - lost)))
  const sorted = findings.sort((a, b) => grades.indexOf(a.severity) - grades.indexOf(b.severity))
  const count = (wanted: Severity) => findings.filter(({ severity }) => severity === wanted).length
  return {
    score,
    grade: gradeOf(score),
    issues: sorted.map(({ id, severity, message, fix }) => ({ id, severity, message, fix })),
    passed: results.flatMap(({ id, found }) => (found === 'passed' ? [id] : [])),
    counts: { critical: count('critical'), high: count('high'), medium: count('medium'), low: count('low') },
  }
}
