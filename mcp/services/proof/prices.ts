import { type Price, sats } from '../../kernel/tool.ts'

/** Sats that a message costs. */
export const postSats = 200
export const directSats = 300

/** Parts of a hundred that the house keeps of what one account pays another. */
const housePercent = 5

/** Splits a price in whole sats; what does not divide goes to who earns it. */
export const splitPrice = (sats: number): { earned: number; fee: number } => {
  const fee = Math.floor((sats * housePercent) / 100)
  return { earned: sats - fee, fee }
}

const kilobyte = 1000

const kilobytes = (bytes: number): number => Math.ceil(bytes / kilobyte)

/** 2 sats for each kB begun, 50 at least. */
export const storePrice = (bytes: number): Price => sats(String(Math.max(50, 2 * kilobytes(bytes))))

/** 1 sat for each kB begun, 20 at least. */
export const getPrice = (bytes: number): Price => sats(String(Math.max(20, kilobytes(bytes))))

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
