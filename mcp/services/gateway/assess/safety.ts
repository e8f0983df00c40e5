import type { Check } from '../check/check.ts'
import type { Findings } from './gather.ts'
import { isTlsFailure, isUnsafe, type Look, toEvidence } from './look.ts'
import { toCheck } from './make-check.ts'

const collectLooks = ({ card, service, manifest }: Findings): Look[] =>
  [card?.look, service, manifest].flatMap(one => one ?? [])

const destination = (findings: Findings): Check => {
  const looks = collectLooks(findings)
  const unsafe = looks.find(isUnsafe)
  const evidence = looks.map(toEvidence)
  if (unsafe)
    return toCheck('destination_safe', 'fail', `unsafe_destination: ${unsafe.failure?.message}`, [
      toEvidence(unsafe),
    ])
  if (!findings.origin.startsWith('https:'))
    return toCheck('destination_safe', 'fail', 'unsafe_destination: the address is not https', evidence)
  const away = looks.find(({ fetched }) => fetched && new URL(fetched.url).origin !== findings.origin)
  if (away)
    return toCheck('destination_safe', 'fail', 'unsafe_destination: it redirects to another origin', [
      toEvidence(away),
    ])
  if (looks.every(({ fetched }) => fetched === null))
    return toCheck('destination_safe', 'unknown', 'Nothing at this address answered.', evidence)
  return toCheck('destination_safe', 'pass', 'A public https address that keeps to its origin.', evidence)
}

const candidate = ({ candidate, now }: Findings): Check => {
  const { state, source, provenance } = candidate
  const evidence = [provenance]
  if (state === 'deleted' || state === 'deprecated')
    return toCheck('candidate_found', 'fail', `Its source says that it is ${state}.`, evidence)
  if (source === 'address')
    return toCheck('candidate_found', 'pass', 'The address was given by the request.', [
      { url: null, observed_at: now.toISOString(), digest: null },
    ])
  return state === 'active'
    ? toCheck('candidate_found', 'pass', `Named by ${source}, and active there.`, evidence)
    : toCheck('candidate_found', 'unknown', `Named by ${source}, which does not tell its state.`, evidence)
}

const tls = (findings: Findings): Check => {
  const looks = collectLooks(findings)
  const failed = looks.find(isTlsFailure)
  if (failed) return toCheck('tls_valid', 'fail', failed.failure?.message ?? '', [toEvidence(failed)])
  const good = looks.filter(({ fetched, url }) => fetched !== null && url.startsWith('https:'))
  return good.length > 0
    ? toCheck('tls_valid', 'pass', 'The certificate is valid for the host.', good.map(toEvidence))
    : toCheck('tls_valid', 'unknown', 'No encrypted connection came about.', looks.map(toEvidence))
}

/** Where it leads, whether it exists, and whether the connection is what it says. */
export const safetyChecks = (findings: Findings): Check[] => [
  destination(findings),
  candidate(findings),
  tls(findings),
]
