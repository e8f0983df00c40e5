const controlCharacters = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/**
 * The words of a caller as a refusal repeats them: at most `longest` characters, and none that controls a terminal, ends a
 * line or turns the direction of text.
 */
export const echo = (text: string, maxLength = 64): string => {
  const cut = text.length > maxLength
  // What is cut off is never looked at, however long it is.
  const clean = (cut ? text.slice(0, maxLength) : text).replace(controlCharacters, '\ufffd')
  return cut ? `${clean}…` : clean
}
