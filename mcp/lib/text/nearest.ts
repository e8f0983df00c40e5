import { distance } from './distance.ts'

/** The name that a misspelt one may have meant: the nearest within two edits, or a fifth of its letters. */
export const findNearest = (word: string, names: readonly string[]): string | undefined => {
  let max = Math.max(2, Math.floor(word.length / 5))
  let nearest: string | undefined
  for (const name of names) {
    const edits = distance(word, name, max)
    if (edits > max) continue
    nearest = name
    max = edits - 1
  }
  return nearest
}
