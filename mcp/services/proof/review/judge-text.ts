import { type ArtifactType, readArtifact, type TradingState } from './artifact.ts'
import { type Judgement, judge } from './decide.ts'

/** Where this is, for a thread to load. */
export const module = import.meta.url

/** An artifact of any type but an on-chain action, and what it is judged with. */
export type TextToJudge = {
  type: ArtifactType
  text: string
  context: string | undefined
  state: TradingState | undefined
}

/** What the rules say of a text, and how it was read. */
export type TextJudgement = Pick<Judgement, 'confidence' | 'findings' | 'checksRun'> & {
  readAs: readonly string[]
  problems: readonly string[]
}

/** Reads a text in every way that rules look at it, and judges it by all of them. */
export const judgeText = ({ type, text, context, state }: TextToJudge): TextJudgement => {
  const artifact = readArtifact(type, text, context, state)
  const { confidence, findings, checksRun } = judge(artifact)
  return { confidence, findings, checksRun, readAs: artifact.views, problems: artifact.problems }
}
