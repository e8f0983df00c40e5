import * as z from 'zod'
import { type HeaderReport, type Test, test } from '../../../lib/csp/finding.ts'
import { factTable } from '../../../lib/facts.ts'
import { fill } from '../../../lib/fill.ts'

const verdicts = factTable(
  new URL('./data/verdicts.json', import.meta.url),
  z
    .record(
      z.string(),
      z.strictObject({
        fix: z.string(),
        results: z.record(
          z.string(),
          z.strictObject({
            points: z.int(),
            verdict: z.enum(['good', 'weak', 'bad', 'absent']),
            severity: z.enum(['high', 'medium', 'low', 'info']),
            message: z.string(),
          }),
        ),
      }),
    )
    .transform(all => new Map(Object.entries(all))),
)

/** Verdict on one header: what is told of it, and its part of the score. */
export type HeaderVerdict = { report: Omit<HeaderReport, 'present' | 'value'>; test: Test }

/** The verdict on a header by its result, with its words filled in. What follows a dot tells cases of one result apart. */
export const judgeHeader = (
  header: string,
  name: string,
  given: Readonly<Record<string, string>> = {},
): HeaderVerdict => {
  const known = verdicts().get(header)
  const fact = known?.results[name]
  if (!fact) throw new Error(`${header} has no result ${name}`)
  const { points, verdict, severity } = fact
  const message = fill(fact.message, given)
  const [result = name] = name.split('.')
  return {
    report: { verdict, severity, message, fix: verdict === 'good' ? null : known.fix },
    test: test(header, result, points, message),
  }
}
