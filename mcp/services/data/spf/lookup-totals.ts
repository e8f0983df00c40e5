import type { Qualifier, SpfPolicy } from '../../../lib/mail-auth/spf/policy.ts'
import type { Dns } from '../../../ports/dns/port.ts'
import { askName } from '../mail-policy/query-dns.ts'
import type { Note } from '../meta.ts'
import { toHosts } from './match.ts'
import { maxHosts } from './run.ts'

/** A record that another one leads to, by include or redirect. Numbers count itself and all below it. */
export type Branch = {
  kind: 'include' | 'redirect'
  domain: string
  level: number
  record: string | null
  all: Qualifier | null
  lookups: number
  voids: number
  problem: string | null
  branches: Branch[]
}

/** Costs of a record and what it lets through, whoever asks. */
export type Sum = {
  lookups: number
  voids: number
  all: Qualifier | null
  /** Every client passes. */
  passesAll: boolean
  errors: Note[]
  /** Names whose records the DNS did not tell. */
  unknown: string[]
  branches: Branch[]
}

/** One analysis under way. Terms beyond `termsLeft` are counted and no longer looked up. */
export type LookupWalk = { dns: Dns; signal: AbortSignal; termsLeft: number; policies: SpfPolicy[] }

export const nothing: Sum = {
  lookups: 0,
  voids: 0,
  all: null,
  passesAll: false,
  errors: [],
  unknown: [],
  branches: [],
}

export const fault = (code: string, message: string): Note => ({ code, message })

/** Cost of a term that asks for these types of a name, until one is found. */
export const sumOfNames = async (
  walk: LookupWalk,
  name: string,
  types: readonly ('A' | 'AAAA' | 'MX')[],
): Promise<Sum> => {
  const sum: Sum = { ...nothing, lookups: 1, errors: [], unknown: [] }
  for (const type of types) {
    const answer = await askName(walk.dns, name, type, walk.signal)
    if (typeof answer === 'string') return { ...sum, unknown: [name] }
    const records = answer.records.filter(record => record.type === type)
    const hosts = type === 'MX' ? toHosts(records.map(({ data }) => data)).length : 0
    if (hosts > maxHosts)
      sum.errors.push(fault('too_many_mx', `${name} has ${hosts} mail servers; mx allows ${maxHosts}.`))
    if (records.length > 0) return sum
  }
  return { ...sum, voids: 1 }
}
