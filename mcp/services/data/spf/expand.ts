import { dotted } from './ip.ts'
import type { MacroString, Piece } from './macro-string.ts'
import type { Run } from './run.ts'
import { isUnder, validatedNames } from './validated.ts'

type Macro = Extract<Piece, { letter: string }>

const nameOf = async (run: Run, domain: string): Promise<string> => {
  const names = await validatedNames(run)
  const own = domain.toLowerCase()
  return names.find(name => name === own) ?? names.find(name => isUnder(name, own)) ?? names[0] ?? 'unknown'
}

const macroValue = (run: Run, domain: string, letter: string): string | Promise<string> => {
  const at = run.sender.lastIndexOf('@')
  switch (letter) {
    case 's':
      return run.sender
    case 'l':
      return run.sender.slice(0, at)
    case 'o':
      return run.sender.slice(at + 1)
    case 'd':
      return domain
    case 'i':
      return dotted(run.ip)
    case 'p':
      return nameOf(run, domain)
    case 'v':
      return run.ip.version === 4 ? 'in-addr' : 'ip6'
    case 'h':
      return run.helo
    case 'c':
      return run.ip.text
    case 'r':
      return run.receiver
    default:
      return String(Math.floor(run.now.getTime() / 1000))
  }
}

const asUriText = (text: string): string =>
  [...Buffer.from(text)]
    .map(byte => String.fromCharCode(byte))
    .map(char =>
      /[\w.~-]/.test(char) ? char : `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('')

const shaped = (macro: Macro, value: string): string => {
  if (macro.keep === Number.POSITIVE_INFINITY && !macro.reverse && macro.delimiters === '.') return value
  const parts: string[] = ['']
  for (const char of value) {
    if (macro.delimiters.includes(char)) parts.push('')
    else parts[parts.length - 1] += char
  }
  if (macro.reverse) parts.reverse()
  return parts.slice(-macro.keep).join('.')
}

/** Expands a macro string for a record of `domain` (RFC 7208 section 7). */
export const expand = async (run: Run, domain: string, pieces: MacroString): Promise<string> => {
  const texts: string[] = []
  for (const piece of pieces) {
    if ('text' in piece) texts.push(piece.text)
    else {
      const value = shaped(piece, await macroValue(run, domain, piece.letter))
      texts.push(piece.escape ? asUriText(value) : value)
    }
  }
  return texts.join('')
}

/** Expands to a name for the DNS: one over 253 characters loses labels from the left. */
export const expandName = async (run: Run, domain: string, pieces: MacroString): Promise<string> => {
  const name = (await expand(run, domain, pieces)).replace(/\.$/, '')
  if (name.length <= 253) return name
  return name.slice(name.indexOf('.', name.length - 254) + 1)
}
