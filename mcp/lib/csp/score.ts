import { type Test, test } from './finding.ts'
import type { CspPolicy, Directives } from './parse.ts'
import {
  allLet,
  allowsEval,
  allowsInlineScript,
  allowsInlineStyle,
  broadSources,
  effective,
  has,
  insecureSources,
  isHash,
  isNonce,
} from './sources.ts'

const name = 'content-security-policy'

const active = [
  'script-src',
  'script-src-elem',
  'style-src',
  'object-src',
  'frame-src',
  'worker-src',
  'connect-src',
  'font-src',
  'form-action',
]
const passive = ['img-src', 'media-src']

const scripts = ['script-src-elem', 'script-src-attr']

const letsScripts = (directives: Directives) =>
  scripts.some(directive => {
    const list = effective(directives, directive)
    return list === null || allowsInlineScript(list) || broadSources(list).length > 0
  })

const letsObjects = (directives: Directives) => {
  const list = effective(directives, 'object-src')
  return list === null || broadSources(list).length > 0
}

const letsStyles = (directives: Directives) =>
  ['style-src-elem', 'style-src-attr'].some(directive => {
    const list = effective(directives, directive)
    return list === null || allowsInlineStyle(list) || broadSources(list).length > 0
  })

const letsEval = (directives: Directives) => allowsEval(effective(directives, 'script-src'))

/** Unencrypted sources that some policy names and no other forbids. */
const letsInsecure = (policies: readonly CspPolicy[], names: readonly string[]) =>
  names.some(directive => {
    const lists = policies.map(({ directives }) => effective(directives, directive))
    const hasInsecure = lists.some(list => list !== null && insecureSources(list).length > 0)
    return hasInsecure && lists.every(list => list === null || insecureSources(list).length > 0)
  })

const isNone = ({ directives }: CspPolicy) => {
  const list = directives['default-src']
  return list?.length === 0 || (list?.length === 1 && has(list, "'none'"))
}

/** Repeated report directives do no harm. */
const reports = new Set(['report-uri', 'report-to'])

/** True when the observatory sees no policy at all: repeated directives, and 'strict-dynamic' that trusts nothing. */
const isVoid = ({ directives, repeated }: CspPolicy) => {
  const list = effective(directives, 'script-src') ?? []
  const trusts = list.some(source => isNonce(source) || isHash(source))
  return repeated.some(name => !reports.has(name)) || (has(list, "'strict-dynamic'") && !trusts)
}

/** The score of the policies that a page obeys together. `written` tells whether any was sent at all, `watched` Report-Only. */
export const scoreCsp = (
  enforced: readonly CspPolicy[],
  { hasPolicy, hasReportOnly }: { hasPolicy: boolean; hasReportOnly: boolean },
): Test => {
  if (enforced.length === 0) {
    if (hasPolicy) return test(name, 'invalid', -25, 'The policy holds no directive that browsers know.')
    if (hasReportOnly) return test(name, 'report_only', -25, 'The policy is only reported on, not enforced.')
    return test(name, 'missing', -25, 'There is no policy.')
  }
  if (enforced.some(isVoid))
    return test(
      name,
      'invalid',
      -25,
      'A directive is repeated, or strict-dynamic stands without a nonce or hash.',
    )
  if (allLet(enforced, letsScripts) || allLet(enforced, letsObjects))
    return test(name, 'unsafe_sources', -20, 'The policy lets inline code, or code from anywhere, run.')
  if (letsInsecure(enforced, active))
    return test(name, 'insecure_active', -20, 'The policy lets code or frames come over http.')
  if (allLet(enforced, letsEval))
    return test(name, 'unsafe_eval', -10, 'The policy lets text be run as code.')
  if (letsInsecure(enforced, passive))
    return test(name, 'insecure_passive', -10, 'The policy lets images or media come over http.')
  if (allLet(enforced, letsStyles))
    return test(name, 'unsafe_inline_style', 0, 'The policy is safe but for its styles.')
  if (enforced.some(isNone)) return test(name, 'default_none', 10, 'The policy allows only what it names.')
  return test(name, 'safe', 5, 'The policy lets nothing unsafe run.')
}
