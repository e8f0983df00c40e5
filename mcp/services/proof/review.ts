import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { type Context, free, tool } from '../../kernel/tool.ts'
import type { Json } from '../../ports/index.ts'
import { prices } from './prices.ts'
import { artifactTypes, readArtifact, type TradingState } from './review/artifact.ts'
import { type KnownBad, reviewSettings, tradingState } from './review/config.ts'
import { engine, gateVerdict, judge, policyVersion, toVerdict } from './review/decide.ts'
import { type DecisionInputs, hashJson, sha256, toDecisionRef } from './review/decision.ts'
import { type Finding, type Severity, severities } from './review/finding.ts'
import { findOperation, saveOperation } from './review/operation.ts'

const maxArtifact = 20_000

const name = z.string().min(1).max(256)
const thresholds = ['blocker', 'high', 'medium', 'all'] as const

const PlaceFields = z
  .object({
    file: z.string().optional().describe('File of a diff'),
    line: z.number().int().optional().describe('Line of the artifact or the file'),
    path: z.string().optional().describe('Field of a setting or a trade'),
  })
  .describe('Where it is')

/** What the rules do not look at, whatever the artifact. */
const notChecked = [
  'whether the code does what it is meant to do',
  'what other files, systems and people make of it',
  'that names, numbers and sources in it are true',
]

type Input = {
  artifact: string
  artifact_type: (typeof artifactTypes)[number]
  context?: string | undefined
  concerns?: string | undefined
  include_trading_state: boolean
  operation_id?: string | undefined
}

/** What an operation is told apart by: everything but its own name. */
const digestInput = ({ operation_id: _, ...input }: Input): string => hashJson(input)

const nameCaller = ({ caller, client }: Pick<Context<never>, 'caller' | 'client'>): string =>
  caller?.id ?? client

const binaryText = /[^\P{Cc}\t\n\r\f\v]|\ufffd{2}/u

const refuse = (path: string, message: string, hint: string): never => {
  throw new ToolError('invalid_input', `${path} ${message}.`, { issues: [{ path, message }], hint })
}

const checkArtifact = ({ artifact, artifact_type: type }: Input) => {
  if (artifact.trim() === '') refuse('artifact', 'is empty', 'Send the text of what is to be reviewed.')
  if (binaryText.test(artifact))
    refuse('artifact', 'is not text', 'Send a text; a binary file cannot be reviewed.')
  if (type === 'onchain_action')
    refuse(
      'artifact_type',
      'onchain_action is not reviewed here',
      'A transaction is not text: its calldata has to be decoded.',
    )
}

/** Findings for addresses of the registry. */
const findKnownBad = (text: string, knownBad: readonly KnownBad[]): Finding[] => {
  const lower = text.toLowerCase()
  return knownBad
    .filter(({ address }) => lower.includes(address.toLowerCase()))
    .map(({ address, reason }) => ({
      rule: 'known-bad-address',
      severity: 'blocker',
      category: 'onchain',
      detail: `${address} is known to be bad: ${reason}`,
      fix: 'Do not deal with it.',
      place: {},
    }))
}

const isListed = (severity: Severity, threshold: (typeof thresholds)[number]): boolean =>
  threshold === 'all' || severities.indexOf(severity) <= severities.indexOf(threshold)

const summarize = (verdict: string, findings: readonly Finding[]): string => {
  const [worst] = findings
  if (!worst || verdict === 'approve') return 'No rule found anything that speaks against it.'
  const more = findings.filter(({ severity }) => severity !== 'low' && severity !== 'info').length - 1
  return `${worst.detail}${more > 0 ? ` And ${more} more.` : ''}`
}

