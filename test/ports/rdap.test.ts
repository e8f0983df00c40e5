import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Internet, startInternet } from '../internet/internet.ts'
import { exampleDomain } from '../internet/rdap.ts'
import { startRegistry } from '../internet/registry.ts'
import { refused } from '../services/data/run.ts'

let internet: Internet
let registry: Awaited<ReturnType<typeof startRegistry>>
beforeAll(async () => {
  internet = await startInternet()
  registry = await startRegistry(internet)
})
afterAll(() => internet.stop())

const base = '/registry/domain/'
const rdapJson = { 'content-type': 'application/rdap+json' }

const publish = (
  name: string,
  body: unknown,
  more: { status?: number; headers?: Record<string, string> } = {},
) =>
  internet.web.site('rdap.example.com', `${base}${name}`, {
    headers: rdapJson,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...more,
  })

describe('rdap.domain', () => {
  test('reads the registry and completes it with the registrar', async () => {
    expect(await registry.rdap.domain('example.com')).toEqual({
      registered: true,
      source: 'rdap',
      server: 'rdap.example.com',
      sources: [
        'https://rdap.example.com/registry/domain/example.com',
        'https://registrar.example.org/rdap/domain/EXAMPLE.COM',
      ],
      created: { at: '1995-08-14T04:00:00Z', raw: '1995-08-14T04:00:00Z' },
      updated: { at: '2025-08-14T07:01:39Z', raw: '2025-08-14T07:01:39Z' },
      expires: { at: '2126-08-13T04:00:00Z', raw: '2126-08-13T04:00:00Z' },
      registrar: {
        name: 'Example Registrar, Inc.',
        ianaId: '9999',
        url: 'https://registrar.example.org/',
        abuseEmail: 'abuse@registrar.example.org',
      },
      status: ['clientDeleteProhibited', 'clientTransferProhibited', 'clientUpdateProhibited'],
      nameservers: ['ns1.example.com', 'ns2.example.com'],
      dnssec: true,
      registrant: { organization: 'Example Holdings', country: 'US' },
      redacted: false,
      notes: [],
    })
  })

  test('knows that a domain is not registered when the registry says so', async () => {
    expect(await registry.rdap.domain('free.com')).toMatchObject({
      registered: false,
      created: null,
      registrar: null,
      nameservers: [],
      dnssec: null,
    })
    publish('free-in-json.com', { errorCode: 404, title: 'no such domain' })
    expect(await registry.rdap.domain('free-in-json.com')).toMatchObject({ registered: false })
    publish('free-and-silent.com', '', { status: 404, headers: {} })
    internet.web.site('rdap.example.com', `${base}free-and-silent.com`, {
      status: 404,
      headers: { 'content-type': 'text/plain' },
    })
    expect(await registry.rdap.domain('free-and-silent.com')).toMatchObject({ registered: false })
  })

  test('says null where the registry says nothing', async () => {
    publish('bare.com', { objectClassName: 'domain', ldhName: 'bare.com' })
    expect(await registry.rdap.domain('bare.com')).toMatchObject({
      registered: true,
      created: null,
      updated: null,
      expires: null,
      registrar: null,
      status: [],
      nameservers: [],
      dnssec: null,
      redacted: null,
      registrant: null,
    })
  })

  test('tells a withheld registrant from a named one', async () => {
    const registrant = (fn: string, org: string | undefined, remarks: object[] = []) => ({
      roles: ['registrant'],
      remarks,
      vcardArray: ['vcard', [['fn', {}, 'text', fn], ...(org ? [['org', {}, 'text', org]] : [])]],
    })
    const cases: [name: string, entity: object, organization: string | null, redacted: boolean][] = [
      ['private.com', registrant('REDACTED FOR PRIVACY', 'REDACTED FOR PRIVACY'), null, true],
      ['half.com', registrant('', 'Half Ltd', [{ title: 'REDACTED FOR PRIVACY' }]), 'Half Ltd', true],
      ['open.com', registrant('Jo Open', 'Open Ltd'), 'Open Ltd', false],
      ['cardless.com', { roles: ['registrant'], remarks: [{ title: 'REDACTED FOR PRIVACY' }] }, null, true],
    ]
    for (const [name, entity, organization, redacted] of cases) {
      publish(name, { ldhName: name, entities: [entity] })
      const domain = await registry.rdap.domain(name)
      expect(domain.registrant?.organization ?? null).toBe(organization)
      expect(domain.redacted).toBe(redacted)
    }
  })

  test('takes the number of a registrar from its handle, and its role in any spelling', async () => {
    const entity = {
      handle: '292',
      roles: ['Registrar', 'sponsor'],
      vcardArray: ['vcard', [['fn', {}, 'text', 'Nick & Sons']]],
    }
    publish('handle.com', { ldhName: 'handle.com', entities: [entity] })
    expect((await registry.rdap.domain('handle.com')).registrar).toEqual({
      name: 'Nick & Sons',
      ianaId: '292',
      url: null,
      abuseEmail: null,
    })
  })

  test('believes the registry where the registrar tells other dates, and says so', async () => {
    const link = {
      rel: 'related',
      type: 'application/rdap+json',
      href: 'https://registrar.example.org/rdap/domain/two.com',
    }
    publish('two.com', { ...exampleDomain, ldhName: 'two.com', links: [link] })
    internet.web.site('registrar.example.org', '/rdap/domain/two.com', {
      headers: rdapJson,
      body: JSON.stringify({
        ldhName: 'two.com',
        events: [{ eventAction: 'expiration', eventDate: '2030-01-01T00:00:00Z' }],
      }),
    })
    const domain = await registry.rdap.domain('two.com')
    expect(domain.expires?.at).toBe('2126-08-13T04:00:00Z')
    expect(domain.notes.map(({ code }) => code)).toEqual(['registrar_differs'])
  })

  test.each([
    ['is gone', 'https://registrar.example.org/rdap/domain/none'],
    ['is at a private address', 'http://10.0.0.1/domain/x'],
    ['speaks of another domain', 'https://registrar.example.org/rdap/domain/EXAMPLE.COM'],
  ])('answers without the registrar when it %s', async (_why, href) => {
    publish('lonely.com', {
      ...exampleDomain,
      ldhName: 'lonely.com',
      links: [{ rel: 'related', type: 'application/rdap+json', href }],
    })
    const domain = await registry.rdap.domain('lonely.com')
    expect(domain).toMatchObject({
      registered: true,
      registrant: null,
      registrar: { name: 'Example Registrar, Inc.' },
    })
    expect(domain.notes.map(({ code }) => code)).toEqual(['registrar_silent'])
  })

  test('asks again without a media type when a registry refuses the one of RDAP', async () => {
    internet.web.site('rdap.example.com', `${base}picky.com`, (request, response) => {
      if (request.headers.accept?.includes('rdap')) response.writeHead(406).end()
      else response.end(JSON.stringify({ ldhName: 'picky.com', status: ['active'] }))
    })
    expect(await registry.rdap.domain('picky.com')).toMatchObject({ registered: true, status: ['ok'] })
  })

  test.each([
    [429, { 'retry-after': '17' }, true, '17'],
    [503, { 'retry-after': 'Thu, 01 Jan 1998 00:00:00 GMT' }, true, '1'],
    [500, {}, true, undefined],
    [403, {}, false, undefined],
    [400, {}, false, undefined],
  ])('is sorry about status %i', async (status, headers, retryable, wait) => {
    // A host that asked for a pause gets one, so each status has a host of its own.
    publish('sorry.com', '', { status: 302, headers: { location: `https://s${status}.example.com/domain` } })
    internet.web.site(`s${status}.example.com`, '/domain', {
      status,
      headers: { ...rdapJson, ...headers },
      body: '{}',
    })
    const error = await refused(registry.rdap.domain('sorry.com'))
    expect(error.code).toBe('upstream')
    expect(error.toProblem().retryable).toBe(retryable)
    expect((error as unknown as { headers: Record<string, string> }).headers['Retry-After']).toBe(wait)
  })
})

