import functionWords from '../data/function-words.json' with { type: 'json' }

/** Function words by language: frequent, and in a sentence of that language hard to avoid. */
const languages = Object.keys(functionWords)
const english = languages.indexOf('en')

const languagesOf = new Map<string, number[]>()
for (const [nth, words] of Object.values(functionWords).entries())
  for (const word of new Set(words.split(' ').filter(each => each.length > 1)))
    languagesOf.set(word, [...(languagesOf.get(word) ?? []), nth])

const scripts = (
  'Han:zh Hiragana:ja Katakana:ja Hangul:ko Arabic:ar Cyrillic:ru Greek:el Hebrew:he Thai:th Devanagari:hi Bengali:bn Tamil:ta ' +
  'Telugu:te Georgian:ka Armenian:hy Ethiopic:am Khmer:km Myanmar:my Lao:lo Sinhala:si Gujarati:gu Gurmukhi:pa Kannada:kn Malayalam:ml'
)
  .split(' ')
  .map(pair => pair.split(':') as [string, string])
  .map(([script, language]) => ({ language, pattern: new RegExp(`\\p{Script=${script}}`, 'gu') }))

const beyondAscii = /[\u0080-\uffff]/

/** The language of a piece whose letters are hardly Latin. */
const languageOfScript = (piece: string): string | undefined => {
  if (!beyondAscii.test(piece)) return undefined
  const foreign = piece.match(/(?!\p{Script=Latin})\p{L}/gu)?.length ?? 0
  const latin = piece.match(/\p{Script=Latin}/gu)?.length ?? 0
  // A name or a unit in another script does not make a sentence: four letters at least, and a fifth of all.
  if (foreign < 4 || foreign * 4 < latin) return undefined
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(piece)) return 'ja'
  const counted = scripts.map(({ language, pattern }) => ({
    language,
    count: piece.match(pattern)?.length ?? 0,
  }))
  const [best] = counted.sort((a, b) => b.count - a.count)
  return best && best.count > 0 ? best.language : 'unknown'
}

const freeWord = /^["'“„«»(*_¿¡]*(\p{L}+(?:[-'’]\p{L}+)*)["'”“»)*_.,;:!?…]*$/u

/** A word that stands free between blanks: its languages, and whether it has letters that English has not. Names may have them. */
type FreeWord = { lower: string; languages: readonly number[]; isMarked: boolean }

/** Words by what stands between blanks, where most stand often; null for what is joined by other marks: code, a path or a name. */
type FreeWords = Map<string, FreeWord | null>

const parseFreeWord = (piece: string): FreeWord | null => {
  const word = freeWord.exec(piece)?.[1]
  if (word === undefined) return null
  const lower = word.toLowerCase()
  return {
    lower,
    languages: languagesOf.get(lower) ?? [],
    isMarked:
      beyondAscii.test(word) && /^\p{Ll}.*[^\p{ASCII}’]|^\p{L}+[^\p{ASCII}’].*[^\p{ASCII}’]/u.test(word),
  }
}

const fewestWords = 3

/** Used again for each piece. */
const [counts, seen] = [new Uint16Array(languages.length), new Set<string>()]

/** The language of a piece by its function words: undefined where it has too few words, or none that tells. */
const languageOfWords = (piece: string, known: FreeWords): string | undefined => {
  const pieces = piece.trim().split(/\s+/)
  counts.fill(0)
  seen.clear()
  let [count, marked] = [0, 0]
  for (const each of pieces) {
    let word = known.get(each)
    if (word === undefined) {
      word = parseFreeWord(each)
      known.set(each, word)
    }
    if (word === null) continue
    count++
    if (word.isMarked) marked++
    if (word.languages.length === 0 || seen.has(word.lower)) continue
    seen.add(word.lower)
    // A long function word weighs as two: it is no abbreviation.
    for (const language of word.languages)
      counts[language] = (counts[language] ?? 0) + (word.lower.length > 3 && language !== english ? 2 : 1)
  }
  if (count < fewestWords || count * 2 < pieces.length) return undefined
  const inEnglish = counts[english] ?? 0
  counts[english] = 0
  const most = Math.max(...counts)
  if (most >= 2 && most > inEnglish * 1.5 && most * 8 >= count) return languages[counts.indexOf(most)]
  // Hardly a function word of English, and letters that it has not: a language that is not listed.
  if (marked > inEnglish && marked * 6 >= count) return 'unknown'
  return inEnglish > 0 ? 'en' : undefined
}

/**
 * The language of a text, as an ISO 639-1 code, `zxx` where it has none (code, settings, figures) or `unknown`. `isRead` is false where any
 * piece of it (a line, or a sentence in it) is in a language other than English: that piece is not judged by its words.
 */
export const detectLanguage = (text: string): { language: string; isRead: boolean } => {
  let hasEnglish = false
  const known: FreeWords = new Map()
  for (const line of text.split(/\n+/)) {
    const sentences = [...new Set(line.split(/(?<=[.!?;])\s+/))]
    const detected = sentences.map(sentence => languageOfScript(sentence) ?? languageOfWords(sentence, known))
    // Sentences may be too short to tell: then the line as a whole may.
    if (sentences.length > 1 && detected.some(language => language !== 'en'))
      detected.push(languageOfScript(line) ?? languageOfWords(line, known))
    const other = detected.find(language => language !== undefined && language !== 'en')
    if (other !== undefined) return { language: other, isRead: false }
    hasEnglish ||= detected.includes('en')
  }
  return { language: hasEnglish ? 'en' : 'zxx', isRead: true }
}
