import { formatMacroIp } from '../../../lib/mail-auth/spf/ip.ts'
import { type MacroString, transformMacro } from '../../../lib/mail-auth/spf/macro-string.ts'
import type { SpfRun } from './run.ts'
import { isUnder, validatedNames } from './validated-names.ts'

const validatedName = async (run: SpfRun, domain: string): Promise<string> => {
  const names = await validatedNames(run)
  const own = domain.toLowerCase()
  return names.find(name => name === own) ?? names.find(name => isUnder(name, own)) ?? names[0] ?? 'unknown'
}

const macroValue = (run: SpfRun, domain: string, letter: string): string | Promise<string> => {
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
      return formatMacroIp(run.ip)
    case 'p':
      return validatedName(run, domain)
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

/** Expands a macro string for a record of `domain` (RFC 7208 section 7). */
export const expand = async (run: SpfRun, domain: string, pieces: MacroString): Promise<string> => {
  const texts: string[] = []
  for (const piece of pieces) {
    if ('text' in piece) texts.push(piece.text)
    else texts.push(transformMacro(piece, await macroValue(run, domain, piece.letter)))
  }
  return texts.join('')
}

/** Expands to a name for the DNS: one over 253 characters loses labels from the left. */
export const expandName = async (run: SpfRun, domain: string, pieces: MacroString): Promise<string> => {
  const name = (await expand(run, domain, pieces)).replace(/\.$/, '')
  if (name.length <= 253) return name
  return name.slice(name.indexOf('.', name.length - 254) + 1)
}
