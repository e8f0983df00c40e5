import { clean } from '../text/clean.ts'
import { vocabulary } from './vocabulary.ts'

/** Directives by lower-case name; the first of a name counts (CSP3 §2.2.1). */
export type Directives = Readonly<Record<string, readonly string[]>>

export type CspPolicy = {
  source: 'header' | 'meta'
  reportOnly: boolean
  directives: Directives
  /** Directives that came again and are ignored. */
  repeated: readonly string[]
}

const maxima = { policies: 20, directives: 100, sources: 500, source: 500, text: 32_768 }

const parseOne = (text: string, source: CspPolicy['source'], reportOnly: boolean): CspPolicy | undefined => {
  const directives: Record<string, string[]> = Object.create(null)
  const repeated: string[] = []
  for (const part of (clean(text, maxima.text) ?? '').split(';').slice(0, maxima.directives)) {
    const [keyword, ...values] = part.trim().split(/\s+/)
    const name = keyword?.toLowerCase()
    if (!name) continue
    if (name in directives) repeated.push(name)
    else directives[name] = values.slice(0, maxima.sources).map(value => value.slice(0, maxima.source))
  }
  const { directives: known, dead } = vocabulary()
  if (!Object.keys(directives).some(name => known.has(name) || dead.has(name))) return undefined
  return { source, reportOnly, directives: { ...directives }, repeated }
}

/** The policies of header lines or a meta element. A comma starts a policy of its own; all of them apply. */
export const parsePolicies = (
  lines: readonly string[],
  source: CspPolicy['source'],
  reportOnly = false,
): CspPolicy[] =>
  lines
    .flatMap(line => line.split(','))
    .slice(0, maxima.policies)
    .flatMap(text => parseOne(text, source, reportOnly) ?? [])
