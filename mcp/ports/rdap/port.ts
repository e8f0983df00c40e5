import type { Turn } from '../scheduler/port.ts'

/** A date as a registry writes it; `at` is ISO 8601 UTC, null when it cannot be read. */
export type RegistryDate = { at: string | null; raw: string }

/** Whom a registration is held with. Every field is null where the registry does not say it. */
export type Registrar = {
  name: string | null
  ianaId: string | null
  url: string | null
  abuseEmail: string | null
}

/** The registry's facts on a domain. Null: it does not say. Nothing but `registered: false` when there is no such domain. */
export type Registration = {
  registered: boolean
  source: 'rdap' | 'whois'
  /** Host of the server that decided. */
  server: string
  /** Everything that was asked: URLs, or `whois://host`. */
  sources: string[]
  created: RegistryDate | null
  updated: RegistryDate | null
  expires: RegistryDate | null
  registrar: Registrar | null
  /** EPP codes where they are such, else the registry's own words. */
  status: string[]
  nameservers: string[]
  dnssec: boolean | null
  /** The registrant's name is withheld. */
  redacted: boolean | null
  registrant: { organization: string | null; country: string | null } | null
  notes: { code: string; message: string }[]
}

/** A registry's facts on a block of addresses, or on an AS number. Null: it does not say. */
export type NumberRecord = {
  handle: string | null
  name: string | null
  organization: string | null
  /** Two letters, or the country's name. */
  country: string | null
  /** First and last address or number. */
  start: string | null
  end: string | null
  cidrs: string[]
  /** Host of the registry. */
  server: string
  sources: string[]
}

/**
 * The registries of domains, addresses and AS numbers, over RDAP, with WHOIS for top-level domains without it. A registry that
 * fails throws `upstream`; that something is not registered is an answer.
 */
export type Rdap = {
  /** A registrable domain in ASCII. Throws `invalid_input` on `domain` when its top-level domain does not exist. */
  domain(name: string, options?: { signal?: AbortSignal }): Promise<Registration>
  /** The block that a public address lies in; null when it is not allocated. */
  ip(address: string, options?: { signal?: AbortSignal }): Promise<NumberRecord | null>
  autnum(number: number, options?: { signal?: AbortSignal }): Promise<NumberRecord | null>
  /** The same on behalf of one call, in whose name requests are sent. */
  forCall?(turn: Partial<Turn>): Rdap
}
