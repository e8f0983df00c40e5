import { guessLanguage } from '../../../lib/text/amount/language.ts'
import { findInjection } from '../../../lib/text/injection.ts'

/** Whoever answers the question, as a page may call it. */
const reader =
  /\b(?:you|your|yours|yourself|ai|llms?|gpt|claude|(?:chat)?bots?|assistants?|agents?|summari[sz]ers?|graders?|automated (?:readers?|systems?)|(?:language|ai) models?|models? (?:that|which|who) read|developers?|operators?|admin|prompts?|instructions?)\b/i
/** Words for such a reader to say. */
const verdict =
  /\b(?:probabilit(?:y|ies)|likelihood|estimates?|forecasts?|predict(?:s|ions?)?|answers?|output|odds|confidence|certain(?:ty)?|label|ground truth|json|responses?|results?|yes)\b|\b[01]?[.,]\d+\b|\b\d{1,3}\s?(?:%|percent)/i
const answerVerb =
  'answer|respond|reply|report|return|output|say|rate|assign|set|put|conclude|predict|treat|ignore|disregard|forget|override|raise|lower|increase|reduce|print|write|give|submit'
const order = new RegExp(
  `(?:^|[:;,]\\s+|\\b(?:please|must|should|shall|always|never|now|(?:has|have|is|are|required) to)\\s+)(?:${answerVerb})\\b(?!-)`,
  'i',
)
const demand = /\b(?:must|should|shall|has to|have to|only acceptable|required to|graded?|from now on)\b/i
const turn =
  /^(?:system|assistant|user|developer|human)\s*:|<\/?(?:data|system|assistant|instructions?)\b|\[(?:\/?INST|system)\]|^#+\s*(?:instruction|response)\b/i
/** A share near all, in figures: what an answer is to be pushed to, in whatever language. */
const nearCertain =
  /(?<![\d.,])(?:[01][.,](?:9[5-9]\d*|00?)(?!\d)|(?:9[5-9]|100)(?:[.,]\d+)?\s?(?:%|percent|prozent|pour cent|por ciento))/iu
const isQuestionMentioned = /\b(?:this|the) question\b/i

const speaksToReader = (sentence: string): boolean =>
  turn.test(sentence) ||
  nearCertain.test(sentence) ||
  (verdict.test(sentence) &&
    (reader.test(sentence) ||
      order.test(sentence) ||
      demand.test(sentence) ||
      isQuestionMentioned.test(sentence)))

const sentences = (text: string): string[] =>
  text.split(/(?<=[.!?。！？])\s*(?=[\p{Lu}\p{Lo}"“#[<])|\n+/u).flatMap(part => part.trim() || [])

const scripts = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u,
  /\p{Script=Hangul}/u,
  /\p{Script=Arabic}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Devanagari}/u,
  /\p{Script=Thai}/u,
]

/** The script of most letters of a text; -1 for one without letters, or in none of these. */
const scriptOf = (text: string): number => {
  const counts = scripts.map(() => 0)
  for (const letter of text.slice(0, 3000)) {
    const at = scripts.findIndex(script => script.test(letter))
    if (at >= 0) counts[at] = (counts[at] ?? 0) + 1
  }
  const most = Math.max(...counts)
  return most === 0 ? -1 : counts.indexOf(most)
}

/** Names in the middle of a sentence may be of any language. */
const withoutNames = (sentence: string): string => sentence.replace(/(?<=\s)\p{Lu}[\p{L}\p{M}'’.-]*/gu, '')

/** Finds the sentences of a page that its readers would not read: those in another script or another language. */
const foreignTo = (page: string): ((sentence: string) => boolean) => {
  const [script, language] = [scriptOf(page), guessLanguage(page)]
  return sentence => {
    if (![script, -1].includes(scriptOf(sentence))) return true
    const own = language && guessLanguage(withoutNames(sentence))
    return own !== undefined && own !== language
  }
}

/** Share of the sentences of a page from which on it is no report any more. */
const maxShare = 1 / 3

/**
 * Takes out of a page what speaks to whoever answers a question about the answer, instead of about the world, and what puts a share
 * near all on anything, and sentences in another script or language than the page's. `reason` says why a page is not read on: it poses as instructions, or much of it speaks so.
 */
export const withoutSteering = (text: string, page = text): { text: string } | { reason: string } => {
  const injected = findInjection(text)
  if (injected !== null) return { reason: injected }
  const all = sentences(text.normalize('NFKC'))
  const isForeign = foreignTo(page)
  const reporting = all.filter(sentence => !speaksToReader(sentence) && !isForeign(sentence))
  return all.length - reporting.length >= maxShare * all.length
    ? { reason: 'it speaks to its reader about the answer' }
    : { text: reporting.join(' ') }
}
