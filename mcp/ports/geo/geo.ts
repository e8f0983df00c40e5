import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { settings } from '../../kernel/setting.ts'
import type { Geo, Place } from './port.ts'

export const geoSettings = settings({
  file: {
    variable: 'OCTAGENT_GEO_FILE',
    schema: z.string(),
    description: 'MaxMind DB file (.mmdb) of cities, for ip-geo. Without it, places are known by country.',
    example: '/var/lib/octagent/cities.mmdb',
  },
})

/** The parts of a record that are read, in the layout of GeoLite2-City and the files that follow it. */
type CityRecord = {
  country?: { iso_code?: unknown; names?: { en?: unknown } }
  subdivisions?: { names?: { en?: unknown } }[]
  city?: { names?: { en?: unknown } }
  location?: { latitude?: unknown; longitude?: unknown; time_zone?: unknown }
}

const toText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
const toNumber = (value: unknown): number | null => (typeof value === 'number' ? value : null)

const toPlace = ({ country, subdivisions, city, location }: CityRecord): Place => ({
  country: toText(country?.names?.en),
  countryCode: toText(country?.iso_code),
  region: toText(subdivisions?.[0]?.names?.en),
  city: toText(city?.names?.en),
  lat: toNumber(location?.latitude),
  lon: toNumber(location?.longitude),
  timezone: toText(location?.time_zone),
})

const nowhere: Geo = { place: () => null }

/** Opens a MaxMind DB file of cities, held in memory; without a path, nothing is known. Throws an Error for a file that is none. */
export const openGeo = async (path: string | undefined): Promise<Geo> => {
  if (path === undefined) return nowhere
  const bytes = await readFile(path).catch(cause => {
    throw new Error(
      `OCTAGENT_GEO_FILE: ${path} cannot be read. City databases in the MaxMind DB format come from dev.maxmind.com (GeoLite2 City) and db-ip.com (IP to City Lite); leave the setting out to answer by country alone.`,
      { cause },
    )
  })
  try {
    const { Reader } = await import('mmdb-lib')
    const reader = new Reader<never>(bytes)
    return {
      place(address) {
        const record = reader.get(address) as CityRecord | null
        return record && toPlace(record)
      },
    }
  } catch (cause) {
    throw new Error(`OCTAGENT_GEO_FILE: ${path} is no MaxMind DB file.`, { cause })
  }
}
