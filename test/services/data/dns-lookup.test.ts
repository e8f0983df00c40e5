import packet from 'dns-packet'
import { describe, expect, test } from 'vitest'
import { parseDomain } from '../../../mcp/services/data/domain.ts'
import type { Raw } from '../../internet/zone.ts'
import { opened } from '../../opened.ts'
import { refused, startData } from './run.ts'

const data = opened(startData)

const look = (domain: string) => data.ask('dns-lookup', { domain })

/** A server that fails for some types of one name and has an address for it. */
const failing =
  (name: string, types: string[]): Raw =>
  bytes => {
    const { id, questions = [] } = packet.decode(bytes)
    const type = questions[0]?.type ?? 'A'
    const flags = packet.RECURSION_AVAILABLE | (types.includes(type) ? 2 : 0)
    const answers = type === 'A' ? [{ type, name, ttl: 60, data: '93.184.216.34' } as const] : []
    return [packet.encode({ type: 'response', ...(id !== undefined && { id }), flags, questions, answers })]
  }

describe('dns-lookup', () => {
  test('returns every type of record with its TTL', async () => {
    const found = await look('example.com')
    expect(found).toMatchObject({
      skill: 'dns-lookup',
      input: 'example.com',
      domain: 'example.com',
      rcode: 'NOERROR',
      exists: true,
      records: {
        A: [{ address: '93.184.216.34', ttl: expect.any(Number) }],
        AAAA: [{ address: '2606:2800:220:1::34' }],
        MX: [
          { priority: 10, exchange: 'mx1.example.com' },
          { priority: 20, exchange: 'mx2.example.com' },
        ],
        TXT: [{ text: 'v=spf1 include:_spf.example.com -all' }, { text: 'site-verification=abcdef' }],
        NS: [{ host: 'ns1.example.com' }, { host: 'ns2.example.com' }],
        CNAME: null,
        CAA: [
          { flags: 0, tag: 'issue', value: 'letsencrypt.org', critical: false },
          { flags: 128, tag: 'iodef', value: 'mailto:sec@example.com', critical: true },
        ],
        SOA: { mname: 'ns1.example.com', serial: 2026010101, minimum: 60 },
      },
      record_count: 11,
      caa_inherited_from: null,
      null_mx: false,
      authoritative_ns: ['ns1.example.com', 'ns2.example.com'],
      dnssec: { ad: true },
      errors: {},
      meta: { cached: false, truncated: false, warnings: [], sources: [`dns:${data.internet.dns.server}`] },
    })
    expect(found.resolver).toBe(data.internet.dns.server)
  })

  test.each(['https://example.com/x?y#z', ' EXAMPLE.COM. ', 'example.com:8080', 'user@example.com'])(
    'takes the domain out of %j',
    async input => {
      expect(await look(input)).toMatchObject({ domain: 'example.com', exists: true, input })
    },
  )

  test('knows an IDN by both its names', async () => {
    expect(await look('例え.jp')).toMatchObject({
      domain: 'xn--r8jz45g.jp',
      unicode: '例え.jp',
      exists: true,
    })
    expect(await look('BÜCHER.de')).toMatchObject({ domain: 'xn--bcher-kva.de', unicode: 'bücher.de' })
  })

  test('tells a name that does not exist from one without such records', async () => {
    expect(await look('missing.example.com')).toMatchObject({
      rcode: 'NXDOMAIN',
      exists: false,
      record_count: 0,
    })
    const mail = await look('mail-only.example.org')
    expect(mail).toMatchObject({ rcode: 'NOERROR', exists: true, records: { A: [], MX: [{ priority: 10 }] } })
  })

  test('follows aliases and shows the chain', async () => {
    expect(await look('www.example.com')).toMatchObject({
      records: { CNAME: { host: 'edge.example.com' }, A: [{ address: '93.184.216.34' }] },
      cname_chain: [
        { name: 'www.example.com', target: 'edge.example.com' },
        { name: 'edge.example.com', target: 'host.example.com' },
      ],
    })
  })

  test('climbs to the parent for CAA', async () => {
    expect(await look('host.example.com')).toMatchObject({
      caa_inherited_from: 'example.com',
      records: { CAA: [{ value: 'letsencrypt.org' }, { tag: 'iodef' }] },
    })
    expect(await look('deep.www.example.com')).toMatchObject({ caa_inherited_from: 'example.com' })
    expect(await look('www.example.org')).toMatchObject({ caa_inherited_from: null, records: { CAA: [] } })
  })

  test('names the servers of the zone that a name lies in', async () => {
    const { zone } = data.internet.dns
    const { mname, ...soa } = {
      mname: 'ns.zoned.example',
      rname: 'x.zoned.example',
      serial: 1,
      refresh: 1,
      retry: 1,
      expire: 1,
      minimum: 1,
    }
    zone.set('zoned.net', { SOA: [{ mname, ...soa }], NS: ['ns.zoned.net'], A: ['93.184.216.34'] })
    zone.set('a.zoned.net', { A: ['93.184.216.34'] })
    expect(await look('zoned.net')).toMatchObject({ authoritative_ns: ['ns.zoned.net'] })
    expect((await look('a.zoned.net')).records).toMatchObject({ NS: [] })
    expect(await look('a.zoned.net')).toMatchObject({ authoritative_ns: ['ns.zoned.net'] })
  })

  test('tells a domain that takes no mail', async () => {
    expect(await look('null-mx.example.org')).toMatchObject({
      null_mx: true,
      records: { MX: [{ priority: 0, exchange: '.' }] },
    })
  })

  test('reads answers that need TCP', async () => {
    const { records } = await look('many.example.com')
    expect((records as { TXT: unknown[] }).TXT).toHaveLength(60)
  })

  test('survives aliases in a circle', async () => {
    expect(await look('loop-a.example.org')).toMatchObject({ exists: true, records: { A: [] } })
  })

  test.each(['servfail.example.org', 'refused.example.org', 'silent.example.org'])(
    'is sorry, retryably, when nothing answers about %s',
    async domain => {
      const error = await refused(look(domain))
      expect(error.code).toBe('upstream')
      expect(error.toProblem().retryable).toBe(true)
    },
  )

  test.each([
    '',
    'localhost',
    '10.0.0.1',
    '1.0.0.10.in-addr.arpa',
    '10.in-addr.arpa',
    '8.e.f.ip6.arpa',
    'https://[::1]/',
    '999.1.1.1',
    'exa mple.com',
    'a..b.com',
    '-a.com',
    `${'a'.repeat(64)}.com`,
  ])('refuses %j as a domain', async domain => {
    const error = await refused(look(domain))
    expect(error.code).toBe('invalid_input')
    expect(error.toProblem().issues).toMatchObject([{ path: 'domain' }])
  })

  test('answers with the other types when one fails, and says which', async () => {
    data.internet.dns.zone.set('partly.example.net', failing('partly.example.net', ['TXT', 'CAA']))
    const found = await look('partly.example.net')
    expect(found).toMatchObject({
      exists: true,
      records: { A: [{ address: '93.184.216.34' }], TXT: [], CAA: [] },
      errors: { TXT: 'SERVFAIL', CAA: 'SERVFAIL' },
      caa_inherited_from: null,
    })
    expect(found.meta).toMatchObject({ warnings: [{ code: 'type_failed' }, { code: 'type_failed' }] })
  })

  test('does not say that there is no CAA when a parent fails to answer', async () => {
    data.internet.dns.zone.set('shaky.example.net', failing('shaky.example.net', ['CAA']))
    data.internet.dns.zone.set('www.shaky.example.net', { A: ['93.184.216.34'] })
    expect(await look('www.shaky.example.net')).toMatchObject({ errors: { CAA: 'SERVFAIL' } })
  })

  test('asks only for the types that are named, however they are written', async () => {
    const { zone } = data.internet.dns
    zone.set('_sip._tcp.example.net', {
      SRV: [{ priority: 1, weight: 2, port: 5060, target: 'SIP.example.net' }],
    })
    zone.set('_25._tcp.mx1.example.com', {
      TLSA: [{ usage: 3, selector: 1, matchingType: 1, certificate: Buffer.from('ab12', 'hex') }],
    })
    const of = async (domain: string, types: unknown) => {
      const { records, ...rest } = await data.ask('dns-lookup', { domain, types })
      return { records, ...rest }
    }
    expect(await of('example.com', 'mx, txt,MX')).toMatchObject({
      types: ['MX', 'TXT'],
      record_count: 4,
      null_mx: false,
      authoritative_ns: null,
      errors: {},
    })
    expect(Object.keys((await of('example.com', ['MX'])).records as object)).toEqual(['MX'])
    expect(await of('example.com', 'A')).toMatchObject({ null_mx: null, caa_inherited_from: null })
    expect((await of('example.com', 'ds,dnskey,https')).records).toMatchObject({
      DS: [{ key_tag: 370, algorithm: 13, digest: 'be74359954660069d5c6' }],
      DNSKEY: [{ flags: 257, key: Buffer.from('a public key').toString('base64') }],
      HTTPS: [{ priority: 1, target: '.', params: { alpn: ['h2', 'h3'], port: 8443 } }],
    })
    expect((await of('_sip._tcp.example.net', 'SRV')).records).toMatchObject({
      SRV: [{ priority: 1, weight: 2, port: 5060, target: 'sip.example.net' }],
    })
    expect((await of('_25._tcp.mx1.example.com', 'TLSA')).records).toMatchObject({
      TLSA: [{ usage: 3, selector: 1, matching_type: 1, certificate: 'ab12' }],
    })
  })

  test.each([' , ', 'ANY', 'A,SPF'])('refuses the types %j and says which there are', async types => {
    const error = await refused(data.ask('dns-lookup', { domain: 'example.com', types }))
    expect(error.toProblem().issues).toMatchObject([
      { path: 'types', message: expect.stringContaining('TLSA') },
    ])
  })

  test('gives the names of an address', async () => {
    const { zone } = data.internet.dns
    zone.set('8.8.8.8.in-addr.arpa', { PTR: ['DNS.example.net'] })
    const names = { records: { PTR: [{ host: 'dns.example.net' }] }, types: ['PTR'], exists: true }
    for (const address of ['8.8.8.8', 'https://8.8.8.8:8443/x', '::ffff:8.8.8.8'])
      expect(await look(address)).toMatchObject({
        ...names,
        address: '8.8.8.8',
        domain: '8.8.8.8.in-addr.arpa',
      })
    expect(await look('8.8.8.8.in-addr.arpa')).toMatchObject({ ...names, address: '8.8.8.8' })
    expect(await look('2606:2800:220:1::99')).toMatchObject({
      exists: false,
      rcode: 'NXDOMAIN',
      records: { PTR: [] },
      domain: expect.stringMatching(/^9\.9\.0\..*\.ip6\.arpa$/),
    })
  })

  test('asks about one domain 60 times a minute, whoever asks and however it is spelt', async () => {
    data.internet.dns.zone.set('busy.net', { A: ['93.184.216.34'] })
    const spellings = ['busy.net', 'BUSY.net.', 'https://busy.net/page']
    for (let i = 0; i < 60; i++) await look(spellings[i % 3] ?? '')
    expect((await refused(look('busy.net'))).code).toBe('too_many_requests')
    expect(await look('example.org')).toMatchObject({ exists: true })
  })

  test('answers one client 60 times a minute, whatever it asks about', async () => {
    const ask = (i: number) =>
      data.ask('dns-lookup', { domain: `h${i}.wild.example.org` }, { client: 'eager' })
    for (let i = 0; i < 60; i++) await ask(i)
    expect((await refused(ask(60))).code).toBe('too_many_requests')
  })
})

test('readDomain accepts names with underscores, as DNS does', () => {
  expect(parseDomain('_dmarc.example.com')?.ascii).toBe('_dmarc.example.com')
})
