import { readNumeral, toDecimal } from '../../../lib/text/amount/amount.ts'
import { findMoney } from '../../../lib/text/amount/money.ts'
import { openCover } from '../../../lib/text/amount/span.ts'
import type { CompleteLevel } from '../forms/schema.ts'
import { type Deadline, findDeadline } from './deadline.ts'

/** Level in the text of a question; `is` is null where only the value now tells from which side it is reached. */
export type LevelReading = {
  asset: string
  is: CompleteLevel['is'] | null
  threshold: number
  currency: string | null
  when: CompleteLevel['when']
}

const opening = /^(?:will|would|is|does|do)\s+/i

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
  const opened = opening.exec(rest)
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
