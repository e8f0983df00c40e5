import type { Reading, RobotsDirective } from './directive.ts'
import type { Fault } from './groups.ts'
import { fromBinaryString } from './line.ts'

/** Fields that some crawlers know and the RFC does not. */
const knownFields = new Set([
  'crawl-delay',
  'clean-param',
  'host',
  'noindex',
  'nofollow',
  'noarchive',
  'request-rate',
  'visit-time',
  'content-signal',
  'content-usage',
])

const toPrintable = (bytes: string): string => fromBinaryString(bytes).slice(0, 60)

const faultOfAgent = (value: string): [code: string, message: string] | undefined => {
  if (value === '') return ['user_agent_empty', 'The user-agent line names nobody.']
  if (/^\*(?:$|\s)/.test(value) || /^[\w.-]+$/.test(value)) return undefined
  const token = /^[\w.-]*/.exec(value)?.[0] ?? ''
  return ['user_agent_cut', `A name is letters, digits, "-", "_" and "."; only "${token}" counts here.`]
}

const findFault = (directive: RobotsDirective): [code: string, message: string] | undefined => {
  const { field, name, value, typo, noColon } = directive
  if (typo)
    return [
      'misspelt',
      `"${toPrintable(name)}" is read as ${field} by some crawlers and by others not at all.`,
    ]
  if (noColon) return ['colon_missing', 'The colon is missing; not every crawler reads the line.']
  if (field === 'user-agent') return faultOfAgent(value)
  if (field === 'sitemap' && !/^https?:\/\//i.test(value))
    return ['sitemap_not_absolute', 'The address of a sitemap must begin with https:// or http://.']
  if ((field === 'allow' || field === 'disallow') && value !== '' && !/^[/*$]/.test(value))
    return ['path_without_slash', 'A path begins with "/" or "*"; this rule matches nothing.']
  if (field !== 'other') return undefined
  if (name.toLowerCase() === 'crawl-delay' && !/^\d{1,6}(?:\.\d{1,6})?$/.test(value))
    return ['delay_not_a_number', 'A crawl-delay is a number of seconds.']
  return knownFields.has(name.toLowerCase())
    ? undefined
    : ['field_unknown', `"${toPrintable(name)}" is no field that crawlers read.`]
}

/** Lists faults in the lines of a robots.txt, one for each line. */
export const faultsIn = (lines: readonly Reading[]): Fault[] =>
  lines.flatMap(({ line: { number, bytes, tooLong }, directive }) => {
    const fault = (code: string, message: string) => [{ line: number, code, message }]
    if (tooLong) return fault('line_too_long', 'Only the first 16,663 bytes of the line are read.')
    if (directive === undefined) return fault('no_field', `"${toPrintable(bytes)}" is no "field: value".`)
    const lineFault = directive && findFault(directive)
    return lineFault ? fault(...lineFault) : []
  })
