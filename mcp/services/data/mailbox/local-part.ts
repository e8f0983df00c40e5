/** Fault in a part of an address: a stable code, and a sentence about it. */
export type AddressFault = { reason: string; detail: string }

/** A local part as it is written, and the text that it stands for: without quotes and backslashes. */
export type Local = { text: string; quoted: boolean }

const fault = (reason: string, detail: string): AddressFault => ({ reason, detail })

/** Octets of RFC 5321 section 4.5.3.1.1, in UTF-8. */
const maxOctets = 64

const ascii = /[!#$%&'*+\-/=?^_`{|}~0-9A-Za-z]/
/** RFC 6531 lets in all of Unicode; what cannot be seen or told apart from a space is no part of a name. */
const beyond = /(?=\P{ASCII})[^\p{C}\p{Z}]/u

const show = (character: string): string =>
  /[\p{C}\p{Z}]/u.test(character) && character !== ' '
    ? `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
    : `"${character}"`

const readQuoted = (part: string): Local | AddressFault => {
  const inner = part.slice(1, -1)
  let text = ''
  for (let at = 0; at < inner.length; ) {
    const character = String.fromCodePoint(inner.codePointAt(at) ?? 0)
    const isEscape = character === '\\'
    const unescaped = isEscape ? String.fromCodePoint(inner.codePointAt(at + 1) ?? 0) : character
    const isPlain = /[ -~]/.test(unescaped) && (isEscape || unescaped !== '"')
    if (!isPlain && !beyond.test(unescaped))
      return fault('local_character', `The quoted local part holds ${show(unescaped)}.`)
    text += unescaped
    at += character.length + (isEscape ? unescaped.length : 0)
  }
  return { text, quoted: true }
}

const readDotted = (part: string): Local | AddressFault => {
  if (part.startsWith('.') || part.endsWith('.'))
    return fault('local_dot', 'The part before the @ begins or ends with a dot.')
  if (part.includes('..')) return fault('local_dots', 'The part before the @ holds two dots in a row.')
  for (const character of part) {
    if (character === '.' || ascii.test(character) || beyond.test(character)) continue
    if (character === '(' || character === ')')
      return fault('comment', 'Comments in brackets are not sent over SMTP.')
    return fault('local_character', `The part before the @ holds ${show(character)}.`)
  }
  return { text: part.normalize('NFC'), quoted: false }
}

/** Reads the part before the @ by RFC 5321 section 4.1.2 and RFC 6531 section 3.3: a dotted string, or a quoted one. */
export const readLocal = (part: string): Local | AddressFault => {
  if (part === '') return fault('no_local', 'There is nothing before the @.')
  if (Buffer.byteLength(part) > maxOctets)
    return fault('local_too_long', 'The part before the @ is longer than 64 octets.')
  const isQuoted = part.startsWith('"')
  if (isQuoted && (part.length < 2 || !/(?:^|[^\\])(?:\\\\)*"$/.test(part.slice(1))))
    return fault('quote', 'The quotation mark before the @ is not closed.')
  return isQuoted ? readQuoted(part) : readDotted(part)
}

export const isFault = <T extends object>(parsed: T | AddressFault): parsed is AddressFault =>
  'reason' in parsed
