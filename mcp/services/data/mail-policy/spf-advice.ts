import { parseSpf } from '../../../lib/mail-auth/spf/parse.ts'
import type { SpfPolicy } from '../../../lib/mail-auth/spf/policy.ts'
import { type Advice, advise } from './advice.ts'
import { providerSpf } from './mx.ts'
import { toPrintable } from './notes.ts'
import { type Parts, usesMail } from './parts.ts'

type Spf = NonNullable<Parts['spf']>

const isSenseless = ({ directives }: SpfPolicy, index: number): boolean => {
  const { mechanism } = directives[index] ?? {}
  if (mechanism === undefined || mechanism.name === 'all' || mechanism.name === 'ptr') return true
  if (mechanism.name === 'ip4' || mechanism.name === 'ip6') return mechanism.bits < 2
  return (mechanism.name === 'a' || mechanism.name === 'mx') && mechanism.bits4 < 2
}

/** One record with the terms of all, each once, without those that let everybody pass, and with an ending. */
const mergePolicies = (policies: readonly SpfPolicy[], ending: string): string => {
  const terms = policies.flatMap(policy =>
    policy.directives.filter((_, index) => !isSenseless(policy, index)).map(({ text }) => text),
  )
  return toPrintable(['v=spf1', ...new Set(terms), ending].join(' '), 4096)
}

const merge = (domain: string, { records }: Spf): Advice => {
  const policies = records.map(parseSpf)
  const readable = policies.every(({ problems, redirect }) => problems.length === 0 && redirect === null)
  const value = readable ? mergePolicies(policies, '~all') : null
  return advise('one_spf_record', value === null ? null : { name: domain, value })
}

const first = (parts: Parts): Advice => {
  const { domain, mx } = parts
  const noMail = usesMail(parts) !== true
  const include = providerSpf(mx?.all ?? [])
  const value = noMail ? 'v=spf1 -all' : include ? `v=spf1 include:${include} ~all` : 'v=spf1 mx ~all'
  return advise(noMail ? 'publish_spf.no_mail' : 'publish_spf', { name: domain, value })
}

const heaviest = ({ includes }: Spf): string =>
  includes
    .filter(({ level }) => level === 1)
    .sort((a, b) => b.lookups - a.lookups)
    .slice(0, 3)
    .map(({ domain, lookups }) => `${domain} (${lookups + 1})`)
    .join(', ')

const ending = ({ all, policy }: Spf): string => (all === '-all' ? '-all' : policy?.redirect ? '' : '~all')

const faults = (domain: string, spf: Spf): Advice[] =>
  spf.errors.map(({ code, message: problem }) => {
    if (code !== 'too_many_lookups') return advise('repair_spf', null, { domain, problem })
    const dear = heaviest(spf)
    return advise('fewer_lookups', null, { problem, where: dear === '' ? '' : ` Most are in ${dear}.` })
  })

const improvements = (domain: string, spf: Spf): Advice[] => {
  const { policy, warnings, authorizes_anyone: authorizesAnyone } = spf
  if (!policy || policy.problems.length > 0) return []
  const has = (...codes: string[]) => warnings.some(({ code }) => codes.includes(code))
  const own = { name: domain, value: mergePolicies([policy], ending(spf)) }
  const record = policy.redirect === null && own.value !== spf.record ? own : null
  if (authorizesAnyone) return [advise('close_spf', record)]
  return [
    ...(has('no_all', 'neutral_all') ? [advise('end_spf', record)] : []),
    ...(policy.directives.some(({ mechanism }) => mechanism.name === 'ptr')
      ? [advise('remove_ptr', record)]
      : []),
    ...(has('mistaken_modifier') ? [advise('repair_spf.modifier')] : []),
  ]
}

/** Advises on SPF. */
export const spfAdvice = (parts: Parts): Advice[] => {
  const { spf, domain } = parts
  if (!spf) return []
  if (spf.records.length === 0) return [first(parts)]
  if (spf.records.length > 1) return [merge(domain, spf)]
  const seenTerms = new Set<string>()
  return [...faults(domain, spf), ...improvements(domain, spf)].filter(
    ({ text }) => !seenTerms.has(text) && seenTerms.add(text),
  )
}
