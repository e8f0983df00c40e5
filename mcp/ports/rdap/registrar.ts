import { dayMs as day } from '../../lib/time.ts'
import { toStopError } from '../fetch/deadline.ts'
import type { Fetch } from '../fetch/port.ts'
import { type RegistrationFacts, readDomainObject } from './domain-object.ts'
import { objectsIn, type RdapObject, toWord } from './json.ts'
import type { Registrar, Registration, RegistryDate } from './port.ts'
import { askRdap } from './request.ts'

const patienceMs = 5000
/** The registrar's own answer about the domain, as the registry's answer links to it. */
const registrarLink = (object: RdapObject, asked: string): string | undefined => {
  const link = objectsIn(object.links).find(
    ({ rel, type, href }) =>
      toWord(rel) === 'related' &&
      typeof href === 'string' &&
      (/rdap\+json/i.test(toWord(type)) || /\/domain\/[^/]+$/i.test(href)) &&
      URL.canParse(href) &&
      href.toLowerCase() !== asked.toLowerCase(),
  )
  return typeof link?.href === 'string' ? link.href : undefined
}

const fuller = (first: Registrar | null, second: Registrar | null): Registrar | null => {
  if (!first || !second) return first ?? second
  return {
    name: first.name ?? second.name,
    ianaId: first.ianaId ?? second.ianaId,
    url: first.url ?? second.url,
    abuseEmail: first.abuseEmail ?? second.abuseEmail,
  }
}

const apart = (first: RegistryDate | null, second: RegistryDate | null): boolean =>
  !!first?.at && !!second?.at && Math.abs(Date.parse(first.at) - Date.parse(second.at)) > 2 * day

/** The registry's word counts; the registrar adds what the registry does not say. */
const mergeRegistrars = (
  registry: RegistrationFacts,
  registrar: RegistrationFacts,
): RegistrationFacts & Pick<Registration, 'notes'> => {
  const differing = [
    apart(registry.created, registrar.created) && 'creation',
    apart(registry.expires, registrar.expires) && 'expiry',
  ].filter(name => name !== false)
  return {
    created: registry.created ?? registrar.created,
    updated: registry.updated ?? registrar.updated,
    expires: registry.expires ?? registrar.expires,
    registrar: fuller(registry.registrar, registrar.registrar),
    status: registry.status.length > 0 ? registry.status : registrar.status,
    nameservers: registry.nameservers.length > 0 ? registry.nameservers : registrar.nameservers,
    dnssec: registry.dnssec ?? registrar.dnssec,
    registrant: registry.registrant ?? registrar.registrant,
    redacted: registry.registrant ? registry.redacted : (registrar.redacted ?? registry.redacted),
    notes: differing.map(name => ({
      code: 'registrar_differs',
      message: `The registrar tells another ${name} date than the registry; this is the registry's.`,
    })),
  }
}

const domainName = ({ ldhName }: RdapObject): string => toWord(ldhName).replace(/\.$/, '')

type CompletedFacts = RegistrationFacts & { notes: Registration['notes']; sources: string[] }

/**
 * Reads a registry's domain object and, where it does not name the registrant, completes it with what the registrar says. A
 * registrar that fails costs nothing but its part.
 */
export const readWithRegistrar = async (
  fetch: Fetch,
  { url, body }: { url: string; body: RdapObject },
  signal: AbortSignal | undefined,
): Promise<CompletedFacts> => {
  const registry = readDomainObject(body)
  const link = registrarLink(body, url)
  if (!link || registry.registrant) return { ...registry, notes: [], sources: [] }
  try {
    const answer = await askRdap(fetch, link, { signal, deadlineMs: patienceMs })
    if (answer.body && domainName(answer.body) === domainName(body))
      return { ...mergeRegistrars(registry, readDomainObject(answer.body)), sources: [link] }
  } catch {
    if (signal?.aborted) throw toStopError(signal)
  }
  const note = {
    code: 'registrar_silent',
    message: 'The registrar did not answer about the domain; this is what the registry says.',
  }
  return { ...registry, notes: [note], sources: [link] }
}
