import chardet from 'chardet'
import * as z from 'zod'
import { factTable, words } from '../facts.ts'
import { attempt } from '../unreadable.ts'

const alphabets = factTable(
  new URL('./data/alphabets.json', import.meta.url),
  z.array(z.strictObject({ charsets: words, letters: z.string().transform(text => [...text]) })),
)

/** Statistics need more bytes than this; below, the spelling tells more. */
const fewBytes = 400

/** Marks of sentences, which any language has. */
const punctuation = /^[\u00a0«»„“”‘’‚–—…•·§©®°№€£₪]$/u

/** Hebrew has forms for the ends of words: such a letter inside of one, or another form at its end, is no Hebrew. */
const isMisplaced = (before: string, character: string): boolean =>
  /\p{Script=Hebrew}/u.test(character) ? /[ךםןףץ]/.test(before) : /[כמנצ]/.test(before)

/** How much a text looks like one that is written with an alphabet, per character outside of ASCII: at most 1. */
const lookScore = (text: string, letters: readonly string[]): number => {
  const rank = new Map(letters.map((letter, at) => [letter, at]))
  let score = 0
  let count = 0
  let before = ' '
  for (const character of `${text} `) {
    if (isMisplaced(before, character)) score -= 1
    // Bytes of lower case alone may be Russian as well, but hardly with such ends.
    else if (/[ךםןףץ]/.test(before)) score += 0.2
    const isCapital = /\p{Lu}/u.test(character)
    // "пРИВЕТ" and "Pøíli¹": letters change their case, and words hold marks, where the charset is another.
    if (isCapital && /\p{Ll}/u.test(before)) score -= 1
    if (character > '\x7f') {
      count++
      const at = rank.get(character.toLowerCase())
      const isMark = punctuation.test(character) && !(/[·§©®°€£]/.test(character) && /\p{L}/u.test(before))
      if (at !== undefined) score += 1 - (isCapital && /\p{L}/u.test(before) ? 0.15 : 0) - at / 150
      else score += isMark ? 0.9 : -1
    } else if (
      /[a-z]/i.test(character) &&
      /[^\0-\x7f]/.test(before) &&
      /\p{Script=Latin}/u.test(before) !== /\p{L}/u.test(before)
    )
      score -= 1
    before = character
  }
  return count === 0 ? 0 : score / count
}

/** The first bytes of common characters in the charsets of two bytes; rare ones are what other charsets are mistaken for. */
const commonLeads: Readonly<Record<string, (lead: number) => boolean>> = {
  shift_jis: lead => lead === 0x82 || lead === 0x83 || (lead >= 0x88 && lead <= 0x97),
  'euc-jp': lead => lead === 0xa4 || lead === 0xa5 || (lead >= 0xb0 && lead <= 0xcf),
  'euc-kr': lead => lead >= 0xb0 && lead <= 0xc8,
  gbk: lead => lead >= 0xb0 && lead <= 0xd7,
  big5: lead => lead >= 0xa4 && lead <= 0xc6,
}

/** The share of common characters; 0 where the bytes are none of that charset. */
const commonShare = (bytes: Uint8Array, charset: string): number => {
  if (attempt(() => new TextDecoder(charset, { fatal: true }).decode(bytes)) === undefined) return 0
  let common = 0
  let all = 0
  for (let at = 0; at < bytes.length; at++) {
    const lead = bytes[at] ?? 0
    if (lead < 0x80) continue
    all++
    if (commonLeads[charset]?.(lead)) common++
    at++
  }
  const share = all === 0 ? 0 : common / all
  // Japanese has kana, and a few characters of Chinese may all lie where Hangul does.
  const isLikely =
    charset === 'euc-kr' ? share === 1 && all > 3 : !/jis|jp/.test(charset) || hasKana(bytes, charset)
  return isLikely ? share : share * 0.9
}

const hasKana = (bytes: Uint8Array, charset: string): boolean =>
  /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(decode(bytes, charset))

const decode = (bytes: Uint8Array, charset: string): string => {
  const decoder = new TextDecoder(charset)
  return decoder.decode(bytes, { stream: true }) + decoder.decode()
}

const best = <Item>(items: readonly Item[], scoreOf: (item: Item) => number) =>
  items
    .map(item => ({ item, score: scoreOf(item) }))
    .reduce<{ item: Item; score: number } | undefined>(
      (first, each) => (first === undefined || each.score > first.score ? each : first),
      undefined,
    )

/** Bonus for the web's commonest, where two look alike. */
const prior: Readonly<Record<string, number>> = { 'windows-1252': 0.008, 'windows-1251': 0.02 }

/** The charset of a short text by how its words look; undefined where none looks right. */
const byLook = (bytes: Uint8Array): string | undefined => {
  const texts = new Map<string, string>()
  const textIn = (charset: string) => {
    const text = texts.get(charset) ?? decode(bytes, charset)
    texts.set(charset, text)
    return text
  }
  const pairs = alphabets().flatMap(({ charsets, letters }) =>
    charsets.map(charset => ({ charset, letters })),
  )
  const single = best(
    pairs,
    ({ charset, letters }) => lookScore(textIn(charset), letters) + (prior[charset] ?? 0),
  )
  const double = best(Object.keys(commonLeads), charset => commonShare(bytes, charset))
  if (double && double.score >= 0.7 && (single?.score ?? 0) < 0.93) return double.item
  return single && single.score >= 0.6 ? single.item.charset : undefined
}

/**
 * The charset that bytes without a declaration are most likely in: by the look of the words where there are few bytes, by
 * statistics where there are many.
 */
export const guessCharset = (body: Uint8Array): string | undefined => {
  const sample = body.subarray(0, 65_536)
  let high = 0
  for (const byte of sample) if (byte > 0x7f) high++
  const look = high > 0 && high < fewBytes ? byLook(sample) : undefined
  return look ?? attempt(() => chardet.detect(sample)) ?? undefined
}
