/** Bounds of a JSON text: bytes, values in all its lists and objects, and lists and objects within each other. */
export type JsonBounds = { bytes: number; values: number; depth: number }

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBrace = 0x7b
const openBracket = 0x5b
const closeBrace = 0x7d
const closeBracket = 0x5d

/** Bytes of a string after which a native search for its end is cheaper than looking at each. */
const longString = 64

/** The place of the quote that ends a string, or the end of the text; `from` is within the string, after no backslash. */
const findStringEnd = (text: Uint8Array, from: number): number => {
  let near = from + longString
  for (let at = from; at < text.length; at++) {
    if (at >= near) {
      const quoteAt = text.indexOf(quote, at)
      if (quoteAt < 0) return text.length
      let escapes = quoteAt
      while (escapes > from && text[escapes - 1] === backslash) escapes--
      if ((quoteAt - escapes) % 2 === 0) return quoteAt
      at = quoteAt
      near = at + longString
    } else if (text[at] === backslash) at++
    else if (text[at] === quote) return at
  }
  return text.length
}

/**
 * The first bound that a JSON text in UTF-8 passes, found without parsing it: a parser's time grows with values, not with bytes.
 * Undefined also for what is no JSON, as far as its marks stay within the bounds.
 */
export const findExcess = (
  text: Uint8Array,
  { values: maxValues, depth: maxDepth }: Pick<JsonBounds, 'values' | 'depth'>,
): 'values' | 'depth' | undefined => {
  let values = 1
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const byte = text[at]
    if (byte === quote) at = findStringEnd(text, at + 1)
    else if (byte === comma) {
      values++
      if (values > maxValues) return 'values'
    } else if (byte === openBrace || byte === openBracket) {
      values++
      depth++
      if (depth > maxDepth) return 'depth'
      if (values > maxValues) return 'values'
    } else if (byte === closeBrace || byte === closeBracket) depth--
  }
  return undefined
}
