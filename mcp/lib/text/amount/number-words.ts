import * as z from 'zod'
import { factTable, words } from '../../facts.ts'
import type { Language } from './language.ts'

type Kind = 'add' | 'hundred' | 'scale'
type Meaning = { language: Language; kind: Kind; value: number }

type Lexicon = Map<string, Meaning[]>

const enter = (lexicon: Lexicon, language: Language, kind: Kind, word: string, value: number): void => {
  for (const spelling of new Set([word, toUnmarked(word)])) {
    const meanings = lexicon.get(spelling) ?? []
    if (!meanings.some(meaning => meaning.language === language)) meanings.push({ language, kind, value })
    lexicon.set(spelling, meanings)
  }
}

const toUnmarked = (word: string): string => word.normalize('NFD').replace(/\p{M}/gu, '')

/** Italian drops the last vowel of a ten before uno and otto. */
const italianCompound = (ten: string, unit: string): string =>
  (/^[uo]/.test(unit) ? ten.slice(0, -1) : ten) + unit

/** How a language writes tens, hundreds and thousands in one word: "fünfundzwanzig", "tweehonderdvijftig", "duemila". */
const compounds = {
  de: {
    tens: (ten: string) => [ten, ten.replace('ß', 'ss')],
    join: (ten: string, unit: string) => [`${unit}und${ten}`],
    hundred: 'hundert',
    joints: ['', 'und'],
    thousand: 'tausend',
  },
  nl: {
    tens: (ten: string) => [ten],
    join: (ten: string, unit: string) => [`${unit}en${ten}`, `${unit}ën${ten}`],
    hundred: 'honderd',
    joints: ['', 'en'],
    thousand: 'duizend',
  },
  it: {
    tens: (ten: string) => [ten],
    join: (ten: string, unit: string) => [
      italianCompound(ten, unit),
      ...(unit === 'uno' ? [italianCompound(ten, 'un')] : []),
      ...(unit === 'tre' ? [`${ten}tré`] : []),
    ],
    hundred: 'cento',
    joints: [''],
    thousand: 'mila',
  },
} as const

const language = z.enum(['en', 'fr', 'de', 'es', 'it', 'nl', 'pt'])

const tableFile = z.strictObject({
  /** Words for numbers that follow each other by `step`; spellings of one stand with slashes between. */
  lists: z.array(z.strictObject({ language, from: z.int(), step: z.int().default(1), words })),
  compounds: z.record(z.enum(['de', 'nl', 'it']), z.strictObject({ units: words, tens: words })),
  /** Words for powers of ten, by the number of zeros. */
  scales: z.record(
    language,
    z
      .record(z.string(), words)
      .transform(byZeros =>
        Object.entries(byZeros).flatMap(([zeros, all]) => all.map(word => ({ word, zeros: Number(zeros) }))),
      ),
  ),
})

const enterCompounds = (
  lexicon: Lexicon,
  of: keyof typeof compounds,
  { units, tens }: { units: readonly string[]; tens: readonly string[] },
): void => {
  const { tens: spell, join, hundred, joints, thousand } = compounds[of]
  for (const [nth, ten] of tens.entries())
    for (const spelling of spell(ten)) {
      enter(lexicon, of, 'add', spelling, 20 + nth * 10)
      for (const [unit, word] of units.entries())
        for (const joined of join(spelling, word)) enter(lexicon, of, 'add', joined, 21 + nth * 10 + unit)
    }
  const own = (max: number) =>
    [...lexicon].flatMap(([word, meanings]) =>
      meanings
        .filter(meaning => meaning.language === of && meaning.value > 0 && meaning.value <= max)
        .map(({ value }) => ({ word, value })),
    )
  const small = own(99)
  for (const [nth, unit] of ['', ...units].entries()) {
    const value = Math.max(nth, 1) * 100
    enter(lexicon, of, 'add', unit + hundred, value)
    for (const rest of small)
      for (const joint of joints)
        enter(lexicon, of, 'add', unit + hundred + joint + rest.word, value + rest.value)
  }
  for (const { word, value } of own(999))
    if (of !== 'it' || value > 1) enter(lexicon, of, 'add', word + thousand, value * 1000)
}

const buildLexicon = ({ lists, compounds: parts, scales }: z.output<typeof tableFile>) => {
  const lexicon: Lexicon = new Map()
  for (const { language, from, step, words } of lists)
    for (const [nth, spellings] of words.entries())
      for (const word of spellings.split('/')) enter(lexicon, language, 'add', word, from + nth * step)
  for (const [language, word] of [
    ['en', 'hundred'],
    ['fr', 'cent'],
    ['fr', 'cents'],
  ] as const)
    enter(lexicon, language, 'hundred', word, 100)
  for (const language of ['de', 'nl', 'it'] as const) enterCompounds(lexicon, language, parts[language])
  const scaleWords = Object.entries(scales).flatMap(([language, all]) =>
    all.map(one => ({ ...one, language: language as Language })),
  )
  for (const { language, word, zeros } of scaleWords) enter(lexicon, language, 'scale', word, 10 ** zeros)
  return { lexicon, scaleWords }
}

const numbers = factTable(new URL('./data/numbers.json', import.meta.url), tableFile.transform(buildLexicon))

/** Meanings of a number word in each of its languages. */
const meaningsOf = (word: string): readonly Meaning[] | undefined => numbers().lexicon.get(word)

