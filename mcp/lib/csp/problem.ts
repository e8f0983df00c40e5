import type { CspFinding, CspSeverity } from './finding.ts'

/** A fault in a directive of a policy; `directive` is null for the policy as a whole. */
export type Problem = CspFinding & { directive: string | null }

export const problem = (
  severity: CspSeverity,
  code: string,
  directive: string | null,
  message: string,
  fix: string | null = null,
): Problem => ({ code, severity, directive, message, fix })
