/** A text of a document and how much a word in it counts. */
export type Field = { text: string; weight: number }

const words = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map(word =>
    word.length > 3 ? word.replace(/(?:ing|ies|es|ed|s)$/, '') : word,
  )

const weigh = (fields: readonly Field[]): Map<string, number> => {
  const weights = new Map<string, number>()
  for (const { text, weight } of fields)
    for (const word of new Set(words(text))) weights.set(word, (weights.get(word) ?? 0) + weight)
  return weights
}

const maxQueryWords = 40

/**
 * Ranks documents for a few words: rare words count more, a word that only begins like one in the document counts half.
 * The order is total, so the same query always gets the same answer; what scores under a quarter of the best is
 * left out.
 */
export const ranking = <T>(documents: readonly T[], toFields: (document: T) => readonly Field[]) => {
  const indexed = documents.map(document => ({ document, weights: weigh(toFields(document)) }))
  const frequency = new Map<string, number>()
  for (const { weights } of indexed)
    for (const word of weights.keys()) frequency.set(word, (frequency.get(word) ?? 0) + 1)
  const rarity = (word: string) => Math.log(1 + documents.length / (frequency.get(word) ?? 1))

  const match = (weights: ReadonlyMap<string, number>, queryWord: string): number => {
    const whole = weights.get(queryWord)
    if (whole !== undefined) return whole * rarity(queryWord)
    if (queryWord.length < 3) return 0
    let best = 0
    for (const [word, weight] of weights)
      if (word.startsWith(queryWord) || (word.length > 3 && queryWord.startsWith(word)))
        best = Math.max(best, (weight * rarity(word)) / 2)
    return best
  }

  return (query: string): T[] => {
    const queryWords = [...new Set(words(query))].slice(0, maxQueryWords)
    const scored = indexed.map(({ document, weights }, at) => ({
      document,
      at,
      score: queryWords.reduce((sum, word) => sum + match(weights, word), 0),
    }))
    const best = Math.max(0, ...scored.map(({ score }) => score))
    return scored
      .filter(({ score }) => score > 0 && score >= best / 4)
      .sort((a, b) => b.score - a.score || a.at - b.at)
      .map(({ document }) => document)
  }
}
