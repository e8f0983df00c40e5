import { ToolError } from '../../../kernel/error.ts'
import type { Call } from '../../../kernel/tool.ts'
import type { Ports, Workers } from '../../../ports/index.ts'
import { hasPlainTexts } from '../proofs/plain-text.ts'
import type { Judged } from './answer.ts'
import type { ArtifactType } from './artifact-type.ts'
import type { KnownBad, TradingStateSource } from './config.ts'
import { type Finding, findingOfKnownBad } from './finding.ts'
import type { ArtifactSource } from './request-schema.ts'
import { runRules } from './run-rules.ts'
import type { TradingState } from './trading-state.ts'
import { gateVerdict, policyVersion, toVerdict } from './verdict.ts'

/** Characters of an artifact. */
export const maxArtifact = 20_000

/** What the rules do not look at, whatever the artifact. */
const notChecked = [
  'whether the code does what it is meant to do',
  'what other files, systems and people make of it',
  'that names, numbers and sources in it are true',
]

/** What is to be judged. */
export type ArtifactInput = {
  artifact: string
  artifact_type: ArtifactType
  artifact_source?: Readonly<Record<string, unknown>> | undefined
  context?: string | undefined
  include_trading_state?: boolean
}

const binaryText = /[^\P{Cc}\t\n\r\f\v]|\ufffd{2}/u

const refuse = (path: string, message: string, hint: string): never => {
  throw new ToolError('invalid_input', `${path} ${message}.`, { issues: [{ path, message }], hint })
}

const checkText = (text: string) => {
  if (text.trim() === '') refuse('artifact', 'is empty', 'Send the text of what is to be reviewed.')
  if (binaryText.test(text) || !hasPlainTexts(text))
    refuse('artifact', 'is not text', 'Send a text; a binary file cannot be reviewed.')
}

/** Reads an on-chain action; refuses what is none before anything is charged. */
const readOnchain = async ({ artifact, artifact_source = {} }: ArtifactInput, now: Date) => {
  const source: ArtifactSource = artifact_source
  const [{ readActionText }, { readScene }] = await Promise.all([
    import('../onchain/action.ts'),
    import('../onchain/read-scene.ts'),
  ])
  const action = readActionText(artifact, {
    chainId: source.chain_id,
    contract: source.contract_address,
  })
  await readScene(action, now)
  return action
}

/** Findings for addresses of the registry. */
const findKnownBad = (text: string, knownBad: readonly KnownBad[]): Finding[] => {
  const lower = text.toLowerCase()
  return knownBad.filter(({ address }) => lower.includes(address.toLowerCase())).map(findingOfKnownBad)
}

const missingState: Finding = {
  rule: 'trading-state',
  severity: 'medium',
  category: 'trade',
  detail: 'The trading state is not available here.',
  fix: 'Compare the trade with the book by yourself.',
  place: {},
}

type Facts = {
  context: string | undefined
  state: TradingState | undefined
  isStateMissing: boolean
  knownBad: readonly KnownBad[]
}

const reviewText = async (
  workers: Workers,
  { artifact: text, artifact_type: type }: ArtifactInput,
  facts: Facts,
): Promise<Judged> => {
  const judged = await runRules(workers, { type, text, context: facts.context, state: facts.state })
  const listed = findKnownBad(text, facts.knownBad)
  const findings = [...listed, ...judged.findings, ...(facts.isStateMissing ? [missingState] : [])]
  const confidence = listed.length > 0 ? 0.95 : judged.confidence
  const { verdict, gate } = gateVerdict(type, toVerdict(findings), confidence)
  return {
    text,
    type,
    verdict,
    confidence,
    findings,
    gate,
    checksRun: judged.checksRun,
    notChecked: [...notChecked, ...judged.problems.map(problem => `a part of it: ${problem}`)],
    readAs: judged.readAs,
    policyVersion,
    tradingState: facts.state,
    onchainRisk: null,
  }
}

/** Refuses what cannot be judged, before anything is charged. */
export const checkArtifact = async (input: ArtifactInput, now: Date): Promise<void> => {
  checkText(input.artifact)
  if (input.artifact_type === 'onchain_action') await readOnchain(input, now)
}

type Deps = Pick<Ports, 'clock' | 'workers'> &
  Partial<Pick<Ports, 'evm'>> &
  Pick<Call, 'signal'> & {
    knownBad: readonly KnownBad[]
    tradingState?: TradingStateSource | undefined
  }

/** Judges an artifact, which was checked before, by the rules. */
export const judgeArtifact = async (deps: Deps, input: ArtifactInput): Promise<Judged> => {
  const { tradingState: source, knownBad, clock, workers, evm, signal } = deps
  if (input.artifact_type === 'onchain_action') {
    const action = await readOnchain(input, clock.now())
    const { reviewAction } = await import('../onchain/review-action.ts')
    return reviewAction({ now: clock.now(), knownBad, evm, signal }, action, input.artifact)
  }
  const { include_trading_state: wantsState = false } = input
  const state = wantsState ? await source?.read() : undefined
  return reviewText(workers, input, {
    context: input.context,
    state,
    isStateMissing: wantsState && !state,
    knownBad,
  })
}
