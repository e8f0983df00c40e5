import type { Ports } from '../../../ports/ports.ts'
import type { Candidate } from '../candidate/candidate.ts'
import { type Check, decideVerdict, listReasons, type Verdict } from '../check/check.ts'
import type { GatewaySettings } from '../config.ts'
import { capabilityCheck, listOffers } from './capability.ts'
import type { ExtraInput } from './extras.ts'
import { type Findings, type GatherPorts, gatherCandidate } from './gather.ts'
import { toCheck } from './make-check.ts'
import { paymentChecks } from './payment.ts'
import { protocolChecks } from './protocol.ts'
import { rightsChecks } from './rights.ts'
import { safetyChecks } from './safety.ts'

/** Result of the checks of one candidate. */
export type Assessment = {
  candidate: Candidate
  verdict: Verdict
  reasons: string[]
  checks: Check[]
  /** Abilities that it claims, in a few names. */
  offers: string[]
  /** Facts read; null when the candidate has no address to read from. */
  findings: Findings | null
}

export type AssessPorts = GatherPorts & Pick<GatewaySettings, 'policy'> & Partial<Pick<Ports, 'transfers'>>

const listOwnWallets = async ({ transfers }: AssessPorts): Promise<string[]> => {
  try {
    return transfers ? [await transfers.wallet('base')] : []
  } catch {
    return []
  }
}

const hasAddress = ({ interaction_url, agent_card_url, identifier }: Candidate): boolean =>
  URL.canParse(interaction_url ?? agent_card_url ?? identifier) &&
  /^https?:/.test(interaction_url ?? agent_card_url ?? identifier)

const conclude = (candidate: Candidate, checks: Check[], findings: Findings | null): Assessment => ({
  candidate,
  verdict: decideVerdict(checks),
  reasons: listReasons(checks),
  checks,
  offers: findings ? listOffers(findings) : candidate.capabilities,
  findings,
})

/** Milliseconds for all that is read of a candidate; registries have their own. */
const readMs = 6000

/** Runs every check on a candidate, in at most 10 seconds. Nothing is executed, sent or paid. */
export const assess = async (
  ports: AssessPorts,
  candidate: Candidate,
  { need, ...extras }: ExtraInput & { need: string },
): Promise<Assessment> => {
  if (!hasAddress(candidate)) {
    const check = toCheck('candidate_found', 'unknown', 'It has told no address that could be checked.', [
      candidate.provenance,
    ])
    return conclude(candidate, [check], null)
  }
  const { policy } = ports
  const [findings, payees] = await Promise.all([
    gatherCandidate(ports, candidate, AbortSignal.timeout(readMs)),
    listOwnWallets(ports),
  ])
  const checks = [
    ...safetyChecks(findings),
    ...protocolChecks(findings),
    capabilityCheck(findings, need),
    ...paymentChecks(findings, extras, policy, payees),
    ...rightsChecks(findings, extras, policy),
  ]
  return conclude(candidate, checks, findings)
}
