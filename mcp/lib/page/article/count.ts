/** Scripts that write without spaces between words. */
const unspacedScriptPattern =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]{1,5000}/gu

const word = /[\p{L}\p{N}]/u

/** Adults read about so much silently (Brysbaert 2019); without spaces characters are the steadier measure. */
const perMinute = { words: 238, characters: 500 }

const spacedWords = (text: string): number => {
  let count = 0
  for (const [token] of text.matchAll(/\S+/g)) if (word.test(token)) count++
  return count
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

const segmentedWords = (run: string): number => {
  let count = 0
  for (const { isWordLike } of segmenter.segment(run)) if (isWordLike) count++
  return count
}

/**
 * Counts words, where scripts without spaces are cut into words as a dictionary has them, and the minutes to read them,
 * rounded up.
 */
export const countWords = (text: string): { word_count: number; reading_time_minutes: number } => {
  let unspacedWords = 0
  let characters = 0
  const rest = text.replace(unspacedScriptPattern, run => {
    unspacedWords += segmentedWords(run)
    characters += run.length
    return ' '
  })
  const spaced = spacedWords(rest)
  const minutes = spaced / perMinute.words + characters / perMinute.characters
  return { word_count: spaced + unspacedWords, reading_time_minutes: Math.ceil(minutes) }
}
