import { clean } from '../../../lib/text/clean.ts'
import { catalogue, type Hints, type Lead } from './catalogue.ts'

/** Something that was seen and what it speaks for. */
export type TechEvidence = {
  name: string
  weak: boolean
  kind: EvidenceKind
  text: string
  version: string | null
}

export type EvidenceKind =
  | 'address'
  | 'alias'
  | 'attribute'
  | 'cookie'
  | 'file'
  | 'generator'
  | 'header'
  | 'host'
  | 'markup'
  | 'meta'
  | 'name server'
  | 'path'
  | 'script'

const clip = (text: string): string => clean(text, 120) ?? ''

const versionShape = /^\d[\w.+-]{0,29}$/

/** The version that a match holds: its first group that has one. */
export const versionInMatch = (match: RegExpExecArray | null): string | null => {
  const version = match?.slice(1).find(group => group !== undefined && versionShape.test(group))
  return version?.replace(/[.+-]+$/, '') ?? null
}

export const toTechEvidence = (
  { name, weak }: Pick<Lead, 'name' | 'weak'>,
  kind: EvidenceKind,
  text: string,
  version: string | null = null,
): TechEvidence => ({ name, weak, kind, text: `${kind} ${clip(text)}`, version })

type LeadWith<Name extends keyof Hints> = Lead & { hints: Record<Name, NonNullable<Hints[Name]>> }

const leadsByHint = new Map<keyof Hints, readonly Lead[]>()

/** Leads with hints of one kind. */
export const leadsWith = <Name extends keyof Hints>(name: Name): readonly LeadWith<Name>[] => {
  const known = leadsByHint.get(name)
  if (known) return known as readonly LeadWith<Name>[]
  const leads = catalogue().leads.filter((lead): lead is LeadWith<Name> => lead.hints[name] !== undefined)
  leadsByHint.set(name, leads)
  return leads
}

type HostHint = 'cnames' | 'hosts' | 'ns' | 'pixels'

type HostPlace = { lead: Lead; path: string }

const indexes = new Map<HostHint, ReadonlyMap<string, readonly HostPlace[]>>()

const buildIndex = (hint: HostHint): ReadonlyMap<string, readonly HostPlace[]> => {
  const index = new Map<string, HostPlace[]>()
  for (const lead of leadsWith(hint))
    for (const place of lead.hints[hint]) {
      const host = place.replace(/\/.*$/, '')
      index.set(host, [...(index.get(host) ?? []), { lead, path: place.slice(host.length) }])
    }
  indexes.set(hint, index)
  return index
}

/** Leads that name a host or one above it, whole labels only. */
export const findHost = (hint: HostHint, host: string, path = '/'): Lead[] => {
  const index = indexes.get(hint) ?? buildIndex(hint)
  const leads: Lead[] = []
  for (let at = host; at.includes('.'); at = at.slice(at.indexOf('.') + 1))
    for (const place of index.get(at) ?? []) if (path.startsWith(place.path)) leads.push(place.lead)
  return leads
}
