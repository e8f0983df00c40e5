import { findInjection } from '../../../lib/text/injection.ts'
import { dayMs } from '../../../lib/time.ts'
import type { Probe } from '../callability/history.ts'
import type { Check } from '../check/check.ts'
import type { Execution } from '../execution/execution.ts'
import { toHome } from './card.ts'
import type { Findings } from './gather.ts'
import { type Look, toEvidence } from './look.ts'
import { toCheck } from './make-check.ts'

const freshMs = 3_600_000

/** Answers by which a host says that it has no such page. */
const isAbsent = ({ fetched }: Look): boolean =>
  fetched !== null && [400, 401, 403, 404, 405, 410].includes(fetched.status)

/** Sites that answer every address with their start page. */
const isWebPage = ({ fetched }: Look): boolean =>
  /^text\/html\b/i.test(fetched?.headers['content-type'] ?? '')

/** Stand-in for the card of an MCP server: its entry in the registry. */
const mcpRegistry = ({ candidate, listings, isListingSilent }: Findings): Check => {
  const entries = [candidate, ...listings].filter(({ source }) => source === 'mcp_registry')
  const entry = entries.find(({ state }) => state === 'active') ?? entries[0]
  if (!entry)
    return toCheck(
      'card_valid',
      'unknown',
      isListingSilent
        ? 'It has no agent card, and the MCP registry does not answer.'
        : 'It has no agent card, and the MCP registry does not list this address.',
    )
  const { state, provenance } = entry
  if (state === 'active')
    return toCheck(
      'card_valid',
      'pass',
      'The MCP registry lists it as active; an MCP server needs no card.',
      [provenance],
    )
  return state === 'unknown'
    ? toCheck('card_valid', 'unknown', 'The MCP registry does not say whether it is active.', [provenance])
    : toCheck('card_valid', 'fail', `The MCP registry lists it as ${state}.`, [provenance])
}

const card = (findings: Findings): Check => {
  const { look, facts } = findings.card
  const { protocol, endpoint, quote } = findings
  const evidence = [toEvidence(look)]
  if (typeof facts === 'object')
    return toHome(look.url) !== toHome(endpoint)
      ? toCheck(
          'card_valid',
          'fail',
          'The card is of another domain than the address that is called.',
          evidence,
        )
      : toCheck('card_valid', 'pass', `The card of "${facts.name}" is valid.`, evidence, 'quotes strangers')
  const hasNone = isAbsent(look) || (look.fetched?.status === 200 && isWebPage(look))
  if (hasNone && protocol === 'mcp') return mcpRegistry(findings)
  if (hasNone && protocol === 'x402' && quote)
    return toCheck(
      'card_valid',
      'not_applicable',
      'An x402 endpoint that quotes its price needs no card.',
      evidence,
    )
  if (!look.fetched)
    return toCheck('card_valid', 'unknown', `No card could be read: ${look.failure?.message}`, evidence)
  return look.fetched.status === 200
    ? toCheck('card_valid', 'fail', `The card is not valid: ${facts}.`, evidence, 'quotes strangers')
    : toCheck('card_valid', 'unknown', `The card's address answered ${look.fetched.status}.`, evidence)
}

const toProbeEvidence = ({ target, at, proof_digest }: Probe) => ({
  url: target,
  observed_at: at,
  digest: proof_digest,
})

/** Checks its own words, which models read: a text that gives them orders is an attack. */
const descriptions = ({
  card,
  tools,
  protocol,
  quote,
  listings,
  candidate,
  recent,
  service,
}: Findings): Check => {
  const facts = typeof card.facts === 'object' ? card.facts : undefined
  const texts = [quote?.description, ...[candidate, ...listings].map(({ description }) => description)]
  const injection =
    facts?.injection ??
    tools?.injection ??
    texts.map(text => (text ? findInjection(text) : null)).find(found => found !== null)
  const evidence = [
    ...(facts ? [toEvidence(card.look)] : []),
    ...(tools && recent ? [toProbeEvidence(recent)] : []),
    ...(quote ? [toEvidence(service)] : []),
  ]
  if (injection)
    return toCheck(
      'descriptions_clean',
      'fail',
      `A description is an attack on its reader: ${injection}.`,
      evidence,
    )
  return protocol === 'mcp' && !tools
    ? toCheck('descriptions_clean', 'unknown', 'No probe of ours within 24 hours could list its tools.')
    : toCheck(
        'descriptions_clean',
        'pass',
        'No description hides text or gives orders to its reader.',
        evidence,
      )
}

