import canonicalize from 'canonicalize'
import type { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import { type Call, free, type Price } from '../../../kernel/tool.ts'
import { countText } from '../../../lib/text/count.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Json } from '../../../ports/store/port.ts'
import type { TransparencyLog } from '../ledger/log.ts'
import { prices } from '../prices.ts'
import { enterProof, signProof, textDigest } from '../proofs/issue.ts'
import { hasPlainTexts } from '../proofs/plain-text.ts'
import type { reviewOutput } from './answer-schema.ts'
import type { ArtifactType } from './artifact-type.ts'
import { type DecisionInputs, hashJson, sha256, toDecisionRef } from './decision.ts'
import { type Finding, type Severity, severities } from './finding.ts'
import { findOperation, saveOperation } from './operation.ts'
import type { ReviewRequest, Threshold } from './request-schema.ts'
import type { TradingState } from './trading-state.ts'
import { type ReversibilityGate, severityRank, type Verdict } from './verdict.ts'

export type ReviewAnswer = z.input<z.ZodObject<typeof reviewOutput>>

/** Subject of a review, and the rules' judgement. */
export type Judged = {
  /** The exact text that the decision is about. */
  text: string
  type: ArtifactType
  verdict: Verdict
  confidence: number
  findings: readonly Finding[]
  /** The layers that decided. */
  engine: string
  /** Families of checks. */
  checksRun: readonly string[]
  /** The id of each check, where a family has several. */
  checkIds?: readonly string[]
  notChecked: readonly string[]
  gate: ReversibilityGate
  readAs: readonly string[]
  policyVersion: string
  tradingState: TradingState | undefined
  onchainRisk: ReviewAnswer['onchain_risk']
}

const maxBindingLength = 8_192
const maxIssues = 100
const maxPositions = 50

/** Refuses what is too long or would be signed otherwise than it came. */
export const checkRequest = (request: Partial<ReviewRequest>): void => {
  const { action_binding: binding } = request
  if (binding && (canonicalize(binding) ?? '').length > maxBindingLength)
    throw new ToolError('too_large', `action_binding: It may have ${maxBindingLength} characters of JSON.`)
  if (!hasPlainTexts(request))
    throw new ToolError('invalid_input', 'Texts must not have NUL characters or half surrogate pairs.')
}

/** Digests an operation to tell it apart: all but its own name. */
const digestInput = (input: object): string => {
  const { operation_id: _, ...rest } = input as { operation_id?: unknown }
  return hashJson(rest)
}

/** Who only pays is known after the quote, so that the network address tells their operations apart. */
const nameCaller = ({ caller, client }: Pick<Call, 'caller' | 'client'>): string =>
  caller && !caller.isPayer ? caller.id : client

type Asked = { operation_id?: string | undefined; dry_run: boolean }

/** The price of a review: nothing for an operation that was answered within the last day. Throws `conflict` for another artifact. */
export const quoteReview = async (
  ctx: Pick<Call, 'caller' | 'client'> & Pick<Ports, 'store' | 'clock'>,
  input: Asked,
): Promise<Price> => {
  const { operation_id: operation, dry_run: isDry } = input
  if (operation === undefined || isDry) return prices.review
  const earlier = await findOperation(ctx.store, {
    who: nameCaller(ctx),
    operation,
    digest: digestInput(input),
    now: ctx.clock.now(),
  })
  return earlier === undefined ? prices.review : free
}

const isListed = (severity: Severity, threshold: Threshold): boolean =>
  threshold === 'all' || severities.indexOf(severity) <= severities.indexOf(threshold)

/** The worst in a sentence, and how much was found of each kind. */
const summarize = ({ verdict, findings, gate, engine, onchainRisk }: Judged): string => {
  const counts = [
    [countText(findings.filter(({ severity }) => severity === 'blocker').length, 'blocker'), 0],
    [
      countText(
        findings.filter(({ severity }) => severityRank(severity) === 1 || severityRank(severity) === 2)
          .length,
        'concern',
      ),
      1,
    ],
    [countText(findings.filter(({ severity }) => severityRank(severity) > 2).length, 'remark'), 3],
  ] as const
  const found = counts.flatMap(([text]) => (text.startsWith('0') ? [] : [text])).join(', ')
  if (gate.triggered)
    return `It cannot be undone, and too little of it could be understood${found === '' ? '' : `; found: ${found}`}.`
  const [worst] = findings
  if (verdict === 'approve' || !worst) {
    const by = onchainRisk ? 'the rules' : engine.split('+').join(', ')
    return `Nothing that speaks against it was found (${by})${found === '' ? '' : `; ${found}`}.`
  }
  return `${worst.detail} Found: ${found}.`
}

const hashOr = (value: unknown): string | null => (value === undefined ? null : hashJson(value))

const decide = (judged: Judged, request: ReviewRequest, now: Date): DecisionInputs => ({
  artifact_hash: sha256(judged.text),
  artifact_type: judged.type,
  context_hash:
    request.context === undefined && request.concerns === undefined
      ? null
      : hashJson({ context: request.context ?? null, concerns: request.concerns ?? null }),
  policy_version: judged.policyVersion,
  source_class: judged.engine,
  verdict: judged.verdict,
  confidence: judged.confidence,
  checked_at: now.toISOString(),
  state_hash: request.state_hash ?? null,
  artifact_source_hash: hashOr(request.artifact_source),
  external_evidence_hash: hashOr(request.external_evidence),
  related_proof_event: request.related_proof_event ?? null,
  trading_state_hash: judged.tradingState ? hashJson(judged.tradingState) : null,
  action_binding_hash: hashOr(request.action_binding),
  intended_audience: request.intended_audience ?? null,
  intended_verifier: request.intended_verifier ?? null,
  request_capture_ref: request.request_capture_ref ?? null,
})

/** Public part of the proof beside the decision. */
const disclose = (judged: Judged, { confidentiality_tier: tier, disclosed_summary }: ReviewRequest) => {
  if (tier === 'hash_only') return {}
  return {
    rules: [...new Set(judged.findings.map(({ rule }) => rule))],
    ...(disclosed_summary !== undefined && { disclosed_summary }),
    ...(tier === 'full_disclosure' && { artifact: judged.text }),
  }
}

type Deps = Pick<Call, 'caller' | 'client' | 'commit' | 'base' | 'receipt'> &
  Pick<Ports, 'store' | 'clock' | 'sign'> & { transparencyLog: TransparencyLog }

/** The answer of a review: its decision, and its proof, which is entered into the ledger in the transaction of the call. */
export const answerReview = async (
  ctx: Deps,
  input: Asked,
  request: ReviewRequest,
  judged: Judged,
): Promise<ReviewAnswer> => {
  const now = ctx.clock.now()
  const { operation_id: operation, dry_run: isDry } = input
  const { tradingState: state } = judged
  const decision = decide(judged, request, now)
  const decision_ref = toDecisionRef(decision)
  const unsigned: ReviewAnswer = {
    type: 'structured_review',
    verdict: judged.verdict,
    confidence: judged.confidence,
    summary: summarize(judged),
    issues: judged.findings
      .filter(({ severity }) => isListed(severity, request.severity_threshold))
      .slice(0, maxIssues)
      .map(({ fix, ...finding }) => ({ ...finding, suggested_fix: fix })),
    reversibility_gate: judged.gate,
    engine: judged.engine,
    policy_version: judged.policyVersion,
    read_as: [...judged.readAs],
    checks_run: request.list_checks ? [...(judged.checkIds ?? judged.checksRun)] : [...judged.checksRun],
    not_checked: [...judged.notChecked],
    trading_state: state
      ? {
          equity: state.equity,
          positions: state.positions
            .slice(0, maxPositions)
            .map(({ symbol, size, pnl }) => ({ symbol, size, pnl })),
          paused: state.paused,
          regime: state.regime,
          at: state.at,
        }
      : null,
    decision_inputs: decision,
    decision_ref,
    operation_id: operation ?? null,
    onchain_risk: judged.onchainRisk,
    epistemic_basis: toBasis(judged),
    proof: null,
  }
  const signed =
    request.sign && !isDry
      ? await signProof(ctx, {
          schema: 'octagent.verdict_proof.v1',
          artifactHash: decision.artifact_hash,
          payload: {
            artifact_type: judged.type,
            verdict: judged.verdict,
            confidence: judged.confidence,
            policy_version: judged.policyVersion,
            decision_ref,
            decision_inputs: decision,
            confidentiality_tier: request.confidentiality_tier,
            verified_at: decision.checked_at,
            ...disclose(judged, request),
          },
          source: 'observed',
          leaf: { type: 'verdict', verdict: judged.verdict, decision_ref },
        })
      : undefined
  if (isDry || (!signed && operation === undefined)) return unsigned
  const key =
    operation === undefined ? undefined : { who: nameCaller(ctx), operation, digest: digestInput(input), now }
  return ctx.commit(async tx => {
    const earlier = key && (await findOperation(tx, key))
    if (earlier !== undefined) return earlier as ReviewAnswer
    const answer: ReviewAnswer = signed
      ? {
          ...unsigned,
          proof: {
            ...(await enterProof(ctx, tx, ctx.base, signed)),
            content_sha256: textDigest(signed.event.content),
          },
        }
      : unsigned
    if (key) await saveOperation(tx, { ...key, answer: answer as unknown as Json })
    return answer
  })
}

const toBasis = ({ verdict, gate }: Judged): ReviewAnswer['epistemic_basis'] => {
  if (verdict !== 'reject') return null
  return gate.triggered ? 'insufficient_evidence' : 'evidence_against'
}
