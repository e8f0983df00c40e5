import { clean } from '../../lib/text/clean.ts'
import { entityWith, readCard } from './entity.ts'
import { objectsIn, type RdapObject, textsIn, toWord } from './json.ts'
import type { NumberRecord } from './port.ts'
import type { RdapAnswer } from './request.ts'

const readCidrs = (object: RdapObject): string[] =>
  objectsIn(object.cidr0_cidrs).flatMap(({ v4prefix, v6prefix, length }) => {
    const prefix = clean(v4prefix ?? v6prefix, 45)
    return prefix && Number.isInteger(length) ? [`${prefix}/${length}`] : []
  })

const boundary = (value: unknown): string | null =>
  Number.isInteger(value) ? String(value) : (clean(value, 45)?.replace(/\/\d+$/, '') ?? null)

/** Text APNIC and RIPE write beside a network instead of naming its holder. */
const description = (object: RdapObject): string | null =>
  clean(
    textsIn(objectsIn(object.remarks).find(({ title }) => /descr/i.test(toWord(title)))?.description)[0],
    300,
  )

/** Reads an RDAP ip network or autnum object (RFC 9083 sections 5.4 and 5.5). */
export const readNumberObject = (
  { url, body }: RdapAnswer & { body: RdapObject },
  sources: string[],
): NumberRecord => {
  const holder = entityWith(body, 'registrant')
  const card = holder && readCard(holder)
  return {
    handle: clean(body.handle, 100),
    name: clean(body.name, 100),
    organization: card?.organization ?? card?.name ?? description(body),
    country: clean(body.country, 80) ?? card?.country ?? null,
    start: boundary(body.startAddress ?? body.startAutnum),
    end: boundary(body.endAddress ?? body.endAutnum),
    cidrs: readCidrs(body),
    server: new URL(url).hostname,
    sources,
  }
}
