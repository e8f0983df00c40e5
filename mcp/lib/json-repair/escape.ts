import { type Cursor, fix, matchAt } from './cursor.ts'

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  '"': '"',
  '\\': '\\',
  '/': '/',
}

/** Escapes of JavaScript and Python that stand for one character. */
const foreign: Readonly<Record<string, string>> = {
  "'": "'",
  '`': '`',
  '’': '’',
  '”': '”',
  '\n': '',
  v: '\v',
  '0': '\0',
}

const ofCode = (hex: string): string => {
  const code = Number.parseInt(hex, 16)
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
}

/** Reads the escape that starts at the cursor. One that nobody knows keeps its backslash, as in C:\data. */
export const readEscape = (cursor: Cursor): string => {
  const letter = cursor.text[cursor.at + 1] ?? ''
  const plain = escapes[letter]
  if (plain !== undefined) {
    cursor.at += 2
    return plain
  }
  const unit = letter === 'u' ? matchAt(cursor, /[0-9a-fA-F]{4}/y, cursor.at + 2) : undefined
  if (unit) {
    cursor.at += 6
    return String.fromCharCode(Number.parseInt(unit, 16))
  }
  if (letter === 'u' && matchAt(cursor, /\\u[0-9a-fA-F]{0,3}$/y) !== undefined) {
    fix(cursor, 'cut-short')
    cursor.at = cursor.text.length
    return ''
  }
  fix(cursor, 'invalid-escape')
  const long = matchAt(cursor, /\\(?:x[0-9a-fA-F]{2}|u\{[0-9a-fA-F]{1,6}\})/y)
  if (long) {
    cursor.at += long.length
    return ofCode(long.replace(/[^0-9a-fA-F]/g, ''))
  }
  const one = foreign[letter]
  cursor.at += one === undefined ? 1 : 2
  return one ?? '\\'
}
