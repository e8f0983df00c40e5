import type { Submission } from '../submission/submission.ts'

/**
 * What the worker gets of a dispute that the checks of the evidence decide, in per cent: of the pieces that a check said something of,
 * the share without a failed one; half where none did. Only for tasks that were published with it.
 */
export const percentByFindings = ({ findings }: Pick<Submission, 'findings'>): number => {
  const checked = new Set(
    findings.filter(({ result }) => result !== 'unknown').map(({ evidence }) => evidence),
  )
  if (checked.size === 0) return 50
  const failed = new Set(findings.filter(({ result }) => result === 'fail').map(({ evidence }) => evidence))
  return Math.floor(((checked.size - failed.size) * 100) / checked.size)
}
