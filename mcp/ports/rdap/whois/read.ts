import { clean } from '../../../lib/text/clean.ts'
import { parseRegistryDate } from '../date.ts'
import { hostsIn, type RegistrationFacts } from '../domain-object.ts'
import { isWithheld } from '../entity.ts'
import { eppStatus } from '../status.ts'
import { matchField, type WhoisField } from './labels.ts'
import { parseEntries } from './lines.ts'

/** How registries begin a line that says there is no such domain. */
const absencePatterns = [
  /^no match/i,
  /^(?:domain |object |record )?not (?:found|registered|exist)/i,
  /^no such domain/i,
  /^no (?:data|entry|entries|objects?|records?|information)\b.{0,60}(?:found|available|exist|about|$)/i,
  /^nothing found/i,
  /^(?:(?:the|above|this|requested|queried) )*(?:domain|object)(?: name)?\b.{0,120}\b(?:not found|not registered|not exist|not been registered|is free|is available|available for (?:registration|purchase)|unregistered|unknown)/i,
  /^(?:object_not_found|no_se_encontro_el_objeto)/i,
  /^el dominio no se encuentra registrado/i,
  /^we do not have an entry in our database/i,
  /^invalid query or domain name not known/i,
  /^[\p{L}\p{N}-]{1,63}\.[\p{L}\p{N}.-]{1,190}(?::| is)? (?:no match|not registered|not found|free|is available for)/iu,
]

const lead = /^[^\p{L}\p{N}]*(?:error:?\s*\d*:?\s*)?/iu
const free = /^(?:available|free|no object found|not registered|unregistered)$/i

const busy =
  /(?:limit|quota|rate)\b.{0,60}(?:exceed|reached|over)|(?:exceed|reached).{0,60}(?:limit|quota|rate)|too many (?:requests|queries|connections)|(?:temporarily|access) (?:denied|blocked|unavailable|restricted)|blacklisted|try again (?:later|after)|wait (?:a|some|for) /i

const lines = (text: string): string[] => text.split(/\r\n?|\n/, 400).map(line => line.slice(0, 300))

/** True when an answer without any data says in so many words that there is no such domain. */
const isAbsent = (text: string, statuses: readonly string[]): boolean =>
  statuses.some(status => free.test(status)) ||
  lines(text)
    .map(line => line.replace(lead, ''))
    .some(line => absencePatterns.some(pattern => pattern.test(line)))

/** True when an answer without any data is about asking too often. */
const isBusy = (text: string): boolean => lines(text).some(line => busy.test(line))

/** Reading of a WHOIS text on a domain: data, that there is none, or nothing that can be made out. */
export type Reading =
  | { kind: 'found'; facts: RegistrationFacts; referral: string | null }
  | { kind: 'absent' | 'busy' | 'unclear' }

type Statements = Readonly<Partial<Record<WhoisField, string[]>>>

const parseStatements = (text: string): Statements => {
  const statements: Partial<Record<WhoisField, string[]>> = {}
  for (const { section, label, value } of parseEntries(text)) {
    const field = matchField(section, label)
    const line = clean(value, 300)
    if (field && line) statements[field] = [...(statements[field] ?? []), line].slice(0, 60)
  }
  return statements
}

const emailIn = (texts: readonly string[] = []): string | null =>
  texts.flatMap(text => /[^\s<>:]+@[^\s<>]+\.[^\s<>]+/.exec(text)?.[0] ?? [])[0] ?? null

const hostIn = (text: string | undefined): string | null =>
  /^(?:[a-z]+:\/\/)?([a-z0-9-]+(?:\.[a-z0-9-]+)+)\/?$/i.exec(text ?? '')?.[1]?.toLowerCase() ?? null

const unsignedPattern = /^(?:no|unsigned|inactive|none|n\/a|not signed|-)\b/i

const isSigned = (texts: readonly string[] | undefined): boolean | null =>
  texts === undefined ? null : !texts.every(text => unsignedPattern.test(text))

