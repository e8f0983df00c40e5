import type { Note } from './note.ts'

/** A security.txt file (RFC 9116). Lists are in the order of the file; `expires` is ISO 8601 UTC. */
export type SecurityTxt = {
  contacts: string[]
  expires: string | null
  canonical: string[]
  policies: string[]
  encryption: string[]
  acknowledgments: string[]
  hiring: string[]
  languages: string[]
  signed: boolean
  errors: Note[]
  warnings: Note[]
}

const maxLines = 500
const maxValues = 20
const year = 366 * 86_400_000

/** The lines that a signature covers, or all of them where there is none. */
const parseLines = (text: string): { lines: string[]; signed: boolean } => {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/, maxLines)
  const start = lines.findIndex(line => line.startsWith('-----BEGIN PGP SIGNED MESSAGE-----'))
  const end = lines.findIndex(line => line.startsWith('-----BEGIN PGP SIGNATURE-----'))
  if (start < 0 || end < start) return { lines, signed: false }
  const body = lines.slice(start, end)
  return { lines: body.slice(body.indexOf('') + 1).map(line => line.replace(/^- /, '')), signed: true }
}

const readFields = (lines: readonly string[]): Map<string, string[]> => {
  const fields = new Map<string, string[]>()
  for (const line of lines) {
    const [, name = '', value = ''] = /^([A-Za-z][A-Za-z-]{0,40})[ \t]*:[ \t]*(.*?)[ \t]*$/.exec(line) ?? []
    if (name === '') continue
    const values = fields.get(name.toLowerCase()) ?? []
    if (values.length < maxValues) fields.set(name.toLowerCase(), [...values, value])
  }
  return fields
}

const note = (isWrong: boolean, code: string, message: string): Note[] => (isWrong ? [{ code, message }] : [])

const date = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/

/** Reads a file and says what the standard wants of it. Undefined when no line of it is a field of security.txt. */
export const readSecurityTxt = (text: string, url: string, now: Date): SecurityTxt | undefined => {
  if (/^\s*<(?:!doctype|html)/i.test(text)) return undefined
  const { lines, signed } = parseLines(text)
  const fields = readFields(lines)
  const list = (name: string) => fields.get(name) ?? []
  if (list('contact').length === 0 && list('expires').length === 0) return undefined
  const [expiry = ''] = list('expires')
  const expires = date.test(expiry) && !Number.isNaN(Date.parse(expiry)) ? new Date(expiry) : null
  const canonical = list('canonical')
  return {
    contacts: list('contact'),
    expires: expires?.toISOString() ?? null,
    canonical,
    policies: list('policy'),
    encryption: list('encryption'),
    acknowledgments: list('acknowledgments'),
    hiring: list('hiring'),
    languages: list('preferred-languages').flatMap(value => value.split(/\s*,\s*/).filter(tag => tag !== '')),
    signed,
    errors: [
      ...note(
        list('contact').length === 0,
        'no_contact',
        'Contact is missing; it must say where to write to.',
      ),
      ...note(
        list('contact').some(value => !/^(?:https:\/\/|mailto:|tel:)\S+$/i.test(value)),
        'bad_contact',
        'Contact must be an address such as mailto:security@example.com or https://….',
      ),
      ...note(list('expires').length === 0, 'no_expiry', 'Expires is missing; it must stand there once.'),
      ...note(list('expires').length > 1, 'several_expiries', 'Expires must stand there once.'),
      ...note(
        expiry !== '' && expires === null,
        'bad_expiry',
        'Expires must be a time as in RFC 3339, such as 2027-01-01T00:00:00Z.',
      ),
      ...note(
        expires !== null && expires <= now,
        'expired',
        'The file has expired: it must not be used any more.',
      ),
      ...note(
        list('preferred-languages').length > 1,
        'several_languages',
        'Preferred-Languages must stand there once.',
      ),
    ],
    warnings: [
      ...note(
        expires !== null && expires.getTime() - now.getTime() > year,
        'late_expiry',
        'Expires should be less than a year away.',
      ),
      ...note(
        canonical.length > 0 && !canonical.includes(url),
        'not_canonical',
        'Canonical does not name the address that the file was found at.',
      ),
    ],
  }
}
