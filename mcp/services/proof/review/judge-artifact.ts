import { ToolError } from '../../../kernel/error.ts'
import type { Call } from '../../../kernel/tool.ts'
import type { Ports } from '../../../ports/ports.ts'
import { hasPlainTexts } from '../proofs/plain-text.ts'
import type { Judged } from './answer.ts'
import type { ArtifactType } from './artifact-type.ts'
import type { KnownBad, TradingStateSource } from './config.ts'
import { type Finding, findingOfKnownBad } from './finding.ts'
import type { ArtifactSource } from './request-schema.ts'
import { reviewText } from './review-text.ts'
import { policyVersion } from './verdict.ts'

/** Characters of an artifact. */
export const maxArtifact = 20_000

/** Things no layer checks, whatever the artifact. */
const notChecked = [
  'whether the code does what it is meant to do',
  'what other files, systems and people make of it',
  'that names, numbers and sources in it are true',
]

/** Artifact to judge. */
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

type Decoded = Awaited<ReturnType<typeof decodeOnchain>>

const decodeOnchain = async ({ artifact, artifact_source = {} }: ArtifactInput, now: Date) => {
  const source: ArtifactSource = artifact_source
  const [{ readActionText }, { readScene }] = await Promise.all([
    import('../onchain/action.ts'),
    import('../onchain/read-scene.ts'),
  ])
  const action = readActionText(artifact, {
    chainId: source.chain_id,
    contract: source.contract_address,
  })
  return readScene(action, now)
}

const decodedArtifacts = new WeakMap<ArtifactInput, Promise<Decoded>>()

/** Decodes an on-chain action, once for each input; refuses what is none before anything is charged. */
const readOnchain = (input: ArtifactInput, now: Date): Promise<Decoded> => {
  const scene = decodedArtifacts.get(input) ?? decodeOnchain(input, now)
  decodedArtifacts.set(input, scene)
  return scene
}

/** Findings for addresses of the registry. */
const findKnownBad = (text: string, knownBad: readonly KnownBad[]): Finding[] => {
  const lower = text.toLowerCase()
  return knownBad.filter(({ address }) => lower.includes(address.toLowerCase())).map(findingOfKnownBad)
}

const missingState: Finding = {
  rule: 'trading-state',
  layer: 'facts',
  severity: 'medium',
  category: 'trade',
  detail: 'The trading state is not available here.',
  fix: 'Compare the trade with the book by yourself.',
  place: {},
}

/** Refuses what cannot be judged, before anything is charged. */
export const checkArtifact = async (input: ArtifactInput, now: Date): Promise<void> => {
  checkText(input.artifact)
  if (input.artifact_type === 'onchain_action') await readOnchain(input, now)
}

type Deps = Pick<Ports, 'clock' | 'workers'> &
  Partial<Pick<Ports, 'evm' | 'llm'>> &
  Pick<Call, 'signal'> & {
    knownBad: readonly KnownBad[]
    tradingState?: TradingStateSource | undefined
  }

/** Judges an artifact, which was checked before, by every layer. */
export const judgeArtifact = async (deps: Deps, input: ArtifactInput): Promise<Judged> => {
  const { tradingState: source, knownBad, clock, workers, evm, llm, signal } = deps
  const { artifact: text, artifact_type: type, context, include_trading_state: wantsState = false } = input
  if (type === 'onchain_action') {
    const scene = await readOnchain(input, clock.now())
    const { reviewScene } = await import('../onchain/review-action.ts')
    return reviewScene({ knownBad, evm, signal }, scene, text)
  }
  const state = wantsState ? await source?.read() : undefined
  const further = [...findKnownBad(text, knownBad), ...(wantsState && !state ? [missingState] : [])]
  const reviewed = await reviewText({ workers, llm, signal, further }, { type, text, context, state })
  return {
    ...reviewed,
    text,
    type,
    notChecked: [...notChecked, ...reviewed.notChecked],
    policyVersion,
    tradingState: state,
    onchainRisk: null,
  }
}
