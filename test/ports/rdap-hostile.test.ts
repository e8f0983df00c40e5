import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readDomainObject } from '../../mcp/ports/rdap/domain-object.ts'
import { readNumberObject } from '../../mcp/ports/rdap/network.ts'
import { parseWhois } from '../../mcp/ports/rdap/whois/read.ts'
import { type Internet, startInternet } from '../internet/internet.ts'
import { exampleDomain } from '../internet/rdap.ts'
import { type Says, startRegistry } from '../internet/registry.ts'
import { refused } from '../services/data/run.ts'
import { runs } from '../stress.ts'

let internet: Internet
let registry: Awaited<ReturnType<typeof startRegistry>>
beforeAll(async () => {
  internet = await startInternet()
  registry = await startRegistry(internet, { deadlineMs: 300 })
  await registry.whois('whois.iana.org', (tld, socket) => void socket.end(`refer: whois.registry.${tld}\n`))
})
afterAll(() => internet.stop())

const rdapJson = { 'content-type': 'application/rdap+json' }
const answering = (name: string, body: string, headers: Record<string, string> = rdapJson, status = 200) => {
  internet.web.site('rdap.example.com', `/registry/domain/${name}`, { status, headers, body })
  return registry.rdap.domain(name)
}

describe('a hostile RDAP server', () => {
  test.each([
    [
      'more than is read',
      JSON.stringify({ ldhName: 'x.com', remarks: ['x'.repeat(2 << 20)] }),
      'with more than 512 KiB',
    ],
    ['no JSON', 'registered: yes', 'something that is not RDAP'],
    ['a list', '[]', 'something that is not RDAP'],
    ['a number', '7', 'something that is not RDAP'],
    ['brackets without end', '['.repeat(500_000), 'something that is not RDAP'],
  ])('that sends %s is an outage', async (_what, body, sentence) => {
    const error = await refused(answering('odd.com', body))
    expect(error.code).toBe('upstream')
    expect(error.message).toContain(sentence)
  })

  test('that answers with a web page does not make a domain free', async () => {
    const error = await refused(answering('page.com', '<!doctype html><h1>Not found</h1>', {}, 404))
    expect(error).toMatchObject({ code: 'upstream' })
    expect((await refused(answering('page.com', '<html>', rdapJson, 404))).code).toBe('upstream')
  })

  test('that leads to a private address is an outage, not the fault of the caller', async () => {
    const lead = { location: 'http://169.254.169.254/latest/meta-data' }
    expect((await refused(answering('led.com', '', lead, 302))).code).toBe('upstream')
    internet.dns.zone.set('inside.example.net', { A: ['10.0.0.7'] })
    internet.web.site('files.example.com', '/dns.json', {
      body: JSON.stringify({ services: [[['com'], ['https://inside.example.net/', 'http://127.0.0.1/']]] }),
    })
    const registry = await startRegistry(internet, { bootstrap: 'https://files.example.com' })
    const error = await refused(registry.rdap.domain('example.com'))
    expect(error.code).toBe('upstream')
    expect(error.toProblem().retryable).toBe(false)
  })

  test('that sends objects of any shape is read or left', () => {
    const garbage = fc.letrec(tie => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.string(),
        fc.double(),
        fc.constant(null),
        fc.boolean(),
        tie('list'),
        tie('object'),
      ),
      list: fc.array(tie('value'), { maxLength: 5 }),
      object: fc.dictionary(
        fc.constantFrom(
          'events',
          'entities',
          'roles',
          'vcardArray',
          'status',
          'nameservers',
          'ldhName',
          'eventDate',
          'remarks',
          'secureDNS',
          'redacted',
          'publicIds',
          'links',
          'title',
          'cidr0_cidrs',
          'length',
          'v4prefix',
        ),
        tie('value'),
      ),
    }))
    const fields = Object.keys(exampleDomain)
    fc.assert(
      fc.property(fc.constantFrom(...fields), garbage.value, garbage.object, (field, value, object) => {
        const facts = readDomainObject({ ...exampleDomain, [field]: value })
        expect(JSON.parse(JSON.stringify(facts))).toEqual(facts)
        const whole = readDomainObject(object as Record<string, unknown>)
        expect(whole.status.every(status => typeof status === 'string')).toBe(true)
        readNumberObject({ url: 'https://rdap.example.com/', body: object as Record<string, unknown> }, [])
      }),
      { numRuns: runs(300), seed: 7 },
    )
  })

  test('that sends cards of nonsense has no registrar with a name', () => {
    for (const vcardArray of [
      null,
      7,
      [],
      ['vcard'],
      ['vcard', 7],
      ['vcard', [7, null, [], ['fn'], ['fn', 1, 2, { a: 1 }], ['adr', null, 'text', 'x']]],
    ]) {
      const { registrar } = readDomainObject({ entities: [{ roles: ['registrar'], vcardArray }] })
      expect(registrar).toEqual({ name: null, ianaId: null, url: null, abuseEmail: null })
    }
  })

  test('cannot smuggle marks that turn text around, nor names that are none', () => {
    const facts = readDomainObject({
      status: ['\u202eactive\u0007'],
      nameservers: [
        { ldhName: 'ns1.example.com\r\nx' },
        { ldhName: 'NS1.EXAMPLE.COM.' },
        { ldhName: '../../etc' },
        {},
      ],
    })
    expect(facts).toMatchObject({ status: ['ok'], nameservers: ['ns1.example.com'] })
  })
})

