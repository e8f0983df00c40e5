import { distance } from './distance.ts'

/** The name that a misspelt one may have meant: the nearest within so many edits; by default two, or a fifth of its letters. */
export const findNearest = (
  word: string,
  names: readonly string[],
  maxEdits = Math.max(2, Math.floor(word.length / 5)),
): string | undefined => {
  let max = maxEdits
  let nearest: string | undefined
  for (const name of names) {
    const edits = distance(word, name, max)
    if (edits > max) continue
    nearest = name
    max = edits - 1
  }
  return nearest
}
