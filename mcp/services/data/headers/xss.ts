import { type HeaderReport, headerLines, type Lines } from '../../../lib/csp/finding.ts'

type Report = Omit<HeaderReport, 'present' | 'value'>

/** The filter of old browsers, which made pages less safe: none and `0` are right. */
export const judgeXssProtection = (headers: Lines): Report => {
  const value = headerLines(headers, 'x-xss-protection')[0]?.trim()
  if (value === undefined)
    return {
      verdict: 'good',
      severity: 'info',
      message: 'It is not sent, which is right: browsers dropped it.',
      fix: null,
    }
  if (/^0\s*(?:;|$)/.test(value))
    return {
      verdict: 'good',
      severity: 'info',
      message: 'It switches the filter of old browsers off.',
      fix: null,
    }
  return {
    verdict: 'weak',
    severity: 'low',
    message: 'The filter of old browsers can be turned against the page.',
    fix: 'X-XSS-Protection: 0',
  }
}