/** .il appends a line for every change. */
const lastChange = (texts: readonly string[] = []): readonly string[] =>
  texts.every(text => /\((?:assigned|changed|transferred)\)$/i.test(text)) ? [...texts].reverse() : texts

const dateIn = (texts: readonly string[] | undefined) => {
  const dates = (texts ?? []).map(parseRegistryDate).filter(date => date !== null)
  return dates.find(({ at }) => at !== null) ?? dates[0] ?? null
}

/** Elsewhere the state is a part of an address. */
const domainState =
  /^(?:registered|not delegated|delegated|active|inactive|connected|reserved|suspended|to be|ok)\b/i

/** Some print several statuses in a line; a date beside one is when it ends. */
const readStatuses = (texts: readonly string[] = []): string[] => {
  const words = texts.flatMap(text => (text.includes('://') ? [text] : text.split(/,\s*/)))
  return [...new Set(words.map(word => eppStatus(word.replace(/\s*\(\d{4}\/\d\d\/\d\d\)$/, ''))))].filter(
    Boolean,
  )
}

const readRegistrant = ({ registrant: names = [], country: countries = [] }: Statements) => {
  const visibleName = names.find(name => !isWithheld(name))
  const organization = clean(visibleName?.replace(/\S+@\S+/g, ''), 300)
  const country = countries.find(name => !isWithheld(name)) ?? null
  const isHidden = names.length > 0 && organization === null
  return {
    registrant: organization || country ? { organization, country } : null,
    redacted: names.length === 0 ? null : isHidden || names.some(isWithheld),
  }
}

const toFacts = (statements: Statements): RegistrationFacts => ({
  created: dateIn(statements.created),
  updated: dateIn(lastChange(statements.updated)),
  expires:
    dateIn(statements.expires) ??
    dateIn(statements.state?.flatMap(text => /\((\d{4}\/\d\d\/\d\d)\)/.exec(text)?.[1] ?? [])),
  registrar: statements.registrar
    ? {
        name:
          statements.registrar[0]?.replace(/ \[tag = .*$/i, '').replace(/\s*\(\s*https?:.*$/i, '') ?? null,
        ianaId: statements.ianaId?.find(id => /^\d{1,6}$/.test(id)) ?? null,
        url:
          statements.registrarUrl?.[0] ??
          /https?:\/\/[^\s)]+/.exec(statements.registrar[0] ?? '')?.[0] ??
          null,
        abuseEmail: emailIn(statements.abuseEmail),
      }
    : null,
  status: readStatuses([
    ...(statements.status ?? []),
    ...(statements.state ?? []).filter(text => domainState.test(text)),
  ]),
  nameservers: hostsIn(
    // A line may hold several names, and the addresses of each.
    (statements.nameserver ?? []).flatMap(text => text.split(/[\s,;[\]()]+/).filter(isHostName)),
  ),
  dnssec: isSigned(statements.dnssec),
  ...readRegistrant(statements),
})

const hasData = ({ created, expires, updated, registrar, nameservers }: RegistrationFacts): boolean =>
  created !== null || expires !== null || updated !== null || registrar !== null || nameservers.length > 0

const isHostName = (word: string): boolean => /\.(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})\.?$/i.test(word)

/** Reads the WHOIS text of a registry in whatever of the usual forms it is. */
export const parseWhois = (text: string): Reading => {
  const statements = parseStatements(text)
  const facts = toFacts(statements)
  if (hasData(facts)) return { kind: 'found', facts, referral: hostIn(statements.whoisServer?.[0]) }
  if (isBusy(text)) return { kind: 'busy' }
  return { kind: isAbsent(text, statements.status ?? []) ? 'absent' : 'unclear' }
}

/** The registrar adds what the registry does not say. */
export const mergeFacts = (registry: RegistrationFacts, registrar: RegistrationFacts): RegistrationFacts => ({
  ...registrar,
  ...Object.fromEntries(
    Object.entries(registry).filter(
      ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
    ),
  ),
})
