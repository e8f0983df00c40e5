import { toIsoUtc } from '../../../lib/time.ts'
import { findDeadline, monthNamePattern } from './deadline.ts'
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

const lead = `(?:if\\s+(?:so|not),?\\s+)?(?:(?:at|by|for|from|in|on|to|with)\\s+)?`

/** A second question: joined by a conjunction or a semicolon, or by a comma where the word after it asks for more than yes or no. */
const secondQuestion = new RegExp(
  `(?:(?:\\b(?:and|or|plus)|[&+;])\\s+${lead}(?:${auxiliary}|${openWord})|,\\s+${lead}(?:how|what|why))(?:\\s+\\S+|(?=\\?))`,
  'gi',
)

const countQuestions = (text: string): number =>
  Math.max(text.match(/\?+(?=\s|$)/g)?.length ?? 0, 1) + (text.match(secondQuestion)?.length ?? 0)

/** Words that name nothing: without any other one, nothing is asked. */
const emptyWords = new Set(
  `a all an and any anyone anybody anything are as at be been before being by can case could day days did do does either end event ever
every everybody everyone everything for from had happen happened happening happens has have having he her here him his how if in into is it
its itself just like may me might more month months most much must my never next no nobody none not nothing now occur occurs of off on
once one only or other our out over she should so some somebody somehow someone something somewhere such than that the their them then there
these they thing things this those through time times to too true until up us very was we week weeks were what when where whether which while who
whole why will with within without would year years yes yet you your`.split(/\s+/),
)

const asksNothing = (text: string): boolean =>
  !(text.match(/\p{L}{2,}/gu) ?? []).some(
    word => !emptyWords.has(word.toLowerCase()) && !monthNamePattern.test(word),
  )

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
  if ((text.match(/\p{L}{2,}/gu) ?? []).length < 3 || asksNothing(text))
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
