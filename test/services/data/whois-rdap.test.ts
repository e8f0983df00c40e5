import { describe, expect, test } from 'vitest'
import { daysSince, daysUntil, toFlags } from '../../../mcp/services/data/registration/flags.ts'
import { parseRegistrable } from '../../../mcp/services/data/registration/registrable.ts'
import { opened } from '../../opened.ts'
import { refused, startData } from './run.ts'

const data = opened(startData)

const look = (domain: string) => data.ask('whois-rdap', { domain })

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

const publish = (name: string, body: object, more: object = {}) =>
  data.internet.web.site('rdap.example.com', `/registry/domain/${name}`, {
    headers: { 'content-type': 'application/rdap+json' },
    body: JSON.stringify({ ldhName: name, ...body }),
    ...more,
  })

describe('whois-rdap', () => {
  test('tells a registration in flat fields', async () => {
    expect(await look('example.com')).toMatchObject({
      skill: 'whois-rdap',
      input: 'example.com',
      domain: 'example.com',
      unicode: 'example.com',
      registered: true,
      created: '1995-08-14T04:00:00Z',
      created_raw: '1995-08-14T04:00:00Z',
      updated: '2025-08-14T07:01:39Z',
      expires: '2126-08-13T04:00:00Z',
      age_days: expect.any(Number),
      days_to_expiry: expect.any(Number),
      registrar: {
        name: 'Example Registrar, Inc.',
        iana_id: '9999',
        abuse_email: 'abuse@registrar.example.org',
      },
      status: ['clientDeleteProhibited', 'clientTransferProhibited', 'clientUpdateProhibited'],
      status_text: [
        'The registrar does not allow it to be deleted.',
        'The registrar does not allow it to be moved to another registrar.',
        'The registrar does not allow it to be changed.',
      ],
      nameservers: ['ns1.example.com', 'ns2.example.com'],
      nameserver_count: 2,
      dnssec: true,
      redacted: false,
      registrant: { organization: 'Example Holdings', country: 'US' },
      source: 'rdap',
      server: 'rdap.example.com',
      flags: [],
      meta: {
        warnings: [],
        sources: [expect.stringContaining('rdap.example.com'), expect.stringContaining('registrar')],
      },
    })
  })

  test.each(['https://www.example.com/page?x#y', 'WWW.Example.COM.', 'a.b.example.com:443'])(
    'takes the domain out of %j and says so',
    async input => {
      const found = await look(input)
      expect(found).toMatchObject({ domain: 'example.com', registered: true })
      expect(found.meta).toMatchObject({ warnings: [{ code: 'subdomain' }] })
    },
  )

  test('says that a domain is free only when the registry does', async () => {
    expect(await look('nobody-has-this.com')).toMatchObject({
      registered: false,
      created: null,
      created_raw: null,
      age_days: null,
      days_to_expiry: null,
      registrar: null,
      status: [],
      nameservers: [],
      nameserver_count: 0,
      dnssec: null,
      redacted: null,
      registrant: null,
      flags: [],
    })
    publish('outage.com', {}, { status: 500 })
    const error = await refused(look('outage.com'))
    expect(error.code).toBe('upstream')
    expect(error.toProblem().retryable).toBe(true)
  })

  test('knows an IDN by both its names', async () => {
    publish('xn--r8jz45g.jp', { status: ['active'] })
    expect(await look('例え.jp')).toMatchObject({
      domain: 'xn--r8jz45g.jp',
      unicode: '例え.jp',
      registered: true,
      status: ['ok'],
    })
  })

  test('leaves open what the registry does not tell', async () => {
    publish('silent.com', { nameservers: [{ ldhName: 'ns.example.net' }] })
    expect(await look('silent.com')).toMatchObject({
      registered: true,
      created: null,
      age_days: null,
      expires: null,
      days_to_expiry: null,
      dnssec: null,
      flags: [],
    })
  })

  test('flags what is young, expiring, on hold or on its way out', async () => {
    publish('young.com', {
      status: ['client hold', 'add period', 'inactive'],
      events: [
        { eventAction: 'registration', eventDate: inDays(-3.5) },
        { eventAction: 'expiration', eventDate: inDays(20.5) },
      ],
    })
    expect(await look('young.com')).toMatchObject({
      age_days: 3,
      days_to_expiry: 20,
      flags: ['new_domain', 'expiring', 'on_hold', 'no_nameservers'],
    })
    publish('gone.com', {
      status: ['redemption period', 'pending delete', 'server hold'],
      events: [
        { eventAction: 'registration', eventDate: inDays(2) },
        { eventAction: 'expiration', eventDate: inDays(-40.5) },
      ],
    })
    expect(await look('gone.com')).toMatchObject({
      age_days: 0,
      days_to_expiry: -41,
      flags: ['new_domain', 'expired', 'on_hold', 'redemption', 'pending_delete'],
    })
  })

  test('asks over WHOIS where the registry has no RDAP, and keeps the date as it was written', async () => {
    await data.registry.whois('whois.iana.org', 'refer: whois.registry.it\n')
    await data.registry.whois('whois.registry.it', (query, socket) => {
      if (query === 'free.it') socket.end('Domain: free.it\nStatus: AVAILABLE')
      else
        socket.end(
          'Domain: a.it\nCreated: 10.12.1999 01:02:03\nRegistrar\n  Organization: R Srl\nNameservers\n  ns1.a.it',
        )
    })
    expect(await look('a.it')).toMatchObject({
      registered: true,
      source: 'whois',
      server: 'whois.registry.it',
      created: '1999-12-10T01:02:03Z',
      created_raw: '10.12.1999 01:02:03',
      registrar: { name: 'R Srl', iana_id: null, url: null, abuse_email: null },
      nameservers: ['ns1.a.it'],
      meta: { sources: ['whois://whois.iana.org', 'whois://whois.registry.it'] },
    })
    expect(await look('free.it')).toMatchObject({ registered: false, source: 'whois' })
  })

  test.each([
    ['co.uk', 'is a public suffix'],
    ['公司.cn', 'is a public suffix'],
    ['server.local', 'not registered with anybody'],
    ['example.invalid', 'not registered with anybody'],
  ])('refuses %s', async (domain, reason) => {
    const error = await refused(look(domain))
    expect(error.code).toBe('invalid_input')
    expect(error.message).toContain(reason)
    expect(error.toProblem().issues).toMatchObject([{ path: 'domain' }])
  })

  test.each(['', 'com', '1.2.3.4', 'http://[::1]/', 'a..b'])('refuses %j as a domain', async domain => {
    expect((await refused(look(domain))).toProblem().issues).toMatchObject([{ path: 'domain' }])
  })

  test('keeps an answer for an hour, for all spellings', async () => {
    await look('example.com')
    expect((await look('EXAMPLE.com.')).meta).toMatchObject({ cached: true })
  })
})

