import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Dns } from '../../mcp/ports/dns/port.ts'
import { type Internet, startInternet } from '../internet/internet.ts'

let internet: Internet
let dns: Dns

beforeAll(async () => {
  internet = await startInternet()
  dns = internet.ports().dns
})
afterAll(() => internet.stop())

const queryData = async (name: string, type: Parameters<Dns['query']>[1]) =>
  (await dns.query(name, type)).records.map(record => record.data)

describe('records', () => {
  test('gives an address with its time to live, the server and the transport', async () => {
    const answer = await dns.query('host.example.com', 'A')
    expect(answer).toEqual({
      rcode: 'NOERROR',
      authentic: false,
      records: [{ name: 'host.example.com', type: 'A', ttl: 300, data: '93.184.216.34' }],
      authorities: [],
      transport: 'udp',
      resolver: internet.dns.server,
    })
  })

  test('gives IPv6 addresses', async () => {
    expect(await queryData('six.example.org', 'AAAA')).toEqual(['2606:2800:220:1::34'])
  })

  test('says when the resolver validated the answer', async () => {
    expect((await dns.query('example.com', 'A')).authentic).toBe(true)
    expect((await dns.query('example.org', 'A')).authentic).toBe(false)
  })

  test('gives mail exchangers, and the null MX as a dot', async () => {
    expect(await queryData('example.com', 'MX')).toEqual([
      { preference: 10, exchange: 'mx1.example.com' },
      { preference: 20, exchange: 'mx2.example.com' },
    ])
    expect(await queryData('null-mx.example.org', 'MX')).toEqual([{ preference: 0, exchange: '.' }])
  })

  test('joins the chunks of a TXT record without a space', async () => {
    expect(await queryData('example.com', 'TXT')).toContain('site-verification=abcdef')
    const [key] = await queryData('sel1._domainkey.example.com', 'TXT')
    expect(key).toBe(`v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0${'A'.repeat(200)}`)
  })

  test('gives CAA with flags, tag and value', async () => {
    const [issue, iodef] = await queryData('example.com', 'CAA')
    expect(issue).toMatchObject({ flags: 0, tag: 'issue', value: 'letsencrypt.org', issuerCritical: false })
    expect(iodef).toMatchObject({
      flags: 128,
      tag: 'iodef',
      value: 'mailto:sec@example.com',
      issuerCritical: true,
    })
  })

  test('reads the HTTPS record with every parameter', async () => {
    expect(await queryData('example.com', 'HTTPS')).toEqual([
      {
        priority: 1,
        target: '.',
        params: {
          alpn: ['h2', 'h3'],
          port: 8443,
          ipv4hint: ['93.184.216.34'],
          ipv6hint: ['2606:2800:220:1::34'],
          key400: 'AQ==',
        },
      },
    ])
  })

  test('prints bytes as zone files do: hex for digests, base64 for keys', async () => {
    expect(await queryData('example.com', 'DS')).toEqual([
      { keyTag: 370, algorithm: 13, digestType: 2, digest: 'be74359954660069d5c6' },
    ])
    const [key] = await queryData('example.com', 'DNSKEY')
    expect(key).toMatchObject({
      flags: 257,
      algorithm: 13,
      key: Buffer.from('a public key').toString('base64'),
    })
    const [tlsa] = await queryData('_443._tcp.example.com', 'TLSA')
    expect(tlsa).toEqual({ usage: 3, selector: 1, matchingType: 1, certificate: '0c72ac70b745ac19' })
  })

  test('gives SOA, NS and SRV', async () => {
    expect(await queryData('example.com', 'SOA')).toMatchObject([{ mname: 'ns1.example.com', minimum: 60 }])
    expect(await queryData('example.com', 'NS')).toEqual(['ns1.example.com', 'ns2.example.com'])
    expect(await queryData('_sip._tcp.example.com', 'SRV')).toMatchObject([
      { port: 5060, target: 'host.example.com' },
    ])
  })

  test('finds names below a wildcard', async () => {
    expect(await queryData('anything.wild.example.org', 'A')).toEqual(['93.184.216.34'])
  })
})

