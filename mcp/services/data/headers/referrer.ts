import { headerLines, type Lines } from '../../../lib/csp/finding.ts'
import { type HeaderVerdict, judgeHeader } from './verdict.ts'

const name = 'referrer-policy'

const quiet = new Set(['no-referrer', 'same-origin', 'strict-origin', 'strict-origin-when-cross-origin'])
const telling = new Set(['no-referrer-when-downgrade', 'origin', 'origin-when-cross-origin', 'unsafe-url'])

/** Values of the meta element from before there was a header (HTML standard §4.2.5.1). */
const legacy: Readonly<Record<string, string>> = {
  never: 'no-referrer',
  default: 'strict-origin-when-cross-origin',
  always: 'unsafe-url',
  'origin-when-crossorigin': 'origin-when-cross-origin',
}

/** The last value that browsers know counts (Referrer Policy §8.1). */
const lastKnown = (lines: readonly string[]): string | undefined =>
  lines
    .flatMap(line => line.split(','))
    .map(value => value.trim().toLowerCase())
    .filter(value => quiet.has(value) || telling.has(value))
    .at(-1)

const metaPolicy = (meta: readonly string[]): string | undefined =>
  lastKnown(meta.map(value => legacy[value.trim().toLowerCase()] ?? value))

/** Judges what other sites learn of where a visitor came from; a meta element counts as the header does. */
export const judgeReferrer = (
  headers: Lines,
  meta: readonly string[],
): HeaderVerdict & { policy: string | null } => {
  const lines = headerLines(headers, name)
  const policy = metaPolicy(meta) ?? lastKnown(lines)
  if (policy === undefined)
    return { ...judgeHeader(name, lines.length > 0 ? 'invalid' : 'missing'), policy: null }
  return { ...judgeHeader(name, quiet.has(policy) ? 'private' : 'unsafe', { policy }), policy }
}