export default tool({
  name: 'review',
  title: 'Review before acting',
  description:
    'An independent verdict on a command, diff, plan, configuration, trade, screening or text before it is acted on: approve, approve_with_concerns or reject, with each issue, its place and a fix. Use it before what cannot be undone. The rules are deterministic. 200 sats.',
  keywords: [
    'code review',
    'safety check',
    'guardrail',
    'audit',
    'second opinion',
    'dangerous command',
    'approve',
    'sentinel',
  ],
  input: z.object({
    artifact: z
      .string()
      .max(maxArtifact, `must have at most ${maxArtifact} characters`)
      .describe('What is to be reviewed, as it would be used; up to 20,000 characters'),
    artifact_type: z.enum(artifactTypes).default('general').describe('What it is; general finds out'),
    context: z.string().max(4000).optional().describe('What it is for'),
    concerns: z.string().max(2000).optional().describe('What you worry about; it is part of the decision'),
    severity_threshold: z
      .enum(thresholds)
      .default('all')
      .describe('Issues below it are not listed; the verdict is the same'),
    include_trading_state: z.boolean().default(false).describe('Hold a trade against the live trading state'),
    operation_id: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .describe(
        'A name of your own for this review: the same one within a day is answered the same, at no cost',
      ),
    state_hash: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .describe('Hash of the state that the action starts from'),
    intended_audience: name.optional().describe('Whom the decision is for'),
    intended_verifier: name.optional().describe('Who will verify it, such as a CAIP-10 account'),
    request_capture_ref: name.optional().describe('Where the request is recorded'),
    action_binding: z
      .object({
        tool: z.string().max(200).describe('Tool that would be called'),
        agent_id: z.string().max(200).optional().describe('Who would call it'),
        args_hash: z.string().max(128).optional().describe('SHA-256 of its arguments as canonical JSON'),
      })
      .optional()
      .describe('The one call that the decision holds for'),
  }),
  aliases: { artifact: ['action', 'proposed_action', 'input'] },
  output: z.object({
    type: z.literal('structured_review').describe('Form of the answer'),
    verdict: z.enum(['approve', 'approve_with_concerns', 'reject']).describe('What to do'),
    confidence: z.number().min(0).max(1).describe('How much of it could be judged: 0.95 for a blocker'),
    summary: z.string().describe('The worst in a sentence'),
    issues: z
      .array(
        z.object({
          rule: z.string().describe('Id of the rule'),
          severity: z.enum(severities).describe('A blocker rejects; high and medium are concerns'),
          category: z.string().describe('Kind of issue'),
          detail: z.string().describe('What was found'),
          suggested_fix: z.string().describe('What to do about it'),
          place: PlaceFields,
        }),
      )
      .describe('What was found, worst first'),
    reversibility_gate: z
      .object({
        triggered: z.boolean().describe('An irreversible action was hardly understood, and is rejected'),
        original_verdict: z.string().describe('The verdict before'),
        confidence: z.number().describe('Confidence'),
        threshold: z.number().describe('Below it irreversible actions are rejected'),
      })
      .describe('Irreversible actions need confidence'),
    engine: z.string().describe('What made the verdict'),
    policy_version: z.string().describe('Version of the rules'),
    read_as: z.array(z.string().describe('A way')).describe('Ways in which the artifact was read'),
    checks_run: z.array(z.string().describe('Id of a rule')).describe('Rules that were run'),
    not_checked: z.array(z.string().describe('One thing')).describe('What was not looked at'),
    trading_state: z
      .object({
        equity: z.number().describe('Equity'),
        paused: z.boolean().describe('Trading is paused'),
        regime: z.string().nullable().describe('Regime of the market'),
        at: z.string().describe('As of when'),
      })
      .nullable()
      .describe('The state that a trade was held against; null without'),
    decision_inputs: z
      .object({
        artifact_hash: z.string().describe('SHA-256 of the artifact'),
        artifact_type: z.string().describe('Type'),
        context_hash: z.string().nullable().describe('SHA-256 of the canonical JSON of context and concerns'),
        policy_version: z.string().describe('Version of the rules'),
        source_class: z.string().describe('What made the verdict'),
        verdict: z.string().describe('Verdict'),
        confidence: z.number().describe('Confidence'),
        checked_at: z.string().describe('When'),
        state_hash: z.string().nullable().describe('As it came'),
        trading_state_hash: z.string().nullable().describe('Hash of the trading state'),
        action_binding_hash: z.string().nullable().describe('Hash of action_binding'),
        intended_audience: z.string().nullable().describe('As it came'),
        intended_verifier: z.string().nullable().describe('As it came'),
        request_capture_ref: z.string().nullable().describe('As it came'),
      })
      .describe('What the decision follows from and holds for'),
    decision_ref: z.string().describe('SHA-256 of the canonical JSON (RFC 8785) of decision_inputs'),
    operation_id: z.string().nullable().describe('Your name for it'),
  }),
  needs: ['store', 'clock', reviewSettings.knownBad],
  wants: [tradingState],
  price: prices.review,
  async quote({ store, clock, caller, client }, input) {
    checkArtifact(input)
    const { operation_id: operation } = input
    if (operation === undefined) return prices.review
    const earlier = await findOperation(store, {
      who: nameCaller({ caller, client }),
      operation,
      digest: digestInput(input),
      now: clock.now(),
    })
    return earlier === undefined ? prices.review : free
  },
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { tags: ['review', 'safety'], text: ['review:<artifact>'] },
  rest: { routes: ['POST /review'] },
  examples: [
    { artifact: 'rm -rf "$BUILD"/*', artifact_type: 'shell_command' },
    { artifact: 'DELETE FROM orders;', context: 'Tidying up the test data' },
  ],
  summary: ({ verdict, summary }) => `${verdict.replaceAll('_', ' ')}: ${summary}`,
}).run(async ({ clock, caller, client, commit, knownBad, tradingState }, input) => {
  checkArtifact(input)
  const { artifact: text, artifact_type: type, context = '', operation_id: operation } = input
  const state: TradingState | undefined =
    input.include_trading_state && tradingState ? await tradingState.read() : undefined
  const now = clock.now()
  const artifact = readArtifact(type, text, context, state)
  const judged = judge(artifact)
  const listed = findKnownBad(text, knownBad)
  const stateMissing: Finding[] =
    input.include_trading_state && !state
      ? [
          {
            rule: 'trading-state',
            severity: 'medium',
            category: 'trade',
            detail: 'The trading state is not available here.',
            fix: 'Compare the trade with the book by yourself.',
            place: {},
          },
        ]
      : []
  const findings = [...listed, ...judged.findings, ...stateMissing]
  const confidence = listed.length > 0 ? 0.95 : judged.confidence
  const { verdict, gate } = gateVerdict(type, toVerdict(findings), confidence)
  const decision: DecisionInputs = {
    artifact_hash: sha256(text),
    artifact_type: type,
    context_hash:
      input.context === undefined && input.concerns === undefined
        ? null
        : hashJson({ context: input.context ?? null, concerns: input.concerns ?? null }),
    policy_version: policyVersion,
    source_class: engine,
    verdict,
    confidence,
    checked_at: now.toISOString(),
    state_hash: input.state_hash ?? null,
    trading_state_hash: state ? hashJson(state) : null,
    action_binding_hash: input.action_binding ? hashJson(input.action_binding) : null,
    intended_audience: input.intended_audience ?? null,
    intended_verifier: input.intended_verifier ?? null,
    request_capture_ref: input.request_capture_ref ?? null,
  }
  const answer = {
    type: 'structured_review' as const,
    verdict,
    confidence,
    summary: gate.triggered
      ? 'It cannot be undone, and too little of it could be understood.'
      : summarize(verdict, findings),
    issues: findings
      .filter(({ severity }) => isListed(severity, input.severity_threshold))
      .slice(0, 100)
      .map(({ fix, ...finding }) => ({ ...finding, suggested_fix: fix })),
    reversibility_gate: gate,
    engine,
    policy_version: policyVersion,
    read_as: [...artifact.views],
    checks_run: judged.checksRun,
    not_checked: [...notChecked, ...artifact.problems.map(problem => `a part of it: ${problem}`)],
    trading_state: state
      ? { equity: state.equity, paused: state.paused, regime: state.regime, at: state.at }
      : null,
    decision_inputs: decision,
    decision_ref: toDecisionRef(decision),
    operation_id: operation ?? null,
  }
  if (operation === undefined) return answer
  const asked = { who: nameCaller({ caller, client }), operation, digest: digestInput(input), now }
  return commit(async tx => {
    const earlier = await findOperation(tx, asked)
    if (earlier !== undefined) return earlier as typeof answer
    await saveOperation(tx, { ...asked, answer: answer as unknown as Json })
    return answer
  })
})
