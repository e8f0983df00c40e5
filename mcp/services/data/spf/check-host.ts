import { parseClientIp } from '../../../lib/mail-auth/spf/ip.ts'
import type { MacroString } from '../../../lib/mail-auth/spf/macro-string.ts'
import { readMacroString } from '../../../lib/mail-auth/spf/macro-string.ts'
import { parseSpf } from '../../../lib/mail-auth/spf/parse.ts'
import type { Directive } from '../../../lib/mail-auth/spf/policy.ts'
import type { Dns } from '../../../ports/dns/port.ts'
import { expand, expandName } from './expand.ts'
import { findSpf } from './find.ts'
import { matchesMechanism } from './match.ts'
import { countLookup, isName, queryData, type SpfRun, SpfStop, withoutDot } from './run.ts'

/** The owner's text for a `fail` (RFC 7208 section 6.2): one ASCII TXT record, expanded; null whenever anything is amiss. */
const explain = async (run: SpfRun, domain: string, exp: MacroString): Promise<string | null> => {
  const texts = await queryData(run, await expandName(run, domain, exp), 'TXT')
  if (typeof texts === 'string' || texts.length !== 1) return null
  const pieces = readMacroString(String(texts[0]), { explains: true })
  return 'why' in pieces ? null : expand(run, domain, pieces)
}

export type SpfResult = 'none' | 'neutral' | 'pass' | 'fail' | 'softfail' | 'temperror' | 'permerror'

/** Checked party: a client `ip` that sends for `domain`. `sender` defaults to its postmaster, `helo` to the domain. */
export type SpfQuestion = {
  ip: string
  domain: string
  sender?: string
  helo?: string
  /** Name of the receiving host, for the macro r. Default `unknown`. */
  receiver?: string
  now?: Date
  signal?: AbortSignal
}

export type SpfOutcome = {
  result: SpfResult
  /** The owner's explanation of a `fail`, as published; unsafe to show as it is. */
  explanation: string | null
  /** The term that decided, as it stands in the record of `domain`; null when none matched. */
  mechanism: string | null
  domain: string
  lookups: number
  void_lookups: number
  /** The fault, for temperror and permerror. */
  problem: string | null
}

type Decision = { result: SpfResult; domain: string; term: string | null; exp: MacroString | null }

const results = { '+': 'pass', '-': 'fail', '~': 'softfail', '?': 'neutral' } as const

const isDomain = (domain: string): boolean => domain.includes('.') && isName(domain)

const includes = async (run: SpfRun, domain: string, spec: MacroString): Promise<boolean> => {
  countLookup(run)
  const name = await expandName(run, domain, spec)
  const { result } = await decide(run, name)
  if (result === 'none') throw new SpfStop('permerror', `${name} is included and has no SPF record.`)
  return result === 'pass'
}

const applies = (run: SpfRun, domain: string, { mechanism }: Directive): Promise<boolean> =>
  mechanism.name === 'include'
    ? includes(run, domain, mechanism.domain)
    : matchesMechanism(run, domain, mechanism)

/** The result of one domain's record. Throws `SpfStop` for both kinds of errors. */
const decide = async (run: SpfRun, domain: string): Promise<Decision> => {
  const none: Decision = { result: 'none', domain, term: null, exp: null }
  if (!isDomain(domain)) return none
  const { records, failed } = await findSpf(run.dns, domain, run.signal)
  if (failed) throw new SpfStop('temperror', `The TXT records of ${domain} are unknown: ${failed}.`)
  const [record] = records
  if (record === undefined) return none
  if (records.length > 1) throw new SpfStop('permerror', `${domain} has ${records.length} SPF records.`)
  const { directives, redirect, exp, problems } = parseSpf(record)
  if (problems[0]) throw new SpfStop('permerror', `In the record of ${domain}, ${problems[0].message}`)

  for (const directive of directives) {
    if (!(await applies(run, domain, directive))) continue
    return { result: results[directive.qualifier], domain, term: directive.text, exp }
  }
  if (!redirect) return { ...none, result: 'neutral' }
  countLookup(run)
  const target = await expandName(run, domain, redirect)
  const redirectDecision = await decide(run, target)
  if (redirectDecision.result === 'none')
    throw new SpfStop('permerror', `${domain} redirects to ${target}, which has no SPF record.`)
  return redirectDecision
}

const toSender = (sender: string | undefined, domain: string): string => {
  if (!sender) return `postmaster@${domain}`
  const at = sender.lastIndexOf('@')
  return at > 0 ? sender : `postmaster@${sender.slice(at + 1)}`
}

/**
 * Evaluates check_host() of RFC 7208 for a client. Never throws for what the DNS or the record holds: that is `temperror` or
 * `permerror`. Throws `RangeError` for an `ip` that is none, and when `signal` ends it.
 */
export const checkHost = async (dns: Dns, question: SpfQuestion): Promise<SpfOutcome> => {
  const { signal = new AbortController().signal, receiver = 'unknown', now = new Date() } = question
  const ip = parseClientIp(question.ip)
  if (!ip) throw new RangeError('The IP address cannot be read.')
  const domain = withoutDot(question.domain)
  const sender = toSender(question.sender, domain)
  const helo = question.helo ?? domain
  const run: SpfRun = { dns, signal, ip, sender, helo, receiver, now, lookups: 0, voids: 0 }

  const toOutcome = (outcome: Omit<SpfOutcome, 'lookups' | 'void_lookups'>): SpfOutcome => ({
    ...outcome,
    lookups: run.lookups,
    void_lookups: run.voids,
  })
  try {
    const { result, domain: decidedBy, term, exp } = await decide(run, domain)
    const explanation = result === 'fail' && exp ? await explain(run, decidedBy, exp) : null
    return toOutcome({ result, explanation, mechanism: term, domain: decidedBy, problem: null })
  } catch (error) {
    if (!(error instanceof SpfStop)) throw error
    const { result, message } = error
    return toOutcome({ result, explanation: null, mechanism: null, domain, problem: message })
  }
}
