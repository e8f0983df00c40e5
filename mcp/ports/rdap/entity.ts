import { isRecord } from '../../lib/json.ts'
import { clean } from '../../lib/text/clean.ts'
import { objectsIn, type RdapObject, textsIn, toWord } from './json.ts'

/** Facts on a person or company in a contact card; null where it tells none. */
export type ContactCard = {
  name: string | null
  organization: string | null
  email: string | null
  url: string | null
  country: string | null
}

const maxLines = 60

/** The lines `[name, parameters, type, value…]` of a jCard (RFC 7095). */
const readLines = (entity: RdapObject): unknown[][] => {
  const card = entity.vcardArray
  const lines = Array.isArray(card) ? card[1] : undefined
  return Array.isArray(lines) ? lines.slice(0, maxLines).filter(Array.isArray) : []
}

const lineValues = (lines: unknown[][], name: string): unknown[] =>
  lines.filter(line => toWord(line[0]) === name).map(line => line[3])

const firstText = (values: unknown[]): string | null => {
  for (const value of values.flat()) {
    const text = clean(value, 300)
    if (text !== null) return text
  }
  return null
}

/** From the `cc` parameter (RFC 8605), the last part of the address, or the last line of its label. */
const readCountry = (lines: unknown[][]): string | null => {
  for (const [, parameters, , value] of lines.filter(line => toWord(line[0]) === 'adr')) {
    const { cc, label } = isRecord(parameters) ? parameters : {}
    const last = Array.isArray(value) ? value[6] : undefined
    const lastLine = typeof label === 'string' ? label.slice(0, 2000).trim().split('\n').at(-1) : undefined
    const country = clean(cc, 80) ?? clean(textsIn(last)[0], 80) ?? clean(lastLine, 80)
    if (country) return country
  }
  return null
}

export const readCard = (entity: RdapObject): ContactCard => {
  const lines = readLines(entity)
  return {
    name: firstText(lineValues(lines, 'fn')),
    organization: firstText(lineValues(lines, 'org')),
    email: firstText(lineValues(lines, 'email'))?.replace(/^mailto:/i, '') ?? null,
    url: firstText(lineValues(lines, 'url')),
    country: readCountry(lines),
  }
}

/** The first entity of an object that has a role; deeper ones belong to something else. */
export const entityWith = (object: RdapObject, role: string): RdapObject | undefined =>
  objectsIn(object.entities).find(entity => textsIn(entity.roles).some(one => one.toLowerCase() === role))

const withheld =
  /redact|privacy|not (?:been )?disclosed|withheld|masked|hidden|data protected|statutory masking/i

/** True for the words that stand where a name is not shown. */
export const isWithheld = (text: string | null): boolean => text !== null && withheld.test(text)

/** True when an object, or one of its remarks, says that something is left out for privacy (also RFC 9537). */
export const isRedacted = (object: RdapObject): boolean =>
  objectsIn(object.remarks).some(({ title, type }) =>
    /redact|privacy/i.test(`${toWord(title)} ${toWord(type)}`),
  )

const numeric = /^\d{1,6}$/

/** The registrar's IANA number: its public id, or a handle that is nothing but a number. */
export const readIanaId = (entity: RdapObject): string | null => {
  const publicId = objectsIn(entity.publicIds).find(({ type }) => /iana/i.test(toWord(type)))
  return (
    clean(publicId?.identifier, 20) ?? (numeric.test(toWord(entity.handle)) ? toWord(entity.handle) : null)
  )
}
