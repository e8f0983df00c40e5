import type { AnyTool } from '../../kernel/tool.ts'
import btcRegime from './btc-regime.ts'
import decision from './decision.ts'
import ecosystemBrief from './ecosystem-brief.ts'
import marketRegime from './market-regime.ts'
import marketsAct from './markets-act.ts'
import reason from './reason.ts'
import signals from './signals.ts'

/** Reasoning, decision and market tools. */
export const reasoningTools: readonly AnyTool[] = [
  reason,
  decision,
  signals,
  btcRegime,
  marketRegime,
  ecosystemBrief,
  marketsAct,
]
