import { isRecord } from '../../lib/json.ts'
import { clean } from '../../lib/text/clean.ts'
import { parseRegistryDate } from './date.ts'
import { entityWith, isRedacted, isWithheld, readCard, readIanaId } from './entity.ts'
import { objectsIn, type RdapObject, textsIn, toWord } from './json.ts'
import type { Registrar, Registration, RegistryDate } from './port.ts'
import { rdapStatus } from './status.ts'

/** Facts of an answer on a domain, whoever was asked. */
export type RegistrationFacts = Omit<Registration, 'registered' | 'source' | 'server' | 'sources' | 'notes'>

const eventDate = (object: RdapObject, action: string): RegistryDate | null => {
  const event = objectsIn(object.events).find(({ eventAction }) => toWord(eventAction) === action)
  return parseRegistryDate(event?.eventDate)
}

/** Reads the registrar's address for reports, else that of any contact for them. */
const readAbuseEmail = (object: RdapObject, registrar: RdapObject): string | null => {
  const contact = entityWith(registrar, 'abuse') ?? entityWith(object, 'abuse')
  return contact ? readCard(contact).email : null
}

const aboutLink = (entity: RdapObject): string | null => {
  const link = objectsIn(entity.links).find(
    ({ rel, type }) => toWord(rel) === 'about' && !/rdap/i.test(toWord(type)),
  )
  return clean(link?.href, 300)
}

const readRegistrar = (object: RdapObject): Registrar | null => {
  const entity = entityWith(object, 'registrar') ?? entityWith(object, 'sponsor')
  if (!entity) return null
  const card = readCard(entity)
  return {
    name: card.name ?? card.organization ?? clean(entity.handle, 100),
    ianaId: readIanaId(entity),
    url: card.url ?? aboutLink(entity),
    abuseEmail: readAbuseEmail(object, entity),
  }
}

const readRegistrant = (object: RdapObject): Pick<RegistrationFacts, 'registrant' | 'redacted'> => {
  const marked = objectsIn(object.redacted).length > 0
  const entity = entityWith(object, 'registrant')
  if (!entity) return { registrant: null, redacted: marked || null }
  const card = readCard(entity)
  const holder = card.organization ?? card.name
  const organization = isWithheld(holder) ? null : holder
  const country = isWithheld(card.country) ? null : card.country
  const redacted = marked || isRedacted(entity) || isWithheld(card.name) || isWithheld(card.organization)
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

const isSigned = ({ secureDNS }: RdapObject): boolean | null => {
  if (!isRecord(secureDNS)) return null
  if (objectsIn(secureDNS.dsData).length + objectsIn(secureDNS.keyData).length > 0) return true
  return typeof secureDNS.delegationSigned === 'boolean' ? secureDNS.delegationSigned : null
}

/** Reads an RDAP domain object (RFC 9083 section 5.3). Whatever is missing or not as it should be is null. */
export const readDomainObject = (object: RdapObject): RegistrationFacts => ({
  created: eventDate(object, 'registration'),
  updated: eventDate(object, 'last changed'),
  expires: eventDate(object, 'expiration') ?? eventDate(object, 'registrar expiration'),
  registrar: readRegistrar(object),
  status: [...new Set(textsIn(object.status, 40).map(text => rdapStatus(clean(text, 100) ?? '')))].filter(
    Boolean,
  ),
  nameservers: hostsIn(objectsIn(object.nameservers).map(({ ldhName }) => clean(ldhName, 253))),
  dnssec: isSigned(object),
  ...readRegistrant(object),
})
