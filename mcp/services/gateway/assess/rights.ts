import type { Check } from '../check/check.ts'
import type { GatewaySettings } from '../config.ts'
import { found, said } from './found.ts'
import { type Findings, manifestFacts } from './gather.ts'
import { evidenceOf } from './look.ts'
import { costOf, dollars } from './payment.ts'
import { microOf, type Wanted } from './wanted.ts'

type Policy = GatewaySettings['policy']

/** Licences that forbid commercial use, whatever anybody accepts. */
const forbidding =
  /(?:^|[-\s])nc(?:[-\s/]|$)|non-?commercial|no-?commercial|all rights reserved|proprietary-no-use/i

const termsOf = ({ card, manifest, quote, candidate }: Findings): string[] => {
  const facts = typeof card?.facts === 'object' ? card.facts : undefined
  const named = [
    facts?.license,
    facts?.termsUrl,
    quote?.termsUrl,
    manifestFacts(manifest).termsUrl,
    candidate.terms_url,
  ]
  return [...new Set(named.flatMap(term => (term ? [term] : [])))]
}

const rights = (findings: Findings, wanted: Wanted, policy: Policy): Check => {
  const terms = termsOf(findings)
  const evidence = [findings.card?.look, findings.manifest].flatMap(look => (look ? [evidenceOf(look)] : []))
  if (terms.length === 0)
    return found('commercial_rights', 'unknown', 'It names no licence and no terms.', evidence)
  const forbidden = terms.find(term => forbidding.test(term))
  if (forbidden)
    return found('commercial_rights', 'fail', `Its terms forbid commercial use: ${forbidden}.`, evidence)
  const accepted = [...(wanted.accepted_licenses ?? []), ...(policy.accepted_licenses ?? [])].map(one =>
    one.toLowerCase(),
  )
  const open = terms.filter(term => !accepted.includes(term.toLowerCase()))
  return open.length > 0
    ? found('commercial_rights', 'unknown', `Nobody accepted these terms yet: ${open.join(', ')}.`, evidence)
    : found('commercial_rights', 'pass', `Accepted terms: ${terms.join(', ')}.`, [
        ...evidence,
        ...said(findings.now),
      ])
}

const authority = (findings: Findings, wanted: Wanted, policy: Policy): Check => {
  const budget = wanted.authority?.budget ?? policy.budget_usd
  const evidence = said(findings.now)
  if (budget === undefined)
    return found('economic_authority', 'unknown', 'Nobody said who allows the spending.')
  const cost = costOf(findings)
  if (cost === undefined)
    return found(
      'economic_authority',
      'unknown',
      'Without a price no budget can be held against it.',
      evidence,
    )
  return cost <= microOf(budget)
    ? found('economic_authority', 'pass', `Within the budget of ${budget} USD.`, evidence)
    : found('economic_authority', 'fail', `${dollars(cost)} USD is over the budget of ${budget}.`, evidence)
}

/** Days that a domain must have been registered where the operator does not say. */
const defaultAge = 30

const age = (
  { domainCreated, origin, now }: Findings,
  { min_domain_age_days: least = defaultAge }: Policy,
): Check => {
  if (least === 0) return found('domain_age', 'not_applicable', 'The operator does not ask for an age.')
  if (domainCreated === null)
    return found(
      'domain_age',
      'unknown',
      `No registry tells how old the domain of ${new URL(origin).hostname} is.`,
    )
  const days = Math.floor((now.getTime() - Date.parse(domainCreated)) / 86_400_000)
  const evidence = said(now)
  return days >= least
    ? found('domain_age', 'pass', `Registered ${days} days ago.`, evidence)
    : found('domain_age', 'fail', `Registered ${days} days ago, less than ${least}.`, evidence)
}

/** Whether the result may be used, whether somebody allows the spending, and how old the domain is. */
export const rightsChecks = (findings: Findings, wanted: Wanted, policy: Policy): Check[] => [
  rights(findings, wanted, policy),
  authority(findings, wanted, policy),
  age(findings, policy),
]
