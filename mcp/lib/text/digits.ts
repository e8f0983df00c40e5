/** A decimal digit of any script: each script has its ten in a row. */
export const toAsciiDigit = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0
  let value = 0
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++
  return String(value % 10)
}

const marks: Readonly<Record<string, string>> = { '٬': '’', '，': ',', '．': '.', '－': '-', '＄': '$' }

/**
 * A text of the same length whose figures are written with 0 to 9: digits and full-width marks of other scripts are replaced, and
 * marks of direction, which stand beside the figures of right-to-left scripts, become thin spaces.
 */
export const toPlainFigures = (text: string): string =>
  text
    .replace(/(?=[^\0-\x7f])[\p{Nd}٬，．－＄]/gu, character =>
      character.length > 1 ? character : (marks[character] ?? toAsciiDigit(character)),
    )
    .replace(/[\u200e\u200f\u061c]/g, '\u2009')
