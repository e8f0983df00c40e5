import { ToolError } from '../../../kernel/error.ts'
import { readNumeral, toDecimal } from '../../../lib/text/amount/amount.ts'
import { findMoney } from '../../../lib/text/amount/money.ts'
import { openCover } from '../../../lib/text/amount/span.ts'
import { dayMs, toIsoUtc } from '../../../lib/time.ts'
import type { CompleteLevel } from '../forms/schema.ts'

/** A refusal of one field of a question, before anybody is asked to pay. */
export const refuse = (path: string, message: string, reason: string, hint?: string): ToolError =>
  new ToolError('invalid_input', `${path}: ${message}.`, { issues: [{ path, message }], reason, hint })

const auxiliaryPattern = /(?:will|would|does|do|is|are|has|have|can|could|should)(?:n't)?|won't|can't|cannot/
  .source
const clauseOpening = new RegExp(`(?:^|[,;:]\\s+(?:and\\s+|then\\s+)?)(?=(?:${auxiliaryPattern})\\b)`, 'gi')

/**
 * Words that begin a clause of another kind: what is denied behind them is no part of what is asked. The clause that "the case that"
 * and its like begin is what is asked.
 */
const subordinate =
  /\b(?:if|unless|when|while|although|though|because|since|after|before|until|given|assuming|(?<!\b(?:case|true|correct|fact)\s)that|which|who|whose)\b/i

const denial =
  /\b(?:not|never)\b(?!\s+(?:only|just|later than|(?:less|more|fewer) than|before|after)\b)|\b(?:wo|would|does|do|is|are|has|have|ca|could|should)n't\b|\bcannot\b|\b(?:fail|fails)\s+to\b|\bavoids?\b|\b(?:nobody|no one|nothing|none|neither)\b|\b(?:pass|end|close|elapse|go by)\s+without\b|\bno\b(?![.-]|\s+(?:later|earlier|sooner|more|less|fewer|confidence|deal|doubt|matter)\b|\s+[a-z]+er\s+than\b)/gi

const affirmations: Readonly<Record<string, string>> = {
  "won't": 'will',
  "can't": 'can',
  cannot: 'can',
  avoid: 'have',
  avoids: 'has',
  nobody: 'anybody',
  'no one': 'anybody',
  nothing: 'anything',
  none: 'any',
  neither: 'either',
  no: 'any',
}

const toAffirmation = (word: string): string => {
  const affirmation = affirmations[word.toLowerCase()]
  if (affirmation !== undefined) return affirmation
  if (/n't$/i.test(word)) return word.slice(0, -3)
  return /\s+without$/i.test(word) ? word.replace(/without$/i, 'with') : ''
}

/** Blanks of the same length in place of what names something or is said in passing. */
const blankAsides = (text: string): string =>
  text.replace(/\([^)]*\)|"[^"]*"|“[^”]*”|«[^»]*»/g, aside => ' '.repeat(aside.length))

/** Finds the bounds of the clause that asks: in the last sentence with a question mark, from its auxiliary to the next clause. */
const findClause = (text: string): [start: number, end: number] => {
  const end = text.lastIndexOf('?') < 0 ? text.length : text.lastIndexOf('?')
  const sentence = Math.max(...['. ', '! ', '? '].map(mark => text.lastIndexOf(mark, end - 1))) + 1
  const from = text.slice(0, end).length - text.slice(sentence, end).trimStart().length
  const lastOpening = [...text.slice(from, end).matchAll(clauseOpening)].at(-1)
  const start = from + (lastOpening ? lastOpening.index + lastOpening[0].length : 0)
  const next = subordinate.exec(text.slice(start, end))
  return [start, next ? start + next.index : end]
}

/**
 * Whether a question asks if something will not happen, and the question that asks if it will. Two denials cancel out; denials of
 * names, asides and conditions do not count.
 */
export const readNegation = (question: string): { isNegated: boolean; positive: string } => {
  const text = question.replaceAll('’', "'")
  const [start, end] = findClause(blankAsides(text))
  const clause = blankAsides(text).slice(start, end)
  const words = [...clause.matchAll(denial)].filter(
    ({ 0: word, index }) => word !== 'No' && !/\bor\s+$/i.test(clause.slice(0, index)),
  )
  if (words.length % 2 === 0) return { isNegated: false, positive: question }
  let positive = text
  for (const { 0: word, index } of words.reverse())
    positive =
      positive.slice(0, start + index) + toAffirmation(word) + positive.slice(start + index + word.length)
  if (words.some(({ 0: word }) => /^neither$/i.test(word))) positive = positive.replace(/\bnor\b/gi, 'or')
  return { isNegated: true, positive: positive.replace(/\s+/g, ' ').trim() }
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const monthWord =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?'
/** The name of a month, whole or short. */
const monthNamePattern = new RegExp(`^${monthWord}$`, 'i')

/** From the start of a period up to its end, in milliseconds. */
type Period = { readonly start: number; readonly end: number }

const toMonth = (word: string): number => months.indexOf(word.slice(0, 3).toLowerCase())

const toDay = (year: number, month: number, date: number): Period | undefined => {
  const start = Date.UTC(year, month, date)
  const is = new Date(start)
  return is.getUTCMonth() === month && is.getUTCDate() === date ? { start, end: start + dayMs } : undefined
}

const toSpan = (year: number, month: number, count: number): Period => ({
  start: Date.UTC(year, month, 1),
  end: Date.UTC(year, month + count, 1),
})

const unitDays: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30.4375, year: 365.25 }

type Rule = readonly [pattern: RegExp, read: (match: readonly string[], now: Date) => Period | undefined]

/** Longer spellings first: what a rule has read is not read again by the next. */
const rules: readonly Rule[] = [
  [/\b(\d{4})-(\d{2})-(\d{2})\b/g, ([, y, m, d]) => toDay(Number(y), Number(m) - 1, Number(d))],
  [
    new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?\\s+(?:of\\s+)?${monthWord},?\\s+(\\d{4})\\b`, 'gi'),
    ([, d, m = '', y]) => toDay(Number(y), toMonth(m), Number(d)),
  ],
  [
    new RegExp(`\\b${monthWord}\\s+(\\d{1,2})(?:st|nd|rd|th)?,?\\s+(\\d{4})\\b`, 'gi'),
    ([, m = '', d, y]) => toDay(Number(y), toMonth(m), Number(d)),
  ],
  [new RegExp(`\\b${monthWord}\\s+(\\d{4})\\b`, 'gi'), ([, m = '', y]) => toSpan(Number(y), toMonth(m), 1)],
  [/\bq([1-4])\s+(?:of\s+)?(\d{4})\b/gi, ([, q, y]) => toSpan(Number(y), (Number(q) - 1) * 3, 3)],
  [
    /\b(?:within|in|over|during)\s+(?:the\s+)?(?:next\s+)?(\d{1,3})\s+(day|week|month|year)s?\b/gi,
    ([, n, unit = ''], now) => {
      const end = now.getTime() + Number(n) * (unitDays[unit.toLowerCase()] ?? 1) * dayMs
      return { start: end, end }
    },
  ],
  [/\b(?:this|the|current)\s+year\b|\byear[- ]end\b/gi, (_, now) => toSpan(now.getUTCFullYear(), 0, 12)],
  [/\bnext\s+year\b/gi, (_, now) => toSpan(now.getUTCFullYear() + 1, 0, 12)],
  [/\b(?:in|by|before|during|until|through|of|end|for)\s+(2\d{3})\b/gi, ([, y]) => toSpan(Number(y), 0, 12)],
]

/** When a question closes, and where its text says so. */
type Deadline = { at: Date; spans: readonly { start: number; end: number }[] }

/**
 * Reads when a question closes from the dates in its text: the end of the latest period that it names, or its start where it says
 * "before". Undefined without any. Times are UTC.
 */
export const findDeadline = (text: string, now: Date): Deadline | undefined => {
  let rest = text
  let latest: number | undefined
  const spans: { start: number; end: number }[] = []
  for (const [pattern, read] of rules) {
    rest = rest.replace(pattern, (...args) => {
      const match = args.filter(
        (arg, index) => typeof arg === 'string' && index < args.length - 1,
      ) as string[]
      const [words = ''] = match
      const offset = args.find(arg => typeof arg === 'number') as number
      const period = read(match, now)
      // A day that does not exist must not be read as its month.
      if (!period) return ' '.repeat(words.length)
      const isBefore = /\bbefore\s+(?:the\s+)?$/i.test(rest.slice(0, offset)) || /^before\b/i.test(words)
      const time = isBefore ? period.start : period.end
      latest = Math.max(latest ?? time, time)
      spans.push({ start: offset, end: offset + words.length })
      return ' '.repeat(words.length)
    })
  }
  return latest === undefined ? undefined : { at: new Date(latest), spans }
}

/** Level in the text of a question; `is` is null where only the value now tells from which side it is reached. */
export type LevelReading = {
  asset: string
  is: CompleteLevel['is'] | null
  threshold: number
  currency: string | null
  when: CompleteLevel['when']
}

const questionOpening = /^(?:will|would|is|does|do)\s+/i

/** Verbs for standing somewhere at a time, and getting somewhere within one. */
const standing = 'be|stay|remain|close|end|finish|settle|trade|stand'
const upward = 'rise|climb|go|get|jump|increase|grow|move'
const downward = 'fall|drop|sink|decline|decrease|dip|go|get|move'
const reaching = 'reach|hit|touch'
const beyond = 'exceed|surpass|top|pass'

const atLeast = '(?:at or above|at least|no (?:less|lower) than|≥|>=)'
const over = '(?:above|over|(?:more|greater|higher) than|>)'
const atMost = '(?:at or below|at most|no (?:more|higher|greater) than|≤|<=)'
const under = '(?:below|under|(?:less|lower) than|<)'

type Pattern = readonly [words: RegExp, is: LevelReading['is'], when: LevelReading['when']]

const phrase = (words: string): RegExp => new RegExp(`^(?<asset>.+?)\\s+(?:${words})\\s*$`, 'iu')
const patterns: readonly Pattern[] = [
  ...(
    [
      [atLeast, '>='],
      [over, '>'],
      [atMost, '<='],
      [under, '<'],
    ] as const
  ).map(([words, is]): Pattern => [phrase(`(?:${standing})\\s+(?:at\\s+)?${words}`), is, 'at']),
  [phrase(`(?:${upward})\\s+(?:up\\s+)?to`), '>=', 'until'],
  [phrase(`(?:${upward})\\s+${over}`), '>', 'until'],
  [phrase(`(?:${downward})\\s+(?:down\\s+)?to`), '<=', 'until'],
  [phrase(`(?:${downward})\\s+${under}`), '<', 'until'],
  [phrase(`(?:${beyond})`), '>', 'until'],
  [phrase(`(?:${reaching})`), null, 'until'],
]

const scales: Readonly<Record<string, number>> = { '': 0, '%': 0, k: 3, m: 6, bn: 9, b: 9, t: 12 }
const bareAmount = /(?<![\p{L}\d.,])\d[\d.,]*(?:\s?(?:%|k|m|bn|b|t)(?!\p{L}))?/giu

type Amount = { start: number; end: number; value: number; currency: string | null }

/** The only amount of a text: with a currency, or else a bare number with its scale. */
const findAmount = (text: string): Amount | undefined => {
  const money = findMoney(text, openCover(text.length))
  const [only, ...others] = money
  if (only && others.length === 0 && !only.ambiguous)
    return { start: only.start, end: only.end, value: Number(only.amount), currency: only.currency }
  if (only) return undefined
  const bare = [...text.matchAll(bareAmount)].at(-1)
  if (!bare) return undefined
  const [raw] = bare
  const digits = raw.replace(/[^\d.,]+$/, '')
  const scale = scales[raw.slice(digits.length).trim().toLowerCase()] ?? 0
  const numeral = readNumeral(digits, '.', false)
  return {
    start: bare.index,
    end: bare.index + raw.length,
    value: Number(toDecimal(numeral, scale)),
    currency: null,
  }
}

const blank = (text: string, { start, end }: { start: number; end: number }): string =>
  text.slice(0, start) + ' '.repeat(end - start) + text.slice(end)

const within = /(?:^|\s)(?:by|before|until|during|within|in|over|through)\s*$/i
const on = /(?:^|\s)(?:on|at|as of)\s*$/i
const filler = /(?:\s+(?:the|end|close|of|year|month|next|any|time|point))*\s*$/i

/** The words that join a date to the question: within a span of time, on a day, or neither. */
const readJoint = (
  text: string,
  deadline: Deadline,
): { when: LevelReading['when'] | undefined; rest: string } => {
  const first = Math.min(...deadline.spans.map(({ start }) => start))
  const dated = text.slice(first, Math.max(...deadline.spans.map(({ end }) => end)))
  const before = text.slice(0, first).replace(filler, ' ')
  const own = /^\s*(by|before|until|during|within|in|over|through|on|at)\b/i.exec(dated)?.[1] ?? ''
  const joined = own === '' ? before : `${before} ${own}`
  const when = within.test(joined) ? 'until' : on.test(joined) ? 'at' : undefined
  const rest = deadline.spans.reduce(blank, text)
  return {
    when,
    rest:
      rest
        .slice(0, first)
        .replace(filler, ' ')
        .replace(own === '' ? (when === 'at' ? on : within) : /$^/, ' ') + rest.slice(first),
  }
}

/**
 * Reads asset, side, amount and time of a level from the text of a question. What is left over makes it another question: then, and
 * where side and time do not fit, it reads nothing.
 */
export const readLevel = (question: string, now: Date): LevelReading | undefined => {
  const text = question.replace(/\s*\?\s*$/, '')
  const deadline = findDeadline(text, now)
  const { when, rest } = deadline ? readJoint(text, deadline) : { when: undefined, rest: text }
  const opened = questionOpening.exec(rest)
  if (!opened) return undefined
  const body = rest.slice(opened[0].length)
  const amount = findAmount(body)
  if (!amount) return undefined
  if (body.slice(amount.end).replace(/[\s,.]+/g, '') !== '') return undefined
  const lead = body.slice(0, amount.start).trim()
  for (const [pattern, is, time] of patterns) {
    const asset = pattern.exec(lead)?.groups?.asset?.trim()
    if (asset === undefined || asset.split(/\s+/).length > 6 || /[,;:]|\b(?:and|or|if)\b/i.test(asset))
      continue
    // A level at a time needs a day, one that is reached a span; without a date in the text closes_at is either.
    if (deadline && when !== time) return undefined
    return { asset, is, threshold: amount.value, currency: amount.currency, when: time }
  }
  return undefined
}

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
  const days = (closesAt.getTime() - now.getTime()) / dayMs
  if (days <= 0) throw refuse('closes_at', `must be in the future; ${closesAt.toISOString()} is past`, 'over')
  if (days > maxYears * 365.25) throw refuse('closes_at', `must be within ${maxYears} years`, 'too_far')
  return { text, closesAt, days, ...readNegation(text) }
}
