/** One line of a robots.txt as bytes (Latin-1 text), counted from 1. */
export type Line = { number: number; bytes: string; tooLong: boolean }

/** Bytes of a line that are read; what is beyond is ignored, as Google's parser does it. */
const maxLineBytes = 2083 * 8 - 1

/** A byte order mark, also a broken-off one. */
const mark = /^\xef(?:\xbb\xbf?)?/

/** The bytes of a text as Latin-1: one character for each byte, so that lengths and comparisons are those of RFC 9309. */
export const toBinaryString = (text: string | Uint8Array): string =>
  typeof text === 'string'
    ? Buffer.from(text, 'utf8').toString('latin1')
    : Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString('latin1')

/** Decodes bytes as UTF-8, as they should be, for people to read. */
export const fromBinaryString = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8')

/** The lines of a robots.txt, whichever way they end. A null byte ends a line for its reader. */
export const splitLines = (robotsTxt: string | Uint8Array): Line[] =>
  toBinaryString(robotsTxt)
    .replace(mark, '')
    .split(/\r\n|\n|\r/)
    .map((line, index) => ({
      number: index + 1,
      bytes: line.slice(0, maxLineBytes).replace(/\0.*/s, ''),
      tooLong: line.length > maxLineBytes,
    }))
