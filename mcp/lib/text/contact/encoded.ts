const printable = /^[\t\n\r -~]{5,}$/

/** Decodes bytes that are plain text with letters in it. */
const toText = (bytes: Uint8Array): string[] => {
  const text = Buffer.from(bytes).toString('latin1')
  return printable.test(text) && /[a-z]{2}|\d{6}/i.test(text) ? [text] : []
}

const matches = (text: string, pattern: RegExp): string[] => text.match(pattern) ?? []

const base64 = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{8,4000}={0,2}/g
const base32 = /(?<![A-Za-z2-7])[A-Z2-7]{16,2000}={0,6}/g
const hex = /(?<![0-9a-z])(?:0x)?[0-9a-f]{2}(?:[\s:,-]?(?:0x)?[0-9a-f]{2}){5,1000}(?![0-9a-z])/gi
const binary = /(?<!\d)[01]{7,8}(?:[\s,]?[01]{7,8}){4,400}(?!\d)/g
const decimals = /(?<!\d)(?:\d{2,3}[\s,.;-]{1,2}){6,400}\d{2,3}(?!\d)/g
const morse = /(?<![.\-/])[.-]{1,6}(?:[ /|]{1,3}[.-]{1,6}){5,400}(?![.\-/])/g

const alphabet32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

const fromBase32 = (text: string): Uint8Array => {
  const bytes: number[] = []
  let bits = 0
  let value = 0
  for (const letter of text.replace(/=+$/, '')) {
    value = ((value << 5) | alphabet32.indexOf(letter)) & 0xffff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes.push((value >> bits) & 0xff)
  }
  return Uint8Array.from(bytes)
}

const morseCodes =
  '.- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..'.split(
    ' ',
  )

const morseSigns = new Map([
  ...morseCodes.map((code, at) => [code, String.fromCharCode(97 + at)] as const),
  ...Array.from(
    { length: 10 },
    (_, digit) =>
      [
        digit <= 5
          ? '.'.repeat(digit) + '-'.repeat(5 - digit)
          : '-'.repeat(digit - 5) + '.'.repeat(10 - digit),
        String(digit),
      ] as const,
  ),
  ['.-.-.-', '.'] as const,
  ['.--.-.', '@'] as const,
  ['-....-', '-'] as const,
  ['..--.-', '_'] as const,
])

const fromMorse = (text: string): string[] => {
  const words = text.split(/ ?[/|] ?| {2,}/)
  const letters = words.map(word =>
    word
      .trim()
      .split(' ')
      .map(code => morseSigns.get(code) ?? ' ')
      .join(''),
  )
  const decoded = letters.join(' ')
  return /[a-z]{2}/.test(decoded) ? [decoded, decoded.replaceAll(' ', '')] : []
}

const numbers = (text: string, base: number): Uint8Array =>
  Uint8Array.from((text.match(/\d+/g) ?? []).map(code => Math.min(255, Number.parseInt(code, base))))

const fromBinary = (text: string): Uint8Array =>
  /[\s,]/.test(text) ? numbers(text, 2) : numbers(text.replace(/.{8}/g, '$& '), 2)

const perText = 40

/** Decodes base64, base32, hexadecimal, codes of characters or Morse in a text, where that gives plain text. */
export const decodePieces = (text: string): string[] => [
  ...matches(text, base64)
    .slice(0, perText)
    .filter(piece => /[A-Z0-9]/.test(piece) || piece.endsWith('='))
    .flatMap(piece => toText(Buffer.from(piece, 'base64'))),
  ...matches(text, base32)
    .slice(0, perText)
    .flatMap(piece => toText(fromBase32(piece))),
  ...matches(text, hex)
    .slice(0, perText)
    .flatMap(piece => toText(Buffer.from(piece.replace(/0x|[\s:,-]/gi, ''), 'hex'))),
  ...matches(text, binary)
    .slice(0, perText)
    .flatMap(piece => toText(fromBinary(piece))),
  ...matches(text, decimals)
    .slice(0, perText)
    .flatMap(piece => toText(numbers(piece, 10))),
  ...matches(text, morse).slice(0, perText).flatMap(fromMorse),
]
