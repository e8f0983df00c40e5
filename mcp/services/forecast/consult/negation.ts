const auxiliary = /(?:will|would|does|do|is|are|has|have|can|could|should)(?:n't)?|won't|can't|cannot/.source
const opening = new RegExp(`(?:^|[,;:]\\s+(?:and\\s+|then\\s+)?)(?=(?:${auxiliary})\\b)`, 'gi')

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
  const lastOpening = [...text.slice(from, end).matchAll(opening)].at(-1)
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
