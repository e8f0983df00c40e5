import { describe, expect, test } from 'vitest'
import { toReverseName } from '../../../mcp/services/data/location/reverse.ts'
import { announced } from '../../internet/location.ts'
import { opened } from '../../opened.ts'
import { refused, startData } from './run.ts'

const data = opened(startData)

const look = (host: string) => data.ask('ip-geo', { host })

const publish = (zone: ReturnType<typeof announced>) => {
  for (const [name, entry] of Object.entries(zone)) data.internet.dns.zone.set(name, entry)
}

const block = (address: string, body: object, status = 200) =>
  data.internet.web.site('rdap.example.com', `/numbers/ip/${address}`, {
    status,
    headers: { 'content-type': 'application/rdap+json' },
    body: JSON.stringify(body),
  })

const codes = (found: Record<string, unknown>) =>
  (found.meta as { warnings: { code: string }[] }).warnings.map(({ code }) => code)

describe('ip-geo', () => {
  test('locates a host by its first address, with all that the tables say', async () => {
    const found = await look('example.com')
    expect(found).toMatchObject({
      query: 'example.com',
      ip: '93.184.216.34',
      version: 4,
      ips: ['93.184.216.34', '2606:2800:220:1::34'],
      ip_count: 2,
      bogon: false,
      bogon_range: null,
      country: 'United States',
      country_code: 'US',
      region: null,
      city: null,
      lat: null,
      lon: null,
      timezone: null,
      asn: 15133,
      asns: [15133],
      as_name: 'EDGECAST',
      isp: 'Example Delivery, Inc.',
      org: 'Example Networks',
      prefix: '93.184.216.0/24',
      registry: 'arin',
      hosting: true,
      hosting_provider: 'Edgio (Edgecast)',
      cdn: true,
      anycast: true,
      reverse_dns: 'host.example.com',
      accuracy: 'country',
      source: ['team-cymru', 'rdap:rdap.example.com'],
    })
    expect(codes(found)).toEqual(['no_city', 'cdn', 'several_addresses'])
  })

  test.each([
    ['93.184.216.34', '93.184.216.34', 4],
    ['https://93.184.216.34:8443/x', '93.184.216.34', 4],
    ['[2606:2800:220:1::34]:443', '2606:2800:220:1::34', 6],
    ['2606:2800:0220:0001:0000::0034', '2606:2800:220:1::34', 6],
    ['::ffff:93.184.216.34', '93.184.216.34', 4],
    ['http://0x5db8d822/', '93.184.216.34', 4],
    ['93.184.216.34/24', '93.184.216.34', 4],
  ])('reads %j as an address', async (input, ip, version) => {
    expect(await look(input)).toMatchObject({ query: ip, ip, version, ips: [ip], asn: 15133 })
  })

  test.each([
    ['10.1.2.3', 'private'],
    ['127.0.0.1', 'loopback'],
    ['169.254.169.254', 'linkLocal'],
    ['100.64.0.1', 'carrierGradeNat'],
    ['192.0.2.7', 'reserved'],
    ['::1', 'loopback'],
    ['fe80::1%eth0', 'linkLocal'],
    ['fd00::1', 'uniqueLocal'],
    ['2001:db8::1', 'reserved'],
    ['4000::1', 'reserved'],
    ['http://2130706433/', 'loopback'],
  ])('names %s as %s without asking anybody', async (host, range) => {
    const asked = data.internet.web.visits.length
    expect(await look(host)).toMatchObject({
      bogon: true,
      bogon_range: range,
      country: null,
      asn: null,
      hosting: null,
      meta: { sources: [] },
    })
    expect(data.internet.web.visits).toHaveLength(asked)
  })

  test('prefers a public address of a host to a private one, and says when there is none', async () => {
    data.internet.dns.zone.set('mixed.example.net', { A: ['10.0.0.1', '93.184.216.34'] })
    expect(await look('mixed.example.net')).toMatchObject({
      ip: '93.184.216.34',
      ips: ['10.0.0.1', '93.184.216.34'],
      bogon: false,
    })
    data.internet.dns.zone.set('inside.example.net', { A: ['10.0.0.1'] })
    expect(await look('inside.example.net')).toMatchObject({
      ip: '10.0.0.1',
      bogon: true,
      bogon_range: 'private',
    })
    expect(await look('six.example.org')).toMatchObject({
      ip: '2606:2800:220:1::34',
      version: 6,
      prefix: '2606:2800:220::/48',
    })
  })

  test('tells all networks that announce an address, and takes the longest prefix', async () => {
    publish({
      [`${toReverseName('44.1.2.3')}.origin.asn.cymru.com`]: {
        TXT: [
          '64600 | 44.0.0.0/8 | US | arin | 1992-07-01',
          '24940 13335 | 44.1.2.0/24 | DE | ripencc | 2010-01-01',
        ],
      },
    })
    const found = await look('44.1.2.3')
    expect(found).toMatchObject({
      asn: 24940,
      asns: [24940, 13335],
      prefix: '44.1.2.0/24',
      hosting_provider: 'Hetzner',
      cdn: false,
      country: 'Germany',
    })
    expect(codes(found)).toContain('multi_origin')
  })

  test('knows the country of the holder better than that of the block, and regions for no country', async () => {
    publish(announced('45.10.0.1', '64500 | 45.10.0.0/24 | EU | ripencc | 2019-01-01'))
    block('45.10.0.1', {
      country: 'SE',
      entities: [{ roles: ['registrant'], vcardArray: ['vcard', [['fn', {}, 'text', 'Nordic AB']]] }],
    })
    expect(await look('45.10.0.1')).toMatchObject({
      country_code: 'SE',
      country: 'Sweden',
      org: 'Nordic AB',
      isp: 'Nordic AB',
      as_name: null,
      hosting: false,
    })
    publish(announced('45.10.1.1', '64500 | 45.10.1.0/24 | EU | ripencc | 2019-01-01'))
    expect(await look('45.10.1.1')).toMatchObject({
      country: null,
      country_code: null,
      accuracy: null,
      org: null,
    })
  })

  test('knows nothing of an address that nobody announces', async () => {
    expect(await look('45.99.0.1')).toMatchObject({
      bogon: false,
      asn: null,
      asns: [],
      hosting: null,
      cdn: null,
      prefix: null,
      reverse_dns: null,
      source: [],
    })
  })

  test('answers with what is left when a table fails, and says what is missing', async () => {
    block('45.20.0.1', {}, 500)
    publish(announced('45.20.0.1', '14061 | 45.20.0.0/20 | NL | ripencc | 2019-01-01'))
    const found = await look('45.20.0.1')
    expect(found).toMatchObject({
      asn: 14061,
      hosting_provider: 'DigitalOcean',
      country_code: 'NL',
      org: null,
    })
    expect(codes(found)).toEqual(['registry_unknown', 'no_city'])
    data.internet.dns.zone.set(`${toReverseName('45.20.0.2')}.origin.asn.cymru.com`, 'SERVFAIL')
    block('45.20.0.2', {
      country: 'FR',
      name: 'FR-NET',
      cidr0_cidrs: [{ v4prefix: '45.20.0.0', length: 22 }],
    })
    const other = await look('45.20.0.2')
    expect(other).toMatchObject({
      asn: null,
      hosting: null,
      country_code: 'FR',
      org: 'FR-NET',
      prefix: '45.20.0.0/22',
    })
    expect(codes(other)).toEqual(['routing_unknown', 'no_city'])
  })

  test('gives no empty answer: where one table fails and the other knows nothing, nobody knows', async () => {
    block('45.20.0.4', {}, 500)
    const error = await refused(look('45.20.0.4'))
    expect([error.code, error.toProblem().retryable]).toEqual(['upstream', true])
    expect(codes(await look('45.99.0.2'))).toEqual(['nothing_known'])
  })

  test('answers by the city file when both tables fail', async () => {
    block('45.20.0.5', {}, 500)
    data.internet.dns.zone.set(`${toReverseName('45.20.0.5')}.origin.asn.cymru.com`, 'SERVFAIL')
    const { geo } = data.world.ports
    if (!geo) throw new Error('there is no geo port')
    const { place } = geo
    const berlin = { country: 'Germany', region: 'Berlin', city: 'Berlin' }
    geo.place = () => ({ ...berlin, countryCode: 'DE', lat: 52.5, lon: 13.4, timezone: 'Europe/Berlin' })
    const found = await look('45.20.0.5')
    geo.place = place
    expect(found).toMatchObject({
      ...berlin,
      country_code: 'DE',
      timezone: 'Europe/Berlin',
      source: ['operator-file'],
      asn: null,
    })
    expect(codes(found)).toEqual(['routing_unknown', 'registry_unknown'])
  })

  test('is sorry, retryably, when nothing is left', async () => {
    block('45.20.0.3', {}, 500)
    data.internet.dns.zone.set(`${toReverseName('45.20.0.3')}.origin.asn.cymru.com`, 'SERVFAIL')
    const error = await refused(look('45.20.0.3'))
    expect(error.code).toBe('upstream')
    expect(error.toProblem().retryable).toBe(true)
  })

  test('tells a host without an address from one that nobody answers for', async () => {
    expect((await refused(look('missing.example.com'))).code).toBe('not_found')
    expect((await refused(look('mail-only.example.org'))).code).toBe('not_found')
    const error = await refused(look('servfail.example.org'))
    expect(error.code).toBe('upstream')
    expect(error.toProblem().retryable).toBe(true)
  })

  test('reads a network whose table is garbage', async () => {
    publish(announced('45.30.0.1', 'x | y | \u202ez | | '))
    publish(announced('45.30.0.2', '\u0000'))
    expect(await look('45.30.0.1')).toMatchObject({ asn: null, prefix: null })
    expect(await look('45.30.0.2')).toMatchObject({ asn: null, prefix: null })
  })

  test.each(['', 'localhost', '1.2.3', '999.1.1.1', 'exa mple.com', '[::1', 'http://'])(
    'refuses %j',
    async host => {
      const error = await refused(look(host))
      expect(error.code).toBe('invalid_input')
      expect(error.toProblem().issues).toMatchObject([{ path: 'host' }])
    },
  )
})
