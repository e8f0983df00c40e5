import {
  type CspFinding,
  headerLines,
  type Lines,
  type Test,
  test,
  unknown,
} from '../../../lib/csp/finding.ts'

/** A site that cannot be: who lets it read, lets everybody read. */
export const strangeOrigin = 'https://cors-probe.invalid'

const name = 'cors'

type Judgement = { test: Test; findings: CspFinding[] }

const fix = 'Access-Control-Allow-Origin: https://the-one-site-that-needs-it.example'

/** Judges what an answer to a request from a strange origin lets it read. Undefined headers: the probe failed. */
export const judgeCors = (headers: Lines | undefined): Judgement => {
  if (!headers) return { test: unknown(name, 'The probe was not answered.'), findings: [] }
  const origin = headerLines(headers, 'access-control-allow-origin')[0]?.trim()
  const credentials =
    headerLines(headers, 'access-control-allow-credentials')[0]?.trim().toLowerCase() === 'true'
  if (origin === undefined)
    return { test: test(name, 'none', 0, 'Other sites cannot read the answer.'), findings: [] }
  if (origin === strangeOrigin && credentials) {
    const message = 'Any site can read the answer as the visitor who is logged in.'
    return {
      test: test(name, 'any_with_credentials', -50, message),
      findings: [{ code: 'cors', severity: 'high', message, fix }],
    }
  }
  if (origin === '*' || origin === strangeOrigin) {
    const message = 'Any site can read the answer, without the visitor’s login.'
    return {
      test: test(name, 'any', 0, message),
      findings: [{ code: 'cors', severity: 'info', message, fix }],
    }
  }
  if (origin === 'null') {
    const message = 'Sandboxed frames of any site have the origin null and can read the answer.'
    const severity = credentials ? 'high' : 'medium'
    return { test: test(name, 'null', 0, message), findings: [{ code: 'cors', severity, message, fix }] }
  }
  return { test: test(name, 'restricted', 0, 'Only named sites can read the answer.'), findings: [] }
}
