import { ellipsize } from './cut.ts'
import { hasInvisible, stripInvisible } from './invisible.ts'

const spaces = /[\s\u0085]+/g
const breaks = /[\t-\r\u0085\u2028\u2029]/
const lineEnds = /\r\n?|[\v\f\u0085\u2028\u2029]/g

/** A text with whatever stands in it as one line: each run of whitespace is one space, also at both ends. */
export const oneLine = (text: string): string => stripInvisible(text).replace(spaces, ' ')

/**
 * A stranger's text made safe to show in a line: nothing that is not seen or that turns or hides text, runs of whitespace as
 * one space, at most `max` code units with a `…` where it was cut. Null when nothing is left, and for what is no text.
 */
export const clean = (text: unknown, max = 2000): string | null => {
  if (typeof text !== 'string') return null
  const line = oneLine(text.length > max * 4 ? text.slice(0, max * 4) : text).trim()
  if (line === '' || line.length <= max) return line || null
  // What is cut off may have been the reason for which a joiner stayed.
  return stripInvisible(ellipsize(line, max))
}

/** A stranger's text made safe to show in lines: nothing that is not seen or that turns or hides text; tabs stay. */
export const cleanText = (text: string): string => stripInvisible(text).replace(lineEnds, '\n')

/** The same for a text whose lines are a matter of their own: each is cleaned, empty ones go, the whole is cut at `max`. */
export const cleanLines = (text: string | null, max: number): string | null => {
  if (text === null) return null
  const lines = text
    .slice(0, max * 2)
    .split('\n')
    .flatMap(line => clean(line, max) ?? [])
  return lines.length === 0 ? null : ellipsize(lines.join('\n'), max)
}

/** True for a text that is one line and holds nothing that its reader does not see: what an input may be asked to be. */
export const isPlainLine = (text: string): boolean => !breaks.test(text) && !hasInvisible(text)
