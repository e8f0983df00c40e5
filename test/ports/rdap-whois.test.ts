import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseWhois } from '../../mcp/ports/rdap/whois/read.ts'
import { type Internet, startInternet } from '../internet/internet.ts'
import { startRegistry } from '../internet/registry.ts'
import { refused } from '../services/data/run.ts'
import { absences, whoisFacts } from './whois-facts.ts'

const readText = (tld: string) => readFileSync(new URL(`./whois/${tld}.txt`, import.meta.url), 'utf8')
const isMoment = (value: unknown) => typeof value === 'string' && value.endsWith('Z')

describe('WHOIS texts', () => {
  test.each(Object.entries(whoisFacts))('are read: .%s', (tld, expected) => {
    const text = readText(tld)
    const facts = Object.fromEntries(
      Object.entries(expected).map(([field, value]) => [field, isMoment(value) ? { at: value } : value]),
    )
    expect(parseWhois(text)).toMatchObject({ kind: 'found', facts })
    expect(parseWhois(text.replaceAll('\n', '\r\n'))).toMatchObject({ kind: 'found', facts })
  })

  const answer =
    'Domain Name: A.COM\nCreation Date: 2001-02-03\nDomain Status: active\nName Server: NS1.A.COM\n'
  const iana =
    '% IANA WHOIS server\n\nrefer: whois.nic.com\n\ndomain: COM\ncreated: 1985-01-01\nnserver: A.GTLD.NET 192.5.6.30\n\n'

  test.each([
    ['the server that is asked', '[Querying whois.nic.com]\n[whois.nic.com]\n'],
    ['the answer of IANA', `${iana}# whois.nic.com\n\n`],
  ])('may have %s at their head, as a whois program prints it', (_, head) => {
    expect(parseWhois(head + answer)).toMatchObject({
      facts: { created: { raw: '2001-02-03' }, status: ['active'], nameservers: ['ns1.a.com'] },
    })
  })

  test.each([
    'ns1.a.it, ns2.a.it',
    'ns1.a.it ns2.a.it',
    'ns1.a.it;ns2.a.it',
    'ns1.a.it 192.0.2.1, ns2.a.it [2001:db8::1]',
  ])('list several name servers in a line: %s', names => {
    expect(parseWhois(`created: 2001-02-03\nnserver: ${names}\n`)).toMatchObject({
      facts: { nameservers: ['ns1.a.it', 'ns2.a.it'] },
    })
  })

  test.each(absences)('say that there is no such domain: %j', text => {
    expect(parseWhois(text)).toEqual({ kind: 'absent' })
  })

  test.each([
    'Your connection limit exceeded. Please slow down and try again later.',
    '% Query rate limit of 10 exceeded, object not found in cache',
    'Error: too many requests',
    'WHOIS LIMIT EXCEEDED - SEE WWW.PIR.ORG/WHOIS FOR DETAILS',
    'IP Address Has Reached Rate Limit. Object not found.',
  ])('never take a full house for a free domain: %j', text => {
    expect(parseWhois(text)).toEqual({ kind: 'busy' })
  })

  test.each([
    '',
    'Requests of this client are not permitted.',
    'Terms of use: information is available for all',
    '\u0000'.repeat(99),
  ])('are unclear when they say nothing: %j', text => expect(parseWhois(text)).toEqual({ kind: 'unclear' }))
})

