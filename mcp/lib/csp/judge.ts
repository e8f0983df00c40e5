import type { Test } from './finding.ts'
import { type CspPolicy, type Directives, parsePolicies } from './parse.ts'
import { type Problem, problem } from './problem.ts'
import { scoreCsp } from './score.ts'
import { isNonce } from './sources.ts'
import { syntaxProblems } from './syntax.ts'
import { weaknesses } from './weakness.ts'

/** Everything that was sent as a policy: header lines, Report-Only lines, the meta elements, and what a second answer held. */
export type CspInput = {
  lines: readonly string[]
  reportOnly: readonly string[]
  meta: readonly string[]
  again: readonly string[]
}

export type CspReport = {
  directives: Directives
  further: CspPolicy[]
  problems: Problem[]
  test: Test
}

const collectNonces = (policies: readonly CspPolicy[]): string[] =>
  policies.flatMap(({ directives }) => Object.values(directives).flat().filter(isNonce))

/** A nonce that comes twice can be known before it is used. */
const reusedNonce = (enforced: readonly CspPolicy[], again: readonly CspPolicy[]): Problem[] => {
  const before = new Set(collectNonces(enforced))
  if (!collectNonces(again).some(nonce => before.has(nonce))) return []
  return [problem('nonce_reused')]
}

const order = { high: 0, medium: 1, low: 2, info: 3 }

const maxProblems = 100

const distinct = (problems: readonly Problem[]): Problem[] => [
  ...new Map(problems.map(one => [`${one.code} ${one.directive} ${one.message}`, one])).values(),
]

/** Reads and judges all policies of a page. Report-Only ones are shown and protect nothing. */
export const judgeCsp = ({ lines, reportOnly, meta, again }: CspInput): CspReport => {
  const enforced = [...parsePolicies(lines, 'header'), ...parsePolicies(meta, 'meta')]
  const reportOnlyPolicies = parsePolicies(reportOnly, 'header', true)
  const findings = [
    ...weaknesses(enforced),
    ...reusedNonce(enforced, parsePolicies(again, 'header')),
    ...[...enforced, ...reportOnlyPolicies].flatMap(syntaxProblems),
  ]
  if (reportOnlyPolicies.length > 0 && enforced.length === 0) findings.push(problem('report_only'))
  const [first, ...rest] = enforced
  return {
    directives: first?.directives ?? {},
    further: [...rest, ...reportOnlyPolicies],
    problems: distinct(findings)
      .sort((a, b) => order[a.severity] - order[b.severity])
      .slice(0, maxProblems),
    test: scoreCsp(enforced, {
      hasPolicy: lines.length + meta.length > 0,
      hasReportOnly: reportOnlyPolicies.length > 0,
    }),
  }
}