describe('rdap.ip and rdap.autnum', () => {
  test('read the block of an address', async () => {
    expect(await registry.rdap.ip('93.184.216.34')).toEqual({
      handle: 'NET-93-184-216-0-1',
      name: 'EXAMPLE-NET',
      organization: 'Example Networks',
      country: 'US',
      start: '93.184.216.0',
      end: '93.184.216.255',
      cidrs: ['93.184.216.0/24'],
      server: 'rdap.example.com',
      sources: ['https://rdap.example.com/numbers/ip/93.184.216.34'],
    })
    expect(await registry.rdap.ip('2606:2800:220:1::34')).toMatchObject({ cidrs: ['2606:2800::/32'] })
    expect(await registry.rdap.autnum(15133)).toMatchObject({ handle: 'AS15133', start: '15133' })
  })

  test('know nothing of what is not allocated', async () => {
    expect(await registry.rdap.ip('8.8.4.4')).toBeNull()
    expect(await registry.rdap.autnum(64_000)).toBeNull()
  })

  test('find the holder and country in the ways of the five registries', async () => {
    const label = { label: '1 Main St\nSmalltown\nCA\n94043\nUnited States' }
    internet.web.site('rdap.example.com', '/numbers/ip/23.0.0.1', {
      headers: rdapJson,
      body: JSON.stringify({
        startAddress: '23.0.0.0',
        entities: [
          { roles: ['abuse'], vcardArray: ['vcard', [['fn', {}, 'text', 'Abuse']]] },
          {
            roles: ['registrant'],
            vcardArray: [
              'vcard',
              [
                ['fn', {}, 'text', 'Arin Style LLC'],
                ['adr', label, 'text', ['', '', '', '', '', '', '']],
              ],
            ],
          },
        ],
      }),
    })
    expect(await registry.rdap.ip('23.0.0.1')).toMatchObject({
      organization: 'Arin Style LLC',
      country: 'United States',
    })
    internet.web.site('rdap.example.com', '/numbers/ip/1.0.0.9', {
      headers: rdapJson,
      body: JSON.stringify({
        country: 'AU',
        remarks: [{ title: 'description', description: ['Apnic Style Pty', 'Brisbane'] }],
      }),
    })
    expect(await registry.rdap.ip('1.0.0.9')).toMatchObject({
      organization: 'Apnic Style Pty',
      country: 'AU',
    })
  })
})
