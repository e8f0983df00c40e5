const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Longer clusters than this many code units are no characters of a script; they are cut between code points. */
export const maxCluster = 64

const isPair = (text: string, at: number): boolean => {
  const high = text.charCodeAt(at - 1)
  const low = text.charCodeAt(at)
  return high >= 0xd800 && high <= 0xdbff && low >= 0xdc00 && low <= 0xdfff
}

/** The last place up to `at` where a text may be cut: never within a surrogate pair, nor within what is read as one character. */
export const cutPoint = (text: string, at: number): number => {
  if (at <= 0) return 0
  if (at >= text.length) return text.length
  if (text.charCodeAt(at) < 0x300 && text.charCodeAt(at - 1) < 0x300) return at
  const start = Math.max(0, at - maxCluster)
  const from = isPair(text, start) ? start - 1 : start
  const window = text.slice(from, at + 2)
  const index = from + (graphemes.segment(window).containing(at - from)?.index ?? 0)
  if (index > from) return index
  return isPair(text, at) ? at - 1 : at
}

/** The beginning of a text, at most `max` UTF-16 code units of it, cut between two characters. */
export const cut = (text: string, max: number): string =>
  text.length <= max ? text : text.slice(0, cutPoint(text, max))

/** The same, ending in `…` where something was cut off. The `…` counts. */
export const ellipsize = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, cutPoint(text, max - 1)).trimEnd()}…`

/** How many code points a text has. */
export const countCodePoints = (text: string): number => {
  let count = text.length
  for (let at = 1; at < text.length; at++) if (isPair(text, at)) count--
  return count
}