describe('a hostile WHOIS server', () => {
  const forever: Says = (_query, socket) => {
    const pump = () => {
      while (!socket.destroyed && socket.write('Created: 2001-02-03\nfiller: x\n'.repeat(200)));
    }
    socket.on('drain', pump)
    pump()
  }
  const drip: Says = (_query, socket) => {
    const timer = setInterval(() => socket.write('.'), 20)
    socket.on('close', () => clearInterval(timer))
  }

  test('that never ends is cut, and the answer says so', async () => {
    await registry.whois('whois.registry.ax', forever)
    const domain = await registry.rdap.domain('long.ax')
    expect(domain.created?.at).toBe('2001-02-03T00:00:00Z')
    expect(domain.notes.map(({ code }) => code)).toEqual(['whois_cut'])
  })

  test.each<[string, string, Says]>([
    ['says nothing', 'as', () => {}],
    ['drips', 'bj', drip],
    ['hangs up', 'bo', (_query, socket) => void socket.destroy()],
    ['sends nothing and closes', 'bs', ''],
    [
      'sends noise',
      'by',
      (_query, socket) =>
        void socket.end(Buffer.from(Array.from({ length: 60_000 }, (_, i) => (i * 7919) % 256))),
    ],
    ['talks of limits', 'ck', '% quota exceeded, no entries found'],
  ])('that %s is an outage', async (_what, tld, says) => {
    await registry.whois(`whois.registry.${tld}`, says)
    expect((await refused(registry.rdap.domain(`x.${tld}`))).code).toBe('upstream')
  })

  test('is asked again later when it talks of limits', async () => {
    await registry.whois('whois.registry.cm', 'Too many requests')
    expect((await refused(registry.rdap.domain('x.cm'))).toProblem().retryable).toBe(true)
  })

  test.each([
    ['at a private address', 'dj', { A: ['10.1.2.3'] }],
    ['at a public and a private address', 'fj', { A: ['93.184.217.1', '127.0.0.1'] }],
    ['without an address', 'gh', {}],
  ])('%s is not dialled', async (_where, tld, records) => {
    internet.dns.zone.set(`whois.registry.${tld}`, records)
    const error = await refused(registry.rdap.domain(`x.${tld}`))
    expect(error).toMatchObject({
      code: 'upstream',
      message: `The WHOIS server whois.registry.${tld} has no address on the public internet.`,
    })
  })

  test('cannot be named so that the caller is to blame', async () => {
    const other = await startRegistry(internet)
    await other.whois('whois.iana.org', 'refer: whois.internal\n')
    expect((await refused(other.rdap.domain('x.hm'))).code).toBe('upstream')
  })

  test('cannot refer to an address inside', async () => {
    await registry.whois('whois.registry.gy', 'Created: 2001-01-01\nRegistrar WHOIS Server: 127.0.0.1\n')
    expect(await registry.rdap.domain('x.gy')).toMatchObject({
      registered: true,
      created: { at: '2001-01-01T00:00:00Z' },
    })
  })

  test('may say anything at all', () => {
    const line = fc.oneof(
      fc.string({ maxLength: 80 }),
      fc.constantFrom(
        'Created:',
        '[x]',
        '** Registrar:',
        '   ',
        'Status: ',
        'a'.repeat(3000),
        ': :',
        '% Registrar:',
        'Name servers:',
      ),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), lines => {
        expect(parseWhois(lines.join('\n')).kind).toMatch(/found|absent|busy|unclear/)
      }),
      { numRuns: runs(500), seed: 11 },
    )
    for (const text of [
      ':'.repeat(65_536),
      ' '.repeat(65_536),
      'a:'.repeat(32_768),
      '\n'.repeat(65_536),
      'created on '.repeat(6000),
      '.'.repeat(65_536),
      'a.'.repeat(32_768),
    ])
      expect(parseWhois(text).kind).toMatch(/absent|unclear/)
  })
})
