import { headerLines, type Lines } from '../../../lib/csp/finding.ts'
import type { CspPolicy } from '../../../lib/csp/parse.ts'
import { type HeaderVerdict, judgeHeader } from './verdict.ts'

const name = 'x-frame-options'

const anybody = /^(?:\*|https?:|https?:\/\/\*\/?)$/i

/** The values as browsers read them: all lines together, split at commas (HTML standard §7.8). */
const readValues = (headers: Lines): string[] => [
  ...new Set(
    headerLines(headers, name)
      .flatMap(line => line.split(','))
      .map(value => value.trim().toLowerCase())
      .filter(value => value !== ''),
  ),
]

/** Judges who may frame the page. `frame-ancestors` of a header policy counts before X-Frame-Options. */
export const judgeFraming = (headers: Lines, enforcedPolicies: readonly CspPolicy[]): HeaderVerdict => {
  const lists = enforcedPolicies.flatMap(({ source, directives }) =>
    source === 'header' && directives['frame-ancestors'] ? [directives['frame-ancestors']] : [],
  )
  if (lists.length > 0) {
    const isOpen = lists.every(list => list.some(source => anybody.test(source)))
    return judgeHeader(name, isOpen ? 'open_ancestors' : 'frame_ancestors')
  }
  const values = readValues(headers)
  const [value] = values
  if (value === undefined) return judgeHeader(name, 'missing')
  if (values.length > 1) {
    const isContradiction = values.some(one => one === 'deny' || one === 'sameorigin' || one === 'allowall')
    return judgeHeader(name, isContradiction ? 'contradiction' : 'invalid.several')
  }
  if (value === 'deny' || value === 'sameorigin') return judgeHeader(name, 'on')
  return judgeHeader(name, value.startsWith('allow-from') ? 'allow_from' : 'invalid')
}
