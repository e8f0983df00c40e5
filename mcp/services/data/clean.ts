/** Control characters, and marks that turn the direction of text or hide in it. */
const unsafe = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/gu

/** A stranger's text made safe to show: no control or direction marks, runs of whitespace as one space; null when empty. */
export const clean = (text: string | null | undefined, most = 2000): string | null => {
  const line = (text ?? '')
    .slice(0, most * 4)
    .replace(/\s+/g, ' ')
    .replace(unsafe, '')
    .trim()
  if (line === '') return null
  return line.length > most ? `${line.slice(0, most - 1).trimEnd()}…` : line
}
