/** Place of something in the text: UTF-16 code units, the end excluded. */
export type TextSpan = { start: number; end: number }

/** Remembers which parts of the text are spoken for, so that a later reading does not overlap an earlier one. */
export type Cover = {
  /** Takes the span when all of it is free. */
  take(span: TextSpan): boolean
  isFree(span: TextSpan): boolean
}

export const openCover = (length: number): Cover => {
  const covered = new Uint8Array(length)
  const isFree = ({ start, end }: TextSpan) => covered.subarray(start, end).indexOf(1) < 0
  return {
    isFree,
    take(span) {
      if (!isFree(span)) return false
      covered.fill(1, span.start, span.end)
      return true
    },
  }
}

const word = /[\p{L}\p{N}\p{M}]/u

/** True when a letter, digit or mark stands at `at`; halves of surrogate pairs do not count. */
export const isWord = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  if (code < 128) return (code > 47 && code < 58) || (code > 64 && code < 91) || (code > 96 && code < 123)
  return code < 0xd800 || code > 0xdfff ? word.test(text.charAt(at)) : false
}

const spaceless =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]/u

/**
 * Whether two neighbours belong to one name. Scripts that are written without spaces run on from a Latin name into the
 * sentence around it, so a name does not cross from one into the other.
 */
export const isSameRun = (text: string, left: number, right: number): boolean => {
  const [one, other] = [text.charAt(left), text.charAt(right)]
  if (/[.-]/.test(one) || /[.-]/.test(other)) return true
  return spaceless.test(one) === spaceless.test(other)
}

/** The host name around `at`: letters, digits, dots and hyphens, at most 253 characters to each side. */
export const hostAround = (text: string, at: number, minStart: number): TextSpan => {
  let start = at
  let end = at
  const belongs = (place: number) => isWord(text, place) || text[place] === '.' || text[place] === '-'
  while (
    start > minStart &&
    at - start < 253 &&
    belongs(start - 1) &&
    (start === at || isSameRun(text, start - 1, start))
  )
    start--
  while (end < text.length && end - at < 253 && belongs(end) && (end === at || isSameRun(text, end - 1, end)))
    end++
  while (start < end && !isWord(text, start)) start++
  while (end > start && !isWord(text, end - 1)) end--
  return { start, end }
}