describe('registrations', () => {
  test('are made under public suffixes, not under the names of hosting companies', () => {
    expect(parseRegistrable('a.b.co.uk')).toEqual({ ascii: 'b.co.uk', unicode: 'b.co.uk', host: 'a.b.co.uk' })
    expect(parseRegistrable('me.github.io').ascii).toBe('github.io')
    expect(parseRegistrable('x.uk.com').ascii).toBe('uk.com')
    expect(parseRegistrable('www.bücher.de')).toMatchObject({
      ascii: 'xn--bcher-kva.de',
      unicode: 'bücher.de',
    })
    expect(parseRegistrable('_dmarc.example.com').ascii).toBe('example.com')
  })

  test('count days from noon to noon', () => {
    const now = new Date('2026-11-22T12:00:00Z')
    const at = (text: string) => ({ at: text, raw: text })
    expect(daysSince(at('2026-11-21T12:00:00Z'), now)).toBe(1)
    expect(daysSince(at('2026-11-21T12:00:01Z'), now)).toBe(0)
    expect(daysUntil(at('2026-11-22T11:59:59Z'), now)).toBe(-1)
    expect(daysSince({ at: null, raw: 'before 1996' }, now)).toBeNull()
    expect(toFlags({ age_days: 30, days_to_expiry: 31, status: [] })).toEqual([])
    expect(toFlags({ age_days: 29, days_to_expiry: 30, status: [] })).toEqual(['new_domain', 'expiring'])
    expect(toFlags({ age_days: null, days_to_expiry: null, status: ['serverHold'] })).toEqual(['on_hold'])
  })
})
