import type { Check } from '../check/check.ts'
import type { Findings } from './gather.ts'
import { toEvidence } from './look.ts'
import { toCheck } from './make-check.ts'

const dayMs = 86_400_000
const freshMs = 3_600_000

const card = ({ card, candidate }: Findings): Check => {
  if (!card)
    return toCheck('card_valid', 'not_applicable', `A candidate of ${candidate.protocol} has no agent card.`)
  const { look, facts } = card
  const evidence = [toEvidence(look)]
  if (!look.fetched)
    return toCheck('card_valid', 'unknown', `No card could be read: ${look.failure?.message}`, evidence)
  if (look.fetched.status !== 200)
    return toCheck('card_valid', 'unknown', `The card's address answered ${look.fetched.status}.`, evidence)
  return typeof facts === 'string'
    ? toCheck('card_valid', 'fail', `The card is not valid: ${facts}.`, evidence)
    : toCheck('card_valid', 'pass', `The card of "${facts.name}" is valid.`, evidence)
}

const callable = ({ probes, now }: Findings): Check => {
  const [last] = probes
  const recent = last && now.getTime() - Date.parse(last.at) <= dayMs ? last : undefined
  if (!recent)
    return toCheck(
      'protocol_callable',
      'unknown',
      'No probe of ours within 24 hours; verify_external_callability makes one.',
    )
  const evidence = [{ url: recent.target, observed_at: recent.at, digest: recent.proof_digest }]
  if (recent.status === 'not_callable')
    return toCheck('protocol_callable', 'fail', `Our probe failed: ${recent.failure_class}.`, evidence)
  return recent.status === 'ambiguous'
    ? toCheck('protocol_callable', 'unknown', 'Our probe came to no clear result.', evidence)
    : toCheck(
        'protocol_callable',
        'pass',
        `Our probe found it ${recent.status.replaceAll('_', ' ')}.`,
        evidence,
      )
}

const auth = ({ card, service }: Findings): Check => {
  const facts = card?.facts
  const evidence = [card?.look, service].flatMap(look => (look ? [toEvidence(look)] : []))
  const status = service?.fetched?.status
  if (typeof facts === 'object' && facts.requires.length > 0)
    return toCheck(
      'auth_satisfiable',
      'unknown',
      `It asks for ${facts.requires.join(', ')}; whether you have that is not known here.`,
      evidence,
    )
  if (status === 401 || status === 403)
    return toCheck('auth_satisfiable', 'unknown', `It answered ${status} without credentials.`, evidence)
  if (typeof facts === 'object' || status !== undefined)
    return toCheck('auth_satisfiable', 'pass', 'It asks for no credentials.', evidence)
  return toCheck('auth_satisfiable', 'unknown', 'Nothing tells what credentials it asks for.', evidence)
}

const freshness = ({ card, service, manifest, now }: Findings): Check => {
  const looks = [card?.look, service, manifest].flatMap(look => (look?.fetched ? [look] : []))
  if (looks.length === 0) return toCheck('freshness', 'unknown', 'There is no evidence.')
  const old = looks.find(({ observed_at }) => now.getTime() - Date.parse(observed_at) > freshMs)
  return old
    ? toCheck('freshness', 'fail', 'Some of the evidence is older than an hour.', [toEvidence(old)])
    : toCheck('freshness', 'pass', 'The evidence was read just now.', looks.map(toEvidence))
}

/** Whether it says what it is, can be called, and how recent that is. */
export const protocolChecks = (findings: Findings): Check[] => [
  card(findings),
  callable(findings),
  auth(findings),
  freshness(findings),
]
