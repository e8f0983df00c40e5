import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openGeo } from '../../../mcp/ports/geo/geo.ts'
import { findCountry } from '../../../mcp/services/data/location/describe.ts'
import { parseHost } from '../../../mcp/services/data/location/host.ts'
import { bogonRange } from '../../../mcp/services/data/location/range.ts'
import { toReverseName } from '../../../mcp/services/data/location/reverse.ts'
import { opened } from '../../opened.ts'
import { writeMmdb } from './mmdb.ts'
import { startData } from './run.ts'

const data = opened(startData)

const look = (host: string) => data.ask('ip-geo', { host })

describe('a city file of the operator', () => {
  const record = {
    country: { iso_code: 'DE', names: { en: 'Germany' } },
    subdivisions: [{ iso_code: 'BE', names: { en: 'Land Berlin' } }],
    city: { names: { en: 'Berlin' } },
    location: { latitude: 52.5, longitude: 13.4, time_zone: 'Europe/Berlin' },
  }
  let dir: string
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'octagent-geo-'))
    await writeFile(
      join(dir, 'city.mmdb'),
      writeMmdb({ '93.184.216.0/24': record, '45.40.0.0/16': { country: { iso_code: 'FR' } } }),
    )
    await writeFile(join(dir, 'broken.mmdb'), 'this is no database')
  })
  afterAll(() => rm(dir, { recursive: true }))

  test('tells region, city, coordinates and time zone', async () => {
    const { geo } = data.world.ports
    if (!geo) throw new Error('there is no geo port')
    const { place } = geo
    geo.place = (await openGeo(join(dir, 'city.mmdb'))).place
    expect(await data.ask('ip-geo', { host: 'www.example.com' })).toMatchObject({
      country: 'Germany',
      country_code: 'DE',
      region: 'Land Berlin',
      city: 'Berlin',
      lat: 52.5,
      lon: 13.4,
      timezone: 'Europe/Berlin',
      accuracy: 'city',
      source: ['operator-file', 'team-cymru', 'rdap:rdap.example.com'],
    })
    expect(await look('45.40.1.1')).toMatchObject({ country_code: 'FR', city: null, accuracy: 'country' })
    geo.place = place
  })

  test('knows nothing of other addresses', async () => {
    const geo = await openGeo(join(dir, 'city.mmdb'))
    expect(geo.place('8.8.8.8')).toBeNull()
    expect(geo.place('2001:4860::1')).toBeNull()
    expect((await openGeo(undefined)).place('93.184.216.34')).toBeNull()
  })

  test('that is missing or broken is said at start', async () => {
    await expect(openGeo(join(dir, 'none.mmdb'))).rejects.toThrow('OCTAGENT_GEO_FILE')
    await expect(openGeo(join(dir, 'broken.mmdb'))).rejects.toThrow('is no MaxMind DB file')
  })
})

test('addresses are turned around as the DNS wants them', () => {
  expect(toReverseName('1.2.3.4')).toBe('4.3.2.1')
  expect(toReverseName('2001:db8::567:89ab')).toBe(
    'b.a.9.8.7.6.5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2',
  )
})

test('countries are known by code and name', () => {
  expect(findCountry('us')).toEqual({ country: 'United States', countryCode: 'US' })
  expect(findCountry('United Kingdom')).toEqual({ country: 'United Kingdom', countryCode: 'GB' })
  for (const none of ['EU', 'AP', 'ZZ', '', null, 'Atlantis', '��'])
    expect(findCountry(none)).toEqual({ country: null, countryCode: null })
})

test('hosts are read in every form', () => {
  expect(parseHost('EXAMPLE.com.')).toMatchObject({ domain: { ascii: 'example.com' } })
  expect(parseHost('https://例え.jp/x')).toMatchObject({ domain: { unicode: '例え.jp' } })
  expect(parseHost('1.2.3.4.')?.ip).toBeUndefined()
  expect(bogonRange('192.31.196.1')).toBeNull()
})