describe('WHOIS servers', () => {
  let internet: Internet
  let registry: Awaited<ReturnType<typeof startRegistry>>
  beforeAll(async () => {
    internet = await startInternet()
    registry = await startRegistry(internet)
    await registry.whois('whois.iana.org', (tld, socket) => {
      const servers: Record<string, string> = {
        be: 'whois.registry.be',
        it: 'whois.registry.it',
        cx: 'whois.loop.cx',
      }
      if (servers[tld])
        socket.end(`% IANA WHOIS server\n\nrefer:        ${servers[tld]}\n\ndomain:       ${tld}\n`)
      else if (tld === 'aq') socket.end('domain:       AQ\nstatus:       ACTIVE\n')
      else socket.end('% This query returned 0 objects.\n')
    })
    await registry.whois('whois.registry.be', (query, socket) =>
      socket.end(query === 'free.be' ? 'Status: AVAILABLE' : readText('be')),
    )
    await registry.whois(
      'whois.registry.it',
      'Domain: a.it\nCreated: 2001-01-01\nWhois Server: whois.registrar.it\nRegistrar: R',
    )
    await registry.whois(
      'whois.registrar.it',
      'Domain: a.it\nCreated: 1999-01-01\nRegistrant Organization: Registrar Knows Ltd',
    )
    await registry.whois('whois.loop.cx', 'Created: 2001-01-01\nRegistrar WHOIS Server: whois.loop.cx')
  })
  afterAll(() => internet.stop())

  test('are found through IANA, which is asked once a day for each top-level domain', async () => {
    expect(await registry.rdap.domain('sample.be')).toMatchObject({
      registered: true,
      source: 'whois',
      server: 'whois.registry.be',
      sources: ['whois://whois.iana.org', 'whois://whois.registry.be'],
      created: { at: '2000-12-12T00:00:00Z' },
      notes: [],
    })
    await registry.rdap.domain('sample.be')
    expect(registry.asked.filter(line => line === 'whois.iana.org be')).toHaveLength(1)
  })

  test('say that a domain is free', async () => {
    expect(await registry.rdap.domain('free.be')).toMatchObject({
      registered: false,
      source: 'whois',
      created: null,
    })
  })

  test('refer to the registrar, who adds what the registry does not say', async () => {
    expect(await registry.rdap.domain('a.it')).toMatchObject({
      sources: ['whois://whois.iana.org', 'whois://whois.registry.it', 'whois://whois.registrar.it'],
      created: { at: '2001-01-01T00:00:00Z' },
      registrant: { organization: 'Registrar Knows Ltd' },
    })
  })

  test('are not asked in a circle', async () => {
    expect(await registry.rdap.domain('a.cx')).toMatchObject({
      sources: ['whois://whois.iana.org', 'whois://whois.loop.cx'],
    })
  })

  test('know which top-level domains there are', async () => {
    const error = await refused(registry.rdap.domain('sample.zzzz'))
    expect(error.code).toBe('invalid_input')
    expect(error.toProblem().issues).toMatchObject([{ path: 'domain' }])
    const silent = await refused(registry.rdap.domain('sample.aq'))
    expect(silent).toMatchObject({
      code: 'upstream',
      message: 'The registry of .aq offers neither RDAP nor WHOIS.',
    })
    expect(silent.toProblem().retryable).toBe(false)
  })

  test('have the last word where an RDAP server may not know the top-level domain', async () => {
    const unlisted = { it: 'https://rdap.example.com/shared/', be: 'https://rdap.example.com/shared/' }
    const registry = await startRegistry(internet, { unlisted })
    await registry.whois('whois.iana.org', 'refer: whois.registry.it')
    await registry.whois('whois.registry.it', 'Domain: a.it\nCreated: 2001-01-01')
    expect(await registry.rdap.domain('a.it')).toMatchObject({ registered: true, source: 'whois' })
    internet.web.site('rdap.example.com', '/shared/domain/b.it', {
      headers: { 'content-type': 'application/rdap+json' },
      body: JSON.stringify({ ldhName: 'b.it' }),
    })
    expect(await registry.rdap.domain('b.it')).toMatchObject({ registered: true, source: 'rdap' })
    // With WHOIS switched off nobody can confirm that a domain is free.
    const alone = await startRegistry(internet, { unlisted, whois: false })
    expect((await refused(alone.rdap.domain('a.it'))).code).toBe('upstream')
    // The registry's own server knows its domains, listed or not.
    internet.web.site('files.example.com', '/dns.json', {
      body: JSON.stringify({ services: [[['net'], ['https://x.example.com/']]] }),
    })
    const own = await startRegistry(internet, {
      bootstrap: 'https://files.example.com',
      unlisted: { com: 'https://rdap.example.com/shared/' },
    })
    expect(await own.rdap.domain('free.com')).toMatchObject({ registered: false, source: 'rdap' })
  })

  test('are left alone when switched off', async () => {
    const quiet = await startRegistry(internet, { whois: false })
    const error = await refused(quiet.rdap.domain('sample.be'))
    expect(error.message).toBe('The registry of .be offers no RDAP, and WHOIS is switched off here.')
  })
})
