import * as z from 'zod'
import { factTable } from '../facts.ts'
import { fill } from '../fill.ts'
import type { CspFinding } from './finding.ts'

/** A fault in a directive of a policy; `directive` is null for the policy as a whole. */
export type Problem = CspFinding & { directive: string | null }

const problems = factTable(
  new URL('./data/problems.json', import.meta.url),
  z
    .record(
      z.string(),
      z.strictObject({
        severity: z.enum(['high', 'medium', 'low', 'info']),
        directive: z.string().optional(),
        message: z.string(),
        fix: z.string().optional(),
      }),
    )
    .transform(all => new Map(Object.entries(all))),
)

/** The problem of a code, with its words filled in; those that are not given stay, such as `{random}`. */
export const problem = (
  code: string,
  directive: string | null = null,
  given: Readonly<Record<string, string>> = {},
): Problem => {
  const fact = problems().get(code)
  if (!fact) throw new Error(`no problem has the code ${code}`)
  return {
    code: code === 'misspelt_directive' ? 'unknown_directive' : code,
    severity: fact.severity,
    directive: directive ?? fact.directive ?? null,
    message: fill(fact.message, given),
    fix: fact.fix === undefined ? null : fill(fact.fix, given),
  }
}
