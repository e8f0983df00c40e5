type Piece = { literal: string } | { field: string }

/** A text template such as `dns-lookup <domain>`, ready to be matched. */
export type Template = {
  pieces: readonly Piece[]
  fields: readonly string[]
  /** Text before the first field, without trailing space or colon, in lower case. */
  head: string
  /** The first word of every text that matches, in lower case; undefined when the template starts with a field. */
  word: string | undefined
  /** Characters that are not fields: the more, the more specific. */
  weight: number
}

const firstWord = /^[\p{L}\p{N}_-]+/u

/** The word that a text starts with, in lower case. */
export const parseFirstWord = (text: string): string | undefined => firstWord.exec(text)?.[0].toLowerCase()

export const compileTemplate = (source: string): Template => {
  const pieces = source
    .trim()
    .split(/(<\w+>)/)
    .filter(piece => piece !== '')
    .map(
      (piece): Piece =>
        /^<\w+>$/.test(piece) ? { field: piece.slice(1, -1) } : { literal: piece.toLowerCase() },
    )
  const start = pieces[0] && 'literal' in pieces[0] ? pieces[0].literal : ''
  const word = parseFirstWord(start)
  return {
    pieces,
    fields: pieces.flatMap(piece => ('field' in piece ? [piece.field] : [])),
    head: start.replace(/[\s:]+$/, ''),
    word: word === start && pieces.length > 1 ? undefined : word,
    weight: pieces.reduce((sum, piece) => sum + ('literal' in piece ? piece.literal.length : 0), 0),
  }
}

const isSpace = (char: string | undefined): boolean => char !== undefined && /\s/.test(char)

const afterSpaces = (text: string, at: number): number => {
  let next = at
  while (isSpace(text[next])) next++
  return next
}

/** Finds the end of the literal at `at`, -1 when it is not there. Any run of spaces fits a space; so does a colon. */
const afterLiteral = (text: string, at: number, literal: string): number => {
  let place = at
  for (let i = 0; i < literal.length; i++) {
    if (!isSpace(literal[i])) {
      if (text[place]?.toLowerCase() !== literal[i]) return -1
      place++
      continue
    }
    if (isSpace(literal[i - 1])) continue
    const from = text[place] === ':' ? place + 1 : place
    const next = afterSpaces(text, from)
    if (next === place) return -1
    place = next
  }
  return place
}

/** Finds a word's end: a space, or the start of the literal behind it. */
const afterWord = (text: string, at: number, next: Piece | undefined): number => {
  const stop = next && 'literal' in next && !isSpace(next.literal[0]) ? next.literal[0] : undefined
  let place = at
  while (place < text.length && !isSpace(text[place]) && text[place]?.toLowerCase() !== stop) place++
  return place
}

/** Finds the last field's end: the literal behind it, which must end the text, else the text's end. */
const beforeTail = (text: string, tail: Piece | undefined): number => {
  if (!tail || !('literal' in tail)) return text.length
  const literal = tail.literal.trimEnd()
  const from = text.length - literal.length
  return from >= 0 && text.slice(from).toLowerCase() === literal ? from : -1
}

/**
 * Reads a trimmed text by a template: literals without regard to case, one word for each field, the rest for the last
 * one. Undefined when it does not fit. Time grows with the length of the text only.
 */
export const readTemplate = (
  { pieces, fields }: Template,
  text: string,
): Record<string, string> | undefined => {
  const captures: [string, string][] = []
  let place = 0
  for (const [index, piece] of pieces.entries()) {
    const next = pieces[index + 1]
    if ('literal' in piece) {
      place = afterLiteral(text, place, piece.literal)
      if (place < 0) return undefined
      continue
    }
    const last = captures.length === fields.length - 1
    const start = last ? place : afterSpaces(text, place)
    const end = last ? beforeTail(text, next) : afterWord(text, start, next)
    const value = text.slice(start, Math.max(start, end)).trim()
    if (end < 0 || value === '') return undefined
    captures.push([piece.field, value])
    place = end
  }
  return place === text.length ? Object.fromEntries(captures) : undefined
}
