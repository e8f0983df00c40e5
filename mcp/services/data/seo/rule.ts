import type { Audit } from './audit.ts'

export const grades = ['critical', 'high', 'medium', 'low'] as const
export type RuleSeverity = (typeof grades)[number]

/** Finding of a rule: a sentence, what to do about it, and how much of its weight is lost (all unless told). */
export type RuleFinding = { severity: RuleSeverity; message: string; fix: string; lost?: number }

/** One thing that is looked at. The weights of all rules add up to 100. */
export type Rule = {
  id: string
  weight: number
  /** Null where there is nothing to look at, or nobody can tell. */
  check(audit: Audit): RuleFinding | 'passed' | null
}
