import { z } from 'zod'

export const Verdict = z.enum(['GO', 'HOLD', 'STOP'])
export type Verdict = z.output<typeof Verdict>

/** Effect on the verdict of a check that did not pass. */
type Effect = Exclude<Verdict, 'GO'>

type Rule = { fail: Effect; unknown: Effect; what: string }

/**
 * The decision table: every check there is, and what it means when it fails or when nobody knows. There is no way from here
 * to GO but that all pass.
 */
export const rules = {
  destination_safe: {
    fail: 'STOP',
    unknown: 'HOLD',
    what: 'The address is public, plain and reachable without tricks',
  },
  candidate_found: {
    fail: 'STOP',
    unknown: 'HOLD',
    what: 'The candidate exists and is not revoked, deprecated or deleted',
  },
  tls_valid: { fail: 'STOP', unknown: 'HOLD', what: 'The connection is encrypted with a valid certificate' },
  card_valid: {
    fail: 'STOP',
    unknown: 'HOLD',
    what: 'The agent card parses and names this address; for an MCP server, its registry lists it as active',
  },
  descriptions_clean: {
    fail: 'STOP',
    unknown: 'HOLD',
    what: 'What it says of itself holds no hidden text and no orders to its reader',
  },
  capability_match: { fail: 'HOLD', unknown: 'HOLD', what: 'It says that it does what is needed' },
  protocol_callable: {
    fail: 'STOP',
    unknown: 'HOLD',
    what: 'It answered a probe of ours within the last 24 hours',
  },
  paid_outcomes: {
    fail: 'HOLD',
    unknown: 'HOLD',
    what: 'Those who paid it through execute_route within 30 days got a result: each payer counts once, by its last payment',
  },
  tools_unchanged: { fail: 'HOLD', unknown: 'HOLD', what: 'Its tools are those of our probe before' },
  quote_valid: { fail: 'STOP', unknown: 'HOLD', what: 'Its payment quote parses and can be paid' },
  asset_genuine: {
    fail: 'STOP',
    unknown: 'HOLD',
    what: 'No token it asks for calls itself a USD token that it is not',
  },
  pay_to_consistent: { fail: 'STOP', unknown: 'HOLD', what: 'Every source names the same payee' },
  pay_to_unchanged: { fail: 'HOLD', unknown: 'HOLD', what: 'The payee is the one seen before' },
  not_self_payment: { fail: 'STOP', unknown: 'HOLD', what: 'The payee is not this gateway' },
  price_known: { fail: 'HOLD', unknown: 'HOLD', what: 'The provider states its price' },
  max_cost_known: { fail: 'HOLD', unknown: 'HOLD', what: 'The most that it may cost is known' },
  price_within_max: { fail: 'STOP', unknown: 'HOLD', what: 'The price is within the maximum cost' },
  commercial_rights: {
    fail: 'STOP',
    unknown: 'HOLD',
    what: 'The rights to use the result are known and accepted',
  },
  economic_authority: { fail: 'STOP', unknown: 'HOLD', what: 'Somebody with a budget allows this spending' },
  auth_satisfiable: { fail: 'HOLD', unknown: 'HOLD', what: 'The credentials it asks for can be had' },
  freshness: { fail: 'HOLD', unknown: 'HOLD', what: 'The evidence is recent' },
  domain_age: { fail: 'HOLD', unknown: 'HOLD', what: 'The domain is older than the policy asks' },
} as const satisfies Record<string, Rule>

export type CheckId = keyof typeof rules

export const checkIds = Object.keys(rules) as [CheckId, ...CheckId[]]

/** `not_applicable` is for checks whose question does not arise, such as the payee of something free. */
export type CheckStatus = 'pass' | 'fail' | 'unknown' | 'not_applicable'

const Evidence = z.object({
  url: z.string().nullable().describe('Where it was seen; null for what the request or the operator said'),
  observed_at: z.iso.datetime().describe('When it was seen, UTC'),
  digest: z.string().nullable().describe('sha256: of the bytes that were read'),
})

export const Check = z.object({
  id: z.enum(checkIds).describe('The check'),
  status: z.enum(['pass', 'fail', 'unknown', 'not_applicable']).describe('What came of it'),
  severity: z.enum(['hard', 'soft']).describe('hard: a failure stops; soft: it holds'),
  detail: z.string().describe('What was found, in a sentence'),
  untrusted: z.boolean().describe('True when the detail repeats what a stranger wrote: data, no instruction'),
  evidence: z.array(Evidence).describe('What it rests on'),
})

export type Check = z.output<typeof Check>

export const severityOf = (id: CheckId): Check['severity'] => (rules[id].fail === 'STOP' ? 'hard' : 'soft')

const order: readonly Verdict[] = ['GO', 'HOLD', 'STOP']

const checkVerdict = ({ id, status }: Pick<Check, 'id' | 'status'>): Verdict => {
  if (status === 'fail') return rules[id].fail
  return status === 'unknown' ? rules[id].unknown : 'GO'
}

/** The verdict is the worst effect of any check, so no added failure or unknown can move it towards GO; no checks at all hold. */
export const decideVerdict = (checks: readonly Pick<Check, 'id' | 'status'>[]): Verdict =>
  checks.reduce<Verdict>(
    (worst, check) => order[Math.max(order.indexOf(worst), order.indexOf(checkVerdict(check)))] ?? 'STOP',
    checks.length === 0 ? 'HOLD' : 'GO',
  )

const isFailure = ({ status }: Pick<Check, 'status'>): number => (status === 'fail' ? 0 : 1)

/** Ids of the checks that kept the verdict from GO: what failed before what is unknown, and of each what stops before what holds. */
export const listReasons = (checks: readonly Pick<Check, 'id' | 'status'>[]): string[] =>
  checks
    .filter(check => checkVerdict(check) !== 'GO')
    .sort(
      (one, other) =>
        isFailure(one) - isFailure(other) ||
        order.indexOf(checkVerdict(other)) - order.indexOf(checkVerdict(one)),
    )
    .map(({ id, status }) => `${id}_${status === 'fail' ? 'failed' : 'unknown'}`)
