const minQuote = 12

const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** True when a text holds a quote word for word; case, spaces and punctuation aside. What is shorter than twelve characters is no quote. */
export const holdsQuote = (text: string, quote: string): boolean => {
  const words = plain(quote)
  return words.length >= minQuote && ` ${plain(text)} `.includes(` ${words} `)
}
