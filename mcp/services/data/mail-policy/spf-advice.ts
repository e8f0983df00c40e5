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
  return advise(
    'high',
    'one_spf_record',
    'Put the SPF records together into one; receivers use none of several.',
    value === null ? null : { name: domain, value },
  )
}

const first = (parts: Parts): Advice => {
  const { domain, mx } = parts
  const noMail = usesMail(parts) !== true
  const include = providerSpf(mx?.all ?? [])
  const value = noMail ? 'v=spf1 -all' : include ? `v=spf1 include:${include} ~all` : 'v=spf1 mx ~all'
  const text = noMail
    ? 'Publish an SPF record that says that nobody sends for the domain. If somebody does, name them before "-all".'
    : 'Publish an SPF record that names all who send for the domain; add those that are missing in this one.'
  return advise(noMail ? 'medium' : 'high', 'publish_spf', text, { name: domain, value })
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
  spf.errors.map(({ code, message }) => {
    if (code !== 'too_many_lookups')
      return advise('high', 'repair_spf', `Repair the SPF record of ${domain}: ${message}`)
    const dear = heaviest(spf)
    const where = dear === '' ? '' : ` Most are in ${dear}.`
    return advise(
      'high',
      'fewer_lookups',
      `${message} Remove includes that are not used, or write their networks as ip4 and ip6.${where}`,
    )
  })

const improvements = (domain: string, spf: Spf): Advice[] => {
  const { policy, warnings, authorizes_anyone: authorizesAnyone } = spf
  if (!policy || policy.problems.length > 0) return []
  const has = (...codes: string[]) => warnings.some(({ code }) => codes.includes(code))
  const own = { name: domain, value: mergePolicies([policy], ending(spf)) }
  const isOwn = policy.redirect === null && own.value !== spf.record
  if (authorizesAnyone)
    return [
      advise('high', 'close_spf', 'Let only your own hosts pass: now everybody does.', isOwn ? own : null),
    ]
  return [
    ...(has('no_all', 'neutral_all')
      ? [
          advise(
            'medium',
            'end_spf',
            'End the record with "~all" or "-all", so that strangers fail.',
            isOwn ? own : null,
          ),
        ]
      : []),
    ...(policy.directives.some(({ mechanism }) => mechanism.name === 'ptr')
      ? [advise('low', 'remove_ptr', 'Remove "ptr", which many receivers ignore.', isOwn ? own : null)]
      : []),
    ...(has('mistaken_modifier')
      ? [advise('medium', 'repair_spf', 'Write ":" instead of "=" in the terms that do nothing.')]
      : []),
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
