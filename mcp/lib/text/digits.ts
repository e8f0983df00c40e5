/** A decimal digit of any script: each script has its ten in a row. */
export const toAsciiDigit = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0
  let value = 0
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++
  return String(value % 10)
}

const marks: Readonly<Record<string, string>> = { '٬': '’', '，': ',', '．': '.', '－': '-', '＄': '$' }

const plainFigures = new Map<string, string>(Object.entries(marks))

/** A figure or mark of another script as ASCII has it; each is looked up once. */
const toPlainFigure = (character: string): string => {
  if (character.length > 1) return character
  let plain = plainFigures.get(character)
  if (plain === undefined) {
    plain = toAsciiDigit(character)
    plainFigures.set(character, plain)
  }
  return plain
}

/**
 * A text of the same length whose figures are written with 0 to 9: digits and full-width marks of other scripts are replaced, and
 * marks of direction, which stand beside the figures of right-to-left scripts, become thin spaces.
 */
export const toPlainFigures = (text: string): string =>
  /[^\0-\u061b]/.test(text)
    ? text
        .replace(/(?=[^\0-\x7f])[\p{Nd}٬，．－＄]/gu, toPlainFigure)
        .replace(/[\u200e\u200f\u061c]/g, '\u2009')
    : text