describe('names', () => {
  test('asks for an IDN by its ASCII form', async () => {
    const answer = await dns.query('例え.jp', 'A')
    expect(answer.records.map(record => record.name)).toEqual(['xn--r8jz45g.jp'])
    expect((await dns.query('BÜCHER.de.', 'A')).records).toHaveLength(1)
  })

  test('takes upper case and a trailing dot, and answers in lower case', async () => {
    const [record] = (await dns.query(' Host.EXAMPLE.com. ', 'A')).records
    expect(record?.name).toBe('host.example.com')
  })

  test.each([
    ['an empty name', ''],
    ['an empty label', 'a..example.com'],
    ['a label of 64 characters', `${'a'.repeat(64)}.example.com`],
    ['254 characters', `${'abcdefg.'.repeat(31)}abcdef`],
    ['a space', 'exa mple.com'],
    ['a bidi override', 'a\u202eb.com'],
    ['a backslash', 'a\\b.example.com'],
    ['a very long text', 'ü'.repeat(100_000)],
  ])('refuses %s', async (_what, name) => {
    await expect(dns.query(name, 'A')).rejects.toMatchObject({
      code: 'invalid_input',
      extra: { issues: [{ path: 'name' }] },
    })
  })

  test('takes a label of 63 and a name of 253 characters', async () => {
    const name = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`
    expect(name).toHaveLength(253)
    expect((await dns.query(name, 'A')).rcode).toBe('NXDOMAIN')
  })
})

describe('answers without records', () => {
  test('NXDOMAIN is an answer, with the SOA of the zone above', async () => {
    const answer = await dns.query('nothing.example.com', 'A')
    expect(answer).toMatchObject({ rcode: 'NXDOMAIN', records: [] })
    expect(answer.authorities).toMatchObject([{ name: 'example.com', type: 'SOA' }])
  })

  test('a name without records of the type is NOERROR with the SOA', async () => {
    const answer = await dns.query('example.org', 'MX')
    expect(answer).toMatchObject({ rcode: 'NOERROR', records: [], authorities: [{ type: 'SOA' }] })
  })

  test.each(['SERVFAIL', 'REFUSED'])('%s is an answer', async rcode => {
    expect(await dns.query(`${rcode.toLowerCase()}.example.org`, 'A')).toMatchObject({ rcode, records: [] })
  })

  test('silence is `upstream` and may be retried', async () => {
    await expect(dns.query('silent.example.org', 'A')).rejects.toMatchObject({
      code: 'upstream',
      message: 'No DNS server answered for the A records of silent.example.org.',
      extra: { retryable: true },
    })
  })
})

describe('aliases', () => {
  test('keeps the whole CNAME chain in order', async () => {
    const { records } = await dns.query('www.example.com', 'A')
    expect(records.map(record => [record.name, record.type, record.data])).toEqual([
      ['www.example.com', 'CNAME', 'edge.example.com'],
      ['edge.example.com', 'CNAME', 'host.example.com'],
      ['host.example.com', 'A', '93.184.216.34'],
    ])
  })

  test('asks for the CNAME itself', async () => {
    expect(await queryData('www.example.com', 'CNAME')).toEqual(['edge.example.com'])
  })

  test('survives a loop', async () => {
    const { records } = await dns.query('loop-a.example.org', 'A')
    expect(records.every(record => record.type === 'CNAME')).toBe(true)
  })
})

test('asks again over TCP when the answer was cut', async () => {
  const answer = await dns.query('many.example.com', 'TXT')
  expect(answer.transport).toBe('tcp')
  expect(answer.records).toHaveLength(60)
})

test('answers 500 questions at once', async () => {
  const answers = await Promise.all(Array.from({ length: 500 }, () => dns.query('example.com', 'A')))
  expect(answers.filter(answer => answer.records.length === 1)).toHaveLength(500)
})
