import { isRecord } from '../../lib/json.ts'
import { clean } from '../../lib/text/clean.ts'
import type { Registrar, Registration, RegistryDate } from '../index.ts'
import { readDate } from './date.ts'
import { entityWith, ianaIdOf, isWithheld, readCard, saysRedacted } from './entity.ts'
import { type Json, objectsIn, textsIn, wordOf } from './json.ts'
import { eppStatus } from './status.ts'

/** What an answer tells of a domain, whoever was asked. */
export type Told = Omit<Registration, 'registered' | 'source' | 'server' | 'asked' | 'notes'>

const dateOf = (object: Json, action: string): RegistryDate | null => {
  const event = objectsIn(object.events).find(({ eventAction }) => wordOf(eventAction) === action)
  return readDate(event?.eventDate)
}

/** Where the registrar says that it takes reports, else where any contact for them is. */
const abuseOf = (object: Json, registrar: Json): string | null => {
  const contact = entityWith(registrar, 'abuse') ?? entityWith(object, 'abuse')
  return contact ? readCard(contact).email : null
}

const aboutLink = (entity: Json): string | null => {
  const link = objectsIn(entity.links).find(
    ({ rel, type }) => wordOf(rel) === 'about' && !/rdap/i.test(wordOf(type)),
  )
  return clean(link?.href, 300)
}

const registrarOf = (object: Json): Registrar | null => {
  const entity = entityWith(object, 'registrar') ?? entityWith(object, 'sponsor')
  if (!entity) return null
  const card = readCard(entity)
  return {
    name: card.name ?? card.organization ?? clean(entity.handle, 100),
    ianaId: ianaIdOf(entity),
    url: card.url ?? aboutLink(entity),
    abuseEmail: abuseOf(object, entity),
  }
}

const registrantOf = (object: Json): Pick<Told, 'registrant' | 'redacted'> => {
  const marked = objectsIn(object.redacted).length > 0
  const entity = entityWith(object, 'registrant')
  if (!entity) return { registrant: null, redacted: marked || null }
  const card = readCard(entity)
  const named = card.organization ?? card.name
  const organization = isWithheld(named) ? null : named
  const country = isWithheld(card.country) ? null : card.country
  const redacted = marked || saysRedacted(entity) || isWithheld(card.name) || isWithheld(card.organization)
  return {
    registrant: organization || country ? { organization, country } : null,
    redacted: redacted || organization === null,
  }
}

const hostName = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})+$/

/** Host names among what a registry lists as name servers, each once. */
export const hostsIn = (names: readonly (string | null)[]): string[] => {
  const hosts = names.map(name => (name ?? '').toLowerCase().replace(/\.$/, ''))
  return [...new Set(hosts.filter(host => hostName.test(host)))].slice(0, 50)
}

const signedOf = ({ secureDNS }: Json): boolean | null => {
  if (!isRecord(secureDNS)) return null
  if (objectsIn(secureDNS.dsData).length + objectsIn(secureDNS.keyData).length > 0) return true
  return typeof secureDNS.delegationSigned === 'boolean' ? secureDNS.delegationSigned : null
}

/** Reads an RDAP domain object (RFC 9083 section 5.3). Whatever is missing or not as it should be is null. */
export const readDomainObject = (object: Json): Told => ({
  created: dateOf(object, 'registration'),
  updated: dateOf(object, 'last changed'),
  expires: dateOf(object, 'expiration') ?? dateOf(object, 'registrar expiration'),
  registrar: registrarOf(object),
  status: [...new Set(textsIn(object.status, 40).map(text => eppStatus(clean(text, 100) ?? '')))].filter(
    Boolean,
  ),
  nameservers: hostsIn(objectsIn(object.nameservers).map(({ ldhName }) => clean(ldhName, 253))),
  dnssec: signedOf(object),
  ...registrantOf(object),
})
