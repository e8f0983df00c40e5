import { isLoopbackName } from '../../../lib/loopback.ts'
import type { Check } from '../check/check.ts'
import type { Findings } from './gather.ts'
import { isNameless, isTlsFailure, isUndecided, isUnsafe, type Look, toEvidence } from './look.ts'
import { toCheck } from './make-check.ts'

const collectLooks = ({ card, service, manifest }: Findings): Look[] => [card.look, service, manifest]

/** True for what answered on this machine: the guard opens it only to an installation that serves nobody else. */
const isOwnMachine = ({ fetched, url }: Look): boolean =>
  fetched !== null && isLoopbackName(new URL(url).hostname)

const destination = (findings: Findings): Check => {
  const looks = collectLooks(findings)
  const unsafe = looks.find(isUnsafe)
  const evidence = looks.map(toEvidence)
  if (unsafe)
    return toCheck('destination_safe', 'fail', `unsafe_destination: ${unsafe.failure?.message}`, [
      toEvidence(unsafe),
    ])
  if (looks.some(isOwnMachine))
    return toCheck(
      'destination_safe',
      'not_applicable',
      'An address of this machine, not encrypted: whoever runs it answers for it, and nobody else can reach it.',
      evidence,
    )
  if (looks.some(({ url }) => !url.startsWith('https:')))
    return toCheck('destination_safe', 'fail', 'unsafe_destination: the address is not https', evidence)
  const away = looks.find(
    ({ fetched, url }) => fetched && new URL(fetched.url).origin !== new URL(url).origin,
  )
  if (away)
    return toCheck('destination_safe', 'fail', 'unsafe_destination: it redirects to another origin', [
      toEvidence(away),
    ])
  if (looks.some(({ fetched }) => fetched))
    return toCheck('destination_safe', 'pass', 'A public https address that keeps to its origin.', evidence)
  if (looks.some(isTlsFailure))
    return toCheck(
      'destination_safe',
      'pass',
      'A public address; its certificate is a check of its own.',
      evidence,
    )
  const failed = looks.find(isNameless) ?? looks.find(look => !isUndecided(look))
  return failed
    ? toCheck('destination_safe', 'fail', `unreachable: ${failed.failure?.message}`, evidence)
    : toCheck('destination_safe', 'unknown', `No answer yet: ${looks[0]?.failure?.message}`, evidence)
}

/** True when nothing at all answered: not unsafe, and not there. */
export const isUnreachable = (findings: Findings): boolean => {
  const looks = collectLooks(findings)
  return looks.every(look => look.fetched === null && !isUnsafe(look) && !isTlsFailure(look))
}

/** It is there when it answers, however it was named; whoever lists it may still say that it is gone. */
const candidate = (findings: Findings): Check => {
  const { candidate, listings, now } = findings
  const entries = [candidate, ...listings].filter(
    ({ source }) => source !== 'address' && source !== 'members',
  )
  // An address may be listed under an old name and a new one.
  const isListed = entries.some(({ state }) => state === 'active')
  const gone = entries.find(({ state }) => state === 'deleted' || state === 'deprecated')
  if (gone && !isListed)
    return toCheck('candidate_found', 'fail', `Its source says that it is ${gone.state}.`, [gone.provenance])
  const evidence =
    candidate.source === 'address'
      ? [{ url: null, observed_at: now.toISOString(), digest: null }]
      : [candidate.provenance]
  if (isUnreachable(findings))
    return toCheck('candidate_found', 'unknown', 'Nothing at its address answered.', evidence)
  const namer = candidate.source === 'address' ? 'the request' : candidate.source
  return toCheck('candidate_found', 'pass', `Named by ${namer}, and it answers.`, evidence)
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

/** Checks where it leads, whether it exists, and whether the connection is what it says. */
export const safetyChecks = (findings: Findings): Check[] => [
  destination(findings),
  candidate(findings),
  tls(findings),
]
