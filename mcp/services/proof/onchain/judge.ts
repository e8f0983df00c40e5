import type { KnownBad } from '../review/config.ts'
import { type Finding, findingOfKnownBad, severities } from '../review/finding.ts'
import { gateVerdict, type ReversibilityGate, toVerdict, type Verdict } from '../review/verdict.ts'
import type { OnchainRule } from './rule.ts'
import { addressRules } from './rules/addresses.ts'
import { allowanceRules } from './rules/allowances.ts'
import { controlRules } from './rules/control.ts'
import { paymentRules } from './rules/payments.ts'
import { signatureRules } from './rules/signatures.ts'
import { stateRules } from './rules/state.ts'
import { tradeRules } from './rules/trades.ts'
import { isSame, type Scene } from './scene.ts'

/** Every rule about what is signed, in the order in which their findings are told. */
export const onchainRules: readonly OnchainRule[] = [
  ...signatureRules,
  ...controlRules,
  ...allowanceRules,
  ...paymentRules,
  ...addressRules,
  ...tradeRules,
  ...stateRules,
]

/** Changes whenever a rule about what is signed may judge otherwise. */
export const onchainPolicy = 'onchain-rules-1'

export type OnchainJudgement = {
  verdict: Verdict
  confidence: number
  findings: Finding[]
  checksRun: string[]
  notChecked: string[]
  gate: ReversibilityGate
}

/** Things no rule checks, whatever is signed. */
const never = [
  'prices, and whether the amounts are what they should be',
  'what the code of the contracts does beyond the dry run',
  'lists of phishing sites and stolen assets',
]

const findKnownBad = ({ mentions, calls, chainId }: Scene, knownBad: readonly KnownBad[]): Finding[] => {
  const addresses = new Set([...mentions.map(({ address }) => address), ...calls.map(({ to }) => to)])
  return knownBad
    .filter(({ chain_id }) => chain_id === undefined || chainId === undefined || chain_id === chainId)
    .filter(({ address }) => [...addresses].some(one => isSame(one, address)))
    .map(findingOfKnownBad)
}

const findIssues = (scene: Scene): { findings: Finding[]; checksRun: string[]; notChecked: string[] } => {
  const checksRun: string[] = []
  const notChecked: string[] = []
  const findings: Finding[] = []
  const reported = new Set<string>()
  for (const rule of onchainRules) {
    const part = rule.needs && scene.chain[rule.needs]
    if (part && 'missing' in part) {
      notChecked.push(`${rule.id}: ${part.missing}`)
      continue
    }
    checksRun.push(rule.id)
    for (const { detail, severity = rule.severity, place = {} } of rule.check(scene)) {
      const key = `${rule.id} ${detail}`
      if (reported.has(key)) continue
      reported.add(key)
      findings.push({
        rule: rule.id,
        layer: 'facts',
        severity,
        category: 'onchain',
        detail,
        fix: rule.fix,
        place,
      })
    }
  }
  if (scene.signer === undefined) notChecked.push('foreign-recipient: from does not say who signs')
  if (scene.action.intent.chainId === undefined) notChecked.push('wrong-chain: intent.chain_id is not given')
  if (scene.action.intent.contacts.length === 0 && scene.action.intent.recipient === undefined)
    notChecked.push('address-poisoning: intent names no recipient and no contacts')
  if (scene.trades.length > 0 && scene.action.intent.amountOut === undefined)
    notChecked.push('slippage: intent.amount_out is not given')
  return { findings, checksRun, notChecked }
}

const readConfidence = (
  verdict: Verdict,
  { understood, unknowns, problems, chain, isCreation }: Scene,
): number => {
  if (verdict === 'reject') return 0.95
  const isSimulated = 'facts' in chain.simulation
  // A call that nobody reads and nobody ran is not understood at all.
  if ((understood === 0 || isCreation || unknowns.some(({ isTop }) => isTop)) && !isSimulated) return 0.4
  if (unknowns.length > 0 || problems.length > 0 || chain.isFailed) return 0.6
  return isSimulated && 'facts' in chain.code ? 0.9 : 0.75
}

/** The verdict of the rules on what is signed. What nodes did not say is never counted in its favour. */
export const judgeScene = (scene: Scene, knownBad: readonly KnownBad[]): OnchainJudgement => {
  const { findings: ruled, checksRun, notChecked } = findIssues(scene)
  const unread: Finding[] = scene.chain.isFailed
    ? [
        {
          rule: 'chain-unread',
          layer: 'facts',
          severity: 'medium',
          category: 'onchain',
          detail: 'A node was asked about the chain and did not answer as it should.',
          fix: 'Ask again, or give the state of the chain another look before it is signed.',
          place: {},
        },
      ]
    : []
  const findings = [...findKnownBad(scene, knownBad), ...ruled, ...unread].sort(
    (one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity),
  )
  const first = toVerdict(findings)
  const confidence = readConfidence(first, scene)
  const { verdict, gate } = gateVerdict('onchain_action', first, confidence)
  return {
    verdict,
    confidence,
    findings,
    checksRun: ['known-bad-address', ...checksRun],
    notChecked: [...notChecked, ...never],
    gate,
  }
}
