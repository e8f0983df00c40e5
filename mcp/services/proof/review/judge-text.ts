import { type Artifact, readArtifact } from './artifact.ts'
import type { ArtifactType } from './artifact-type.ts'
import { type Judgement, judge } from './decide.ts'
import { readTrade } from './rules/trade.ts'
import type { TradingState } from './trading-state.ts'

/** The price in USD that a market marks a coin with. */
export type Mark = { coin: string; price: number }

/** An artifact of any type but an on-chain action, and what it is judged with. */
export type TextToJudge = {
  type: ArtifactType
  text: string
  context?: string | undefined
  state?: TradingState | undefined
  marks?: readonly Mark[]
}

/** What the rules say of a text, how it was read, and the mark that a trade was held against. */
export type TextJudgement = Pick<Judgement, 'verdict' | 'confidence' | 'findings' | 'checksRun'> & {
  readAs: readonly string[]
  problems: readonly string[]
  mark: number | null
}

/** The price of the market that a trade is in, where it names a coin that is known and no price of the market itself. */
const withMark = (
  artifact: Artifact,
  marks: readonly Mark[],
): { artifact: Artifact; mark: number | null } => {
  if (marks.length === 0) return { artifact, mark: null }
  const trade = readTrade(artifact)
  const symbol = trade.symbol?.toUpperCase() ?? ''
  const found = marks.find(
    ({ coin }) => symbol === coin || new RegExp(`^${coin}[-/_]?(?:USDT?|USDC|PERP)`).test(symbol),
  )
  const mark = found?.price ?? null
  if (mark === null || trade.mark !== undefined) return { artifact, mark }
  return { artifact: { ...artifact, record: { ...artifact.record, mark_price: mark } }, mark }
}

/** Reads a text in every way that rules look at it, and judges it by all of them. */
export const judgeText = ({ type, text, context, state, marks = [] }: TextToJudge): TextJudgement => {
  const { artifact, mark } = withMark(readArtifact(type, text, context, state), marks)
  const { verdict, confidence, findings, checksRun } = judge(artifact)
  return {
    verdict,
    confidence,
    findings,
    checksRun,
    readAs: artifact.views,
    problems: artifact.problems,
    mark,
  }
}
