import { sats } from '../../kernel/tool.ts'
import { directSats, postSats } from './messages/price.ts'

/** Prices of this service's calls, in one place. */
export const prices = {
  prove: sats('100'),
  witness: sats('100'),
  ledgerSubmit: sats('150'),
  review: sats('200'),
  validate: sats('300'),
  reason: sats('100'),
  decision: sats('180'),
  /** Of options in numbers: no model is asked. */
  decisionArithmetic: sats('20'),
  messagePost: sats(String(postSats)),
  messageDm: sats(String(directSats)),
  signals: sats('40'),
  marketRegime: sats('30'),
  ecosystemBrief: sats('40'),
  /** Less than its three parts; and with a trade to review, less than those and a review. */
  marketsAct: sats('105'),
  marketsActReviewed: sats('205'),
} as const
