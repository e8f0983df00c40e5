/** Location of an address, by the operator's own file. */
export type Place = {
  country: string | null
  countryCode: string | null
  region: string | null
  city: string | null
  lat: number | null
  lon: number | null
  timezone: string | null
}

/** City-level data from a file of the operator; null for every address when there is none. */
export type Geo = { place(address: string): Place | null }
