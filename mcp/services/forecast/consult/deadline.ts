const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const monthWord =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?'
const day = 86_400_000

/** The name of a month, whole or short. */
export const monthNamePattern = new RegExp(`^${monthWord}$`, 'i')

/** From the start of a period up to its end, in milliseconds. */
type Period = { readonly start: number; readonly end: number }

const toMonth = (word: string): number => months.indexOf(word.slice(0, 3).toLowerCase())

const toDay = (year: number, month: number, date: number): Period | undefined => {
  const start = Date.UTC(year, month, date)
  const is = new Date(start)
  return is.getUTCMonth() === month && is.getUTCDate() === date ? { start, end: start + day } : undefined
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
      const end = now.getTime() + Number(n) * (unitDays[unit.toLowerCase()] ?? 1) * day
      return { start: end, end }
    },
  ],
  [/\b(?:this|the|current)\s+year\b|\byear[- ]end\b/gi, (_, now) => toSpan(now.getUTCFullYear(), 0, 12)],
  [/\bnext\s+year\b/gi, (_, now) => toSpan(now.getUTCFullYear() + 1, 0, 12)],
  [/\b(?:in|by|before|during|until|through|of|end|for)\s+(2\d{3})\b/gi, ([, y]) => toSpan(Number(y), 0, 12)],
]

/** When a question closes, and where its text says so. */
export type Deadline = { at: Date; spans: readonly { start: number; end: number }[] }

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