/** Lists meanings of a scale word in the text's language; in all when it is unknown, the English one first. */
export const scaleZeros = (word: string, language: Language | undefined): number[] => {
  const plain = word.toLowerCase().replace(/\.$/, '')
  const all = numbers().scaleWords.filter(({ word: key }) => key === plain || toUnmarked(key) === plain)
  const own = all.find(one => one.language === language)
  return own ? [own.zeros] : [...new Set(all.map(({ zeros }) => zeros))]
}

const joints = new Set(['and', 'et', 'y', 'e', 'und', 'en'])

/** The value of number words in one language; undefined when they make no number. */
const evaluate = (words: readonly string[], language: Language): number | undefined => {
  let total = 0
  let current = 0
  let last: Kind | undefined
  let lastValue = 0
  for (const word of words) {
    if (joints.has(word) && last !== undefined) continue
    const meaning = meaningsOf(word)?.find(each => each.language === language)
    if (!meaning) return undefined
    if (meaning.kind === 'add') {
      const four = language === 'fr' && meaning.value === 20 && lastValue === 4
      const teen = language === 'fr' && lastValue === 10 && meaning.value >= 7 && meaning.value <= 9
      const isJoint = four || teen
      // "five six" is two numbers; "vingt-deux", "cento e dois" and "quatre-vingt-dix" are one.
      if (
        last === 'add' &&
        !isJoint &&
        (lastValue < 20 || meaning.value >= lastValue || lastValue % 10 !== 0)
      )
        return undefined
      if (
        last === 'add' &&
        !isJoint &&
        lastValue < 100 &&
        lastValue >= 20 &&
        meaning.value > (language === 'fr' ? 19 : 9)
      )
        return undefined
      current = four ? current - 4 + 80 : current + meaning.value
      lastValue = four ? 80 : meaning.value
    } else if (meaning.kind === 'hundred') {
      if (current > 19) return undefined
      current = Math.max(current, 1) * 100
      lastValue = 100
    } else {
      const isLarger = last === 'scale' && current === 0
      if (isLarger) total *= meaning.value
      else total += Math.max(current, 1) * meaning.value
      current = 0
      lastValue = meaning.value
    }
    last = meaning.kind
  }
  return last === undefined ? undefined : total + current
}

const token = /[\p{L}\p{M}]+/gu
const maxTokens = 9

type Token = { word: string; start: number; end: number }

const tokenize = (text: string): Token[] =>
  Array.from(text.matchAll(token), ({ 0: word, index }) => ({
    word: word.toLowerCase(),
    start: index,
    end: index + word.length,
  }))

const isJoined = (text: string, left: Token, right: Token): boolean =>
  /^(?:[ \u00a0\u202f]{1,2}|[-‐‑])$/.test(text.slice(left.end, right.start))

const readTokens = (tokens: readonly Token[], language: Language | undefined): number | undefined => {
  const words = tokens.map(({ word }) => word)
  const [first, last] = [words[0] ?? '', words.at(-1) ?? '']
  if (joints.has(first) && !meaningsOf(first)) return undefined
  if (joints.has(last) && !meaningsOf(last)) return undefined
  const languages = [...new Set((meaningsOf(first) ?? []).map(each => each.language))]
  if (language && languages.includes(language)) {
    const value = evaluate(words, language)
    if (value !== undefined) return value
  }
  for (const each of languages) {
    const value = evaluate(words, each)
    if (value !== undefined) return value
  }
  return undefined
}

/** The longest number in words that ends at the end of `text`. */
export const readNumberBefore = (
  text: string,
  language?: Language,
): { value: number; start: number; words: number } | undefined => {
  const last = /[\p{L}\p{M}]{1,48}(?=\s{0,2}$)/u.exec(text.slice(-50))?.[0].toLowerCase()
  if (last === undefined || !meaningsOf(last)) return undefined
  const tokens = tokenize(text)
  let reading: { value: number; start: number; words: number } | undefined
  for (let from = tokens.length - 1; from >= 0 && tokens.length - from <= maxTokens; from--) {
    const here = tokens[from]
    const next = tokens[from + 1]
    if (!here || (next && !isJoined(text, here, next))) break
    if (!meaningsOf(here.word) && !joints.has(here.word)) break
    const value = readTokens(tokens.slice(from), language)
    if (value !== undefined) reading = { value, start: here.start, words: tokens.length - from }
  }
  return reading
}

/** The longest number in words that begins at the start of `text`. */
export const readNumberAfter = (
  text: string,
  language?: Language,
): { value: number; end: number } | undefined => {
  const first = /^[\p{L}\p{M}]{1,48}/u.exec(text)?.[0].toLowerCase()
  if (first === undefined || !meaningsOf(first)) return undefined
  const tokens = tokenize(text)
  let reading: { value: number; end: number } | undefined
  if (tokens[0]?.start !== 0) return undefined
  for (let to = 0; to < Math.min(tokens.length, maxTokens); to++) {
    const here = tokens[to]
    const before = tokens[to - 1]
    if (!here || (before && !isJoined(text, before, here))) break
    if (!meaningsOf(here.word) && !joints.has(here.word)) break
    const value = readTokens(tokens.slice(0, to + 1), language)
    if (value !== undefined) reading = { value, end: here.end }
  }
  return reading
}
