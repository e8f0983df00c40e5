const unseen = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/**
 * The words of a caller as a refusal repeats them: at most `longest` characters, and none that controls a terminal, ends a
 * line or turns the direction of text.
 */
export const quote = (text: string, longest = 64): string => {
  const cut = text.length > longest
  // What is cut off is never looked at, however long it is.
  const clean = (cut ? text.slice(0, longest) : text).replace(unseen, '\ufffd')
  return cut ? `${clean}…` : clean
}
