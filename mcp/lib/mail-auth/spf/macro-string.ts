/** A piece of a macro string (RFC 7208 section 7): text as it is, or a macro to expand. */
export type MacroPiece =
  | { text: string }
  | { letter: string; keep: number; reverse: boolean; delimiters: string; escape: boolean }

type Macro = Extract<MacroPiece, { letter: string }>

export type MacroString = readonly MacroPiece[]

/** Why a macro string cannot be read, as the end of a sentence. */
export type UnreadableMacro = { why: string }

const token = /%\{([a-z])(\d*)(r?)([-.+,/_=]*)\}|(%[%_-])|[\x20-\x24\x26-\x7e]+/iy
const literalMacros: Readonly<Record<string, string>> = { '%%': '%', '%_': ' ', '%-': '%20' }

const everywhere = 'slodiphv'
const inExplanations = 'crt'

/** Reads a macro string; spaces and the letters c, r and t only stand in explanations. */
export const readMacroString = (text: string, { explains = false } = {}): MacroString | UnreadableMacro => {
  const pieces: MacroPiece[] = []
  token.lastIndex = 0
  for (let at = 0; at < text.length; at = token.lastIndex) {
    token.lastIndex = at
    const match = token.exec(text)
    if (!match) return { why: `"${text.slice(at, at + 12)}" is no macro and no plain character` }
    const [whole, letter, digits = '', reverse = '', delimiters = '', escaped] = match
    if (letter === undefined) {
      pieces.push({ text: escaped ? (literalMacros[escaped] ?? '') : whole })
      continue
    }
    const lower = letter.toLowerCase()
    if (!everywhere.includes(lower) && !inExplanations.includes(lower))
      return { why: `there is no macro ${whole}` }
    if (!explains && inExplanations.includes(lower)) return { why: `${whole} only stands in explanations` }
    if (digits !== '' && Number(digits) === 0) return { why: `${whole} keeps no part` }
    const keep = digits === '' ? Number.POSITIVE_INFINITY : Number(digits)
    pieces.push({
      letter: lower,
      keep,
      reverse: reverse !== '',
      delimiters: delimiters || '.',
      escape: letter !== lower,
    })
  }
  return pieces
}

const endsInMacro = /%(?:\{[^}]*\}|[%_-])$/
const lastLabel = /\.([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)\.?$/i

/** Reads a domain-spec: a macro string that ends in a macro or in a dot and a label that is not all digits. */
export const parseDomainSpec = (text: string): MacroString | UnreadableMacro => {
  const macroString = readMacroString(text)
  if ('why' in macroString) return macroString
  if (endsInMacro.test(text)) return macroString
  const label = lastLabel.exec(text)?.[1]
  if (label === undefined || /^\d+$/.test(label)) return { why: `"${text}" is no domain name` }
  return macroString
}

/** The text of a macro string without macros, such as a plain domain; undefined when it holds any. */
export const literalText = (pieces: MacroString): string | undefined => {
  const texts = pieces.map(piece => ('text' in piece ? piece.text : undefined))
  return texts.includes(undefined) ? undefined : texts.join('')
}

const asUriText = (text: string): string =>
  [...Buffer.from(text)]
    .map(byte => String.fromCharCode(byte))
    .map(char =>
      /[\w.~-]/.test(char) ? char : `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('')

const transformValue = (macro: Macro, value: string): string => {
  if (macro.keep === Number.POSITIVE_INFINITY && !macro.reverse && macro.delimiters === '.') return value
  const parts: string[] = ['']
  for (const char of value) {
    if (macro.delimiters.includes(char)) parts.push('')
    else parts[parts.length - 1] += char
  }
  if (macro.reverse) parts.reverse()
  return parts.slice(-macro.keep).join('.')
}

/** The value of a macro with what its transformers ask for: parts, order, and URI escapes (RFC 7208 section 7.3). */
export const transformMacro = (macro: Macro, value: string): string => {
  const parts = transformValue(macro, value)
  return macro.escape ? asUriText(parts) : parts
}
