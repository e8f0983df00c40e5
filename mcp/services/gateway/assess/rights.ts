import { dayMs } from '../../../lib/time.ts'
import type { Check } from '../check/check.ts'
import type { GatewaySettings } from '../config.ts'
import { dollars, type ExtraInput, toMicro } from './extras.ts'
import { type Findings, manifestFacts } from './gather.ts'
import { toEvidence } from './look.ts'
import { statedEvidence, toCheck } from './make-check.ts'
import { computeMaxCost, isFreeOfCharge } from './payment.ts'

type Policy = GatewaySettings['policy']

/** Licences that forbid commercial use, whatever anybody accepts. */
const forbidding =
  /(?:^|[-\s])nc(?:[-\s/]|$)|non-?commercial|no-?commercial|all rights reserved|proprietary-no-use/i

/** Licences a caller accepts to take rights without terms that grant them; SPDX's word for terms that nobody states. */
const unstatedLicences = new Set(['noassertion', 'none'])

const collectTerms = ({ card, manifest, quote, candidate, listings }: Findings): string[] => {
  const facts = typeof card.facts === 'object' ? card.facts : undefined
  const { termsUrl, license } = manifestFacts(manifest)
  const licenses = [
    facts?.license,
    facts?.termsUrl,
    quote?.license,
    quote?.termsUrl,
    license,
    termsUrl,
    candidate.terms_url,
    ...listings.map(({ terms_url }) => terms_url),
  ]
  return [...new Set(licenses.flatMap(term => (term ? [term] : [])))]
}

const rights = (findings: Findings, extras: ExtraInput, policy: Policy): Check => {
  const terms = collectTerms(findings)
  const evidence = [findings.card.look, findings.manifest].flatMap(look =>
    look.fetched ? [toEvidence(look)] : [],
  )
  const accepted = [...(extras.accepted_licenses ?? []), ...(policy.accepted_licenses ?? [])].map(one =>
    one.toLowerCase(),
  )
  if (terms.length === 0)
    return accepted.some(one => unstatedLicences.has(one))
      ? toCheck('commercial_rights', 'pass', 'It names no terms, and the caller grants the rights.', [
          ...evidence,
          ...statedEvidence(findings.now),
        ])
      : toCheck(
          'commercial_rights',
          'unknown',
          'It names no licence and no terms; NOASSERTION among accepted_licenses grants the rights all the same.',
          evidence,
        )
  const forbidden = terms.find(term => forbidding.test(term))
  if (forbidden)
    return toCheck(
      'commercial_rights',
      'fail',
      `Its terms forbid commercial use: ${forbidden}.`,
      evidence,
      'quotes strangers',
    )
  const open = terms.filter(term => !accepted.includes(term.toLowerCase()))
  return open.length > 0
    ? toCheck(
        'commercial_rights',
        'unknown',
        `Nobody accepted these terms yet: ${open.join(', ')}.`,
        evidence,
        'quotes strangers',
      )
    : toCheck(
        'commercial_rights',
        'pass',
        `Accepted terms: ${terms.join(', ')}.`,
        [...evidence, ...statedEvidence(findings.now)],
        'quotes strangers',
      )
}

const authority = (findings: Findings, extras: ExtraInput, policy: Policy): Check => {
  const budget = extras.authority?.budget ?? policy.budget_usd
  const evidence = statedEvidence(findings.now)
  if (isFreeOfCharge(findings)) return toCheck('economic_authority', 'not_applicable', 'Nothing is spent.')
  if (budget === undefined)
    return toCheck('economic_authority', 'unknown', 'Nobody said who allows the spending.')
  const cost = computeMaxCost(findings)
  if (cost === undefined)
    return toCheck(
      'economic_authority',
      'unknown',
      'Without a price no budget can be held against it.',
      evidence,
    )
  return cost <= toMicro(budget)
    ? toCheck('economic_authority', 'pass', `Within the budget of ${budget} USD.`, evidence)
    : toCheck('economic_authority', 'fail', `${dollars(cost)} USD is over the budget of ${budget}.`, evidence)
}

/** Days that a domain must have been registered where the operator does not say. */
const defaultAge = 30

const age = (
  { domainCreated, endpoint, now }: Findings,
  { min_domain_age_days: minAgeDays = defaultAge }: Policy,
): Check => {
  if (minAgeDays === 0)
    return toCheck('domain_age', 'not_applicable', 'The operator does not ask for an age.')
  if (domainCreated === null)
    return toCheck(
      'domain_age',
      'unknown',
      `No registry tells how old the domain of ${new URL(endpoint).hostname} is; some publish no dates. Where that is enough, min_domain_age_days: 0 in GATEWAY_POLICY does without.`,
    )
  const days = Math.floor((now.getTime() - Date.parse(domainCreated)) / dayMs)
  const evidence = statedEvidence(now)
  return days >= minAgeDays
    ? toCheck('domain_age', 'pass', `Registered ${days} days ago.`, evidence)
    : toCheck('domain_age', 'fail', `Registered ${days} days ago, less than ${minAgeDays}.`, evidence)
}

/** Checks whether the result may be used, whether somebody allows the spending, and how old the domain is. */
export const rightsChecks = (findings: Findings, extras: ExtraInput, policy: Policy): Check[] => [
  rights(findings, extras, policy),
  authority(findings, extras, policy),
  age(findings, policy),
]