const toolsUnchanged = ({ tools, recent, probes }: Findings): Check => {
  const before = probes.find(probe => probe !== recent && probe.tools)
  if (!tools || !recent || !before?.tools)
    return toCheck('tools_unchanged', 'not_applicable', 'There is no earlier list of tools to compare with.')
  const evidence = [recent, before].map(toProbeEvidence)
  return tools.digest === before.tools.digest
    ? toCheck('tools_unchanged', 'pass', `Its ${tools.count} tools are those of our probe before.`, evidence)
    : toCheck(
        'tools_unchanged',
        'fail',
        'Its tools have changed since our probe before; look at them.',
        evidence,
      )
}

const toOutcomeEvidence = ({ target, at, payment_digest }: Execution) => ({
  url: target,
  observed_at: at,
  digest: payment_digest,
})

/** Payers who got something for their money, and those who were seen to get nothing. */
const paidOutcomes = ({ outcomes }: Findings): Check => {
  const cheated = outcomes.filter(({ state, gave_nothing }) => state === 'paid' && gave_nothing)
  const served = outcomes.filter(({ state }) => state === 'delivered')
  if (cheated.length === 0 && served.length === 0)
    return toCheck('paid_outcomes', 'not_applicable', 'Nobody has paid it through execute_route.')
  const detail = `Of its payers, ${served.length} got a result and ${cheated.length} paid for nothing.`
  const evidence = [...cheated, ...served].slice(0, 5).map(toOutcomeEvidence)
  return toCheck('paid_outcomes', cheated.length > served.length ? 'fail' : 'pass', detail, evidence)
}

const callable = ({ recent, outcomes, now }: Findings): Check => {
  const delivered = outcomes.find(
    ({ state, at }) => state === 'delivered' && now.getTime() - Date.parse(at) <= dayMs,
  )
  if (!recent && delivered)
    return toCheck('protocol_callable', 'pass', 'It gave a result for a payment within 24 hours.', [
      toOutcomeEvidence(delivered),
    ])
  if (!recent)
    return toCheck(
      'protocol_callable',
      'unknown',
      'No probe of ours within 24 hours; verify_external_callability makes one.',
    )
  const evidence = [toProbeEvidence(recent)]
  if (recent.status === 'not_callable')
    return toCheck('protocol_callable', 'fail', `Our probe failed: ${recent.failure_class}.`, evidence)
  if (recent.status === 'ambiguous')
    return toCheck('protocol_callable', 'unknown', 'Our probe came to no clear result.', evidence)
  const tools = recent.tools ? `, with ${recent.tools.count} tools of digest ${recent.tools.digest}` : ''
  return toCheck(
    'protocol_callable',
    'pass',
    `Our probe found it ${recent.status.replaceAll('_', ' ')}${tools}.`,
    evidence,
  )
}

const auth = ({ card, service, recent }: Findings): Check => {
  const { facts } = card
  const evidence = [card.look, service].map(toEvidence)
  const status = service.fetched?.status
  if (typeof facts === 'object' && facts.requires.length > 0)
    return toCheck(
      'auth_satisfiable',
      'unknown',
      `It asks for ${facts.requires.join(', ')}; whether you have that is not known here.`,
      evidence,
      'quotes strangers',
    )
  if (recent?.status === 'callable_with_auth')
    return toCheck('auth_satisfiable', 'unknown', 'It answered our probe with a demand for credentials.', [
      toProbeEvidence(recent),
    ])
  if (status === 401 || status === 403)
    return toCheck('auth_satisfiable', 'unknown', `It answered ${status} without credentials.`, evidence)
  if (typeof facts === 'object' || status !== undefined)
    return toCheck('auth_satisfiable', 'pass', 'It asks for no credentials.', evidence)
  // A GET of an MCP server may open a stream that never ends.
  if (recent?.status === 'callable' || recent?.status === 'callable_with_payment')
    return toCheck('auth_satisfiable', 'pass', 'It answered our probe without credentials.', [
      toProbeEvidence(recent),
    ])
  return toCheck('auth_satisfiable', 'unknown', 'Nothing tells what credentials it asks for.', evidence)
}

const freshness = ({ card, service, manifest, quoteEvidence, now }: Findings): Check => {
  const looks = [card.look, service, manifest].filter(({ fetched }) => fetched !== null)
  if (looks.length === 0) return toCheck('freshness', 'unknown', 'There is no evidence.')
  const evidence = [...looks.map(toEvidence), ...quoteEvidence]
  const old = evidence.find(({ observed_at }) => now.getTime() - Date.parse(observed_at) > freshMs)
  return old
    ? toCheck('freshness', 'fail', 'Some of the evidence is older than an hour.', [old])
    : toCheck('freshness', 'pass', 'The evidence is of the last hour.', looks.map(toEvidence))
}

/** Checks whether it says what it is, can be called, and how recent that is. */
export const protocolChecks = (findings: Findings): Check[] => [
  card(findings),
  descriptions(findings),
  callable(findings),
  paidOutcomes(findings),
  toolsUnchanged(findings),
  auth(findings),
  freshness(findings),
]
