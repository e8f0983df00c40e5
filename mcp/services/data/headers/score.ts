import type { Test } from '../../../lib/csp/finding.ts'

const grades = [
  [100, 'A+'],
  [90, 'A'],
  [85, 'A-'],
  [80, 'B+'],
  [70, 'B'],
  [65, 'B-'],
  [60, 'C+'],
  [50, 'C'],
  [45, 'C-'],
  [40, 'D+'],
  [30, 'D'],
  [25, 'D-'],
] as const

export const toGrade = (score: number): string => grades.find(([minScore]) => score >= minScore)?.[1] ?? 'F'

/** The score that the MDN observatory would give: 100 less what tests take; what they add counts from 90 on only. */
export const computeHeaderScore = (tests: readonly Test[]): number => {
  const sum = (some: readonly Test[]) => some.reduce((total, { modifier }) => total + modifier, 0)
  const base = 100 + sum(tests.filter(({ modifier }) => modifier < 0))
  const bonus = base >= 90 ? sum(tests.filter(({ modifier }) => modifier > 0)) : 0
  return Math.max(0, base + bonus)
}
