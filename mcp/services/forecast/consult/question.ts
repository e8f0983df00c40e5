import { toIsoUtc } from '../../../lib/time.ts'
import { findDeadline } from './deadline.ts'
import { readNegation } from './negation.ts'
import { refuse } from './refusal.ts'

/** A question that can be answered with a probability. */
export type Question = {
  readonly text: string
  readonly closesAt: Date
  /** Days from now to the close. */
  readonly days: number
  /** It asks whether something will not happen; `positive` asks whether it will. */
  readonly isNegated: boolean
  readonly positive: string
}

/** Questions whose price somebody might make true by harm, or that ask for the means of it. */
const unsafe: readonly RegExp[] = [
  /\bassassinat/i,
  /\b(?:be|get|is|are)\s+(?:murdered|killed|poisoned|shot|kidnapped|raped|lynched)\b/i,
  /\b(?:commit|attempt)s?\s+suicide\b|\bkill(?:s|ed)?\s+(?:him|her|them|my)self\b/i,
  /\b(?:build|make|synthesi[sz]e|buy|obtain)\b.{0,40}\b(?:bomb|nerve agent|sarin|ricin|bioweapon|explosives?)\b/i,
  /\b(?:terror(?:ist)?\s+attack|mass\s+shooting|school\s+shooting)\b/i,
  /\bchild\s+(?:porn|sexual)/i,
]

const auxiliary = 'will|would|does|do|did|is|are|has|have|can'
const openWord = 'what|who|whom|whose|which|when|where|why|how'
const openWords = new RegExp(`^(?:${openWord})\\b`, 'i')
const maxYears = 50
const day = 86_400_000

const countQuestions = (text: string): number => {
  const marks = text.match(/\?+(?=\s|$)/g)?.length ?? 0
  const joined =
    text.match(new RegExp(`\\b(?:and|or)\\s+(?:${auxiliary}|${openWord})\\s+\\S+`, 'gi'))?.length ?? 0
  return Math.max(marks, 1) + joined
}

/**
 * Reads a question. Throws `invalid_input` that names the field for one that is open, double, unsafe, without a date, or over: all of
 * it before anybody pays.
 */
export const readQuestion = (
  { question, closes_at }: { question: string; closes_at?: string | undefined },
  now: Date,
): Question => {
  const text = question.normalize('NFC').replace(/\s+/g, ' ').trim()
  if (unsafe.some(pattern => pattern.test(text)))
    throw refuse(
      'question',
      'asks about harm to somebody, or the means of it; no price is put on that',
      'unsafe',
    )
  if (openWords.test(text))
    throw refuse(
      'question',
      'must be answered by yes or no',
      'not_binary',
      'Ask "Will … by 31 December 2027?" in place of what, who or how much.',
    )
  if ((text.match(/\p{L}{2,}/gu) ?? []).length < 3)
    throw refuse(
      'question',
      'asks nothing that could come true or not',
      'empty',
      'Ask "Will … by 31 December 2027?"',
    )
  if (countQuestions(text) > 1)
    throw refuse('question', 'asks more than one thing', 'two_questions', 'Ask each by itself.')
  const iso = closes_at === undefined ? undefined : (toIsoUtc(closes_at) ?? undefined)
  const closesAt = iso === undefined ? findDeadline(text, now)?.at : new Date(iso)
  if (!closesAt)
    throw refuse(
      'closes_at',
      'must be given, as the question names no date',
      'no_date',
      'Add a date to the question, such as "by 31 December 2027", or set closes_at.',
    )
  const days = (closesAt.getTime() - now.getTime()) / day
  if (days <= 0) throw refuse('closes_at', `must be in the future; ${closesAt.toISOString()} is past`, 'over')
  if (days > maxYears * 365.25) throw refuse('closes_at', `must be within ${maxYears} years`, 'too_far')
  return { text, closesAt, days, ...readNegation(text) }
}
