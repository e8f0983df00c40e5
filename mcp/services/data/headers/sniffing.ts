import { type HeaderReport, headerLines, type Lines, type Test, test } from '../../../lib/csp/finding.ts'

type Report = Omit<HeaderReport, 'present' | 'value'>

const fix = 'X-Content-Type-Options: nosniff'

/** True when browsers keep to the media type; the first value decides, in any case (Fetch standard §3.6). */
export const judgeSniffing = (headers: Lines): { report: Report; test: Test } => {
  const name = 'x-content-type-options'
  const lines = headerLines(headers, name)
  const first = lines.join(',').split(',')[0]?.trim().toLowerCase()
  if (first === 'nosniff') {
    const message = 'Browsers keep to the media type that is sent.'
    return {
      report: { verdict: 'good', severity: 'info', message, fix: null },
      test: test(name, 'on', 0, message),
    }
  }
  if (lines.length === 0) {
    const message = 'Browsers may guess another media type and run what is no script.'
    return {
      report: { verdict: 'absent', severity: 'medium', message, fix },
      test: test(name, 'missing', -5, message),
    }
  }
  const message = 'The value is not nosniff, so it is ignored.'
  return {
    report: { verdict: 'bad', severity: 'medium', message, fix },
    test: test(name, 'invalid', -5, message),
  }
}
