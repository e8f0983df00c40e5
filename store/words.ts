const separators = /[^\p{L}\p{N}]+/u

/**
 * The distinct words of a text in order of first appearance: NFKC, lower case, split on anything that is not a
 * Unicode letter or digit. Both engines index and search with it, so that both find the same rows.
 */
export const splitWords = (text: string): string[] => {
  const words = new Set(text.normalize('NFKC').toLowerCase().split(separators))
  words.delete('')
  return [...words]
}
