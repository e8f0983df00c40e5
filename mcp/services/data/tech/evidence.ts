import { clean } from '../../../lib/text/clean.ts'
import { type Lead, leads } from './catalogue.ts'
import type { Hints } from './fingerprint.ts'

/** Something that was seen and what it speaks for. */
export type Evidence = {
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
export const readVersion = (match: RegExpExecArray | null): string | null => {
  const version = match?.slice(1).find(group => group !== undefined && versionShape.test(group))
  return version?.replace(/[.+-]+$/, '') ?? null
}

export const toEvidence = (
  { name, weak }: Pick<Lead, 'name' | 'weak'>,
  kind: EvidenceKind,
  text: string,
  version: string | null = null,
): Evidence => ({ name, weak, kind, text: `${kind} ${clip(text)}`, version })

/** Leads with hints of one kind. */
export const leadsWith = <Name extends keyof Hints>(
  name: Name,
): readonly (Lead & { hints: Required<Pick<Hints, Name>> })[] =>
  leads.filter(
    (lead): lead is Lead & { hints: Required<Pick<Hints, Name>> } => lead.hints[name] !== undefined,
  )

export type PatternPlace<One> = { of: One; host: string; rest: string }

const splitHost = (host: string) => {
  const slash = host.indexOf('/')
  return slash < 0 ? { host: host, rest: '' } : { host: host.slice(0, slash), rest: host.slice(slash) }
}

/** Things by the hosts they name, which may go on with the start of a path. */
export const byHost = <One>(all: readonly One[], hosts: (one: One) => readonly string[]) => {
  const index = new Map<string, PatternPlace<One>[]>()
  for (const one of all)
    for (const host of hosts(one)) {
      const place = { of: one, ...splitHost(host) }
      const there = index.get(place.host)
      if (there) there.push(place)
      else index.set(place.host, [place])
    }
  return index
}

/** What is named for a host or one above it, whole labels only. */
export const findHost = <One>(
  index: ReadonlyMap<string, readonly PatternPlace<One>[]>,
  host: string,
  path = '/',
): One[] => {
  const matches: One[] = []
  for (let at = host; at.includes('.'); at = at.slice(at.indexOf('.') + 1))
    for (const { of, rest } of index.get(at) ?? []) if (path.startsWith(rest)) matches.push(of)
  return matches
}
