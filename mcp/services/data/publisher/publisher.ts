/** Who stands behind a host. `country` is ISO 3166-1 alpha-2, `EU`, or null for international bodies. */
export type Publisher = {
  name: string | null
  country: string | null
  kind: PublisherKind
  level: 'eu' | 'international' | 'national' | 'regional' | null
}

export type PublisherKind =
  | 'archive'
  | 'authority'
  | 'central-bank'
  | 'commercial'
  | 'court'
  | 'encyclopedia'
  | 'gazette'
  | 'government'
  | 'international'
  | 'legislation'
  | 'military'
  | 'parliament'
  | 'register'
  | 'research'

/** A host that stands for itself and what is below it. */
export type PublisherRow = readonly [host: string, kind: PublisherKind, name: string]

/** Publishers by host. */
export type Publishers = readonly (readonly [host: string, publisher: Publisher])[]

export const under = (
  country: string | null,
  level: Publisher['level'],
  rows: readonly PublisherRow[],
): Publishers => rows.map(([host, kind, name]) => [host, { name, country, kind, level }])
