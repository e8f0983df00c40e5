import { beforeAll, describe, expect, test } from 'vitest'
import type { Dns } from '../../../mcp/ports/dns/port.ts'
import { analyseSpf } from '../../../mcp/services/data/spf/analyse.ts'
import { findSpf } from '../../../mcp/services/data/spf/find.ts'
import { openZone, txt } from '../../internet/dns-zone.ts'

const { dns, signal, put } = openZone()
beforeAll(() => {
  put({
    'there.test': { A: ['127.0.0.2'] },
    'two.test': txt('v=spf1 a:there.test a:there.test ?all'),
    'open.test': txt('v=spf1 +all'),
    'soft.test': txt('v=spf1 ~all'),
    'text.test': { TXT: ['nothing'] },
    'double.test': { TXT: ['v=spf1 -all', 'v=spf1 ~all'] },
    'ping.test': txt('v=spf1 include:pong.test'),
    'pong.test': txt('v=spf1 include:ping.test'),
  })
})

const analyse = async (...records: string[]) => {
  put({ 'own.test': { TXT: records.map(record => record.match(/.{1,255}/gs)), A: ['192.0.2.1'] } })
  return analyseSpf(dns, 'own.test', await findSpf(dns, 'own.test', signal), signal)
}
const codes = (notes: readonly { code: string }[]) => notes.map(({ code }) => code)

test('a good record has nothing against it', async () => {
  expect(await analyse('v=spf1 ip4:192.0.2.0/24 include:two.test -all')).toMatchObject({
    record: 'v=spf1 ip4:192.0.2.0/24 include:two.test -all',
    valid: true,
    all: '-all',
    authorizes_anyone: false,
    lookups: 3,
    void_lookups: 0,
    includes: [
      {
        kind: 'include',
        domain: 'two.test',
        parent: 'own.test',
        level: 1,
        all: '?all',
        lookups: 2,
        problem: null,
      },
    ],
    include_count: 1,
    errors: [],
  })
})

test('a domain without a record is no error, only not valid', async () => {
  expect(await analyse('hello')).toMatchObject({
    record: null,
    records: [],
    valid: false,
    errors: [],
    warnings: [],
  })
})

test('several records are shown and none counts', async () => {
  const analysis = await analyse('v=spf1 -all', 'v=spf1 +all')
  expect(analysis).toMatchObject({ record: null, records: ['v=spf1 -all', 'v=spf1 +all'], valid: false })
  expect(codes(analysis.errors)).toEqual(['several_records'])
})

test.each([' v=spf1 -all', '"v=spf1 -all"', 'v=spf1; -all', 'v=spf1-all', 'V = spf1 -all'])(
  'tells that %j is not read as a record',
  async text => {
    const analysis = await analyse(text)
    expect(analysis).toMatchObject({ record: null, valid: false })
    expect(codes(analysis.warnings)).toEqual(['not_read_as_spf'])
  },
)

test.each(['spf2.0/pra -all', 'v=spf2.0 x', 'v=spfile'])('%j was never meant as one', async text => {
  expect((await analyse(text)).warnings).toEqual([])
})

describe('the tree', () => {
  test('goes through includes and redirects, and keeps the order', async () => {
    put({
      'a.test': txt('v=spf1 include:b.test include:c.test'),
      'b.test': txt('v=spf1 redirect=soft.test'),
      'c.test': txt('v=spf1 ip4:192.0.2.1'),
    })
    const { includes, lookups, all } = await analyse('v=spf1 include:a.test redirect=soft.test')
    expect(includes.map(({ kind, domain, parent, level }) => [kind, domain, parent, level])).toEqual([
      ['include', 'a.test', 'own.test', 1],
      ['include', 'b.test', 'a.test', 2],
      ['redirect', 'soft.test', 'b.test', 3],
      ['include', 'c.test', 'a.test', 2],
      ['redirect', 'soft.test', 'own.test', 1],
    ])
    expect({ lookups, all }).toEqual({ lookups: 5, all: '~all' })
  })

  test('ends at a circle', async () => {
    const analysis = await analyse('v=spf1 include:ping.test -all')
    expect(analysis.valid).toBe(false)
    expect(analysis.errors).toEqual([
      {
        code: 'include_loop',
        message: 'The records lead in a circle: own.test → ping.test → pong.test → ping.test.',
      },
    ])
    expect(codes((await analyse('v=spf1 redirect=OWN.test')).errors)).toEqual(['redirect_loop'])
  })

  test.each([
    ['v=spf1 include:text.test -all', 'include_without_record'],
    ['v=spf1 include:missing.test -all', 'include_without_record'],
    ['v=spf1 redirect=text.test', 'redirect_without_record'],
    ['v=spf1 include:double.test -all', 'include_several_records'],
    ['v=spf1 moo -all', 'syntax'],
  ])('%s has the error %s', async (record, code) => {
    const analysis = await analyse(record)
    expect(analysis.valid).toBe(false)
    expect(codes(analysis.errors)).toEqual([code])
  })

  test('tells the syntax errors of included records, with their domain', async () => {
    put({ 'bad.test': txt('v=spf1 ip4:300.0.0.1') })
    const { errors } = await analyse('v=spf1 include:bad.test -all')
    expect(errors[0]?.message).toMatch(/^In the record of bad\.test, "ip4:300\.0\.0\.1"/)
  })

  test('does not know whether a record is valid when the DNS fails about an include', async () => {
    const analysis = await analyse('v=spf1 include:servfail.example.org -all')
    expect(analysis).toMatchObject({ valid: null, errors: [], unknown: ['servfail.example.org'], lookups: 1 })
    expect(codes(analysis.warnings)).toEqual(['unknown'])
  })

  test('counts macros without following them', async () => {
    expect(await analyse('v=spf1 include:%{i}._spf.%{d} exists:%{l}.x.test a:%{d} -all')).toMatchObject({
      valid: true,
      lookups: 3,
      void_lookups: 0,
      includes: [],
    })
  })
})

describe('the limits', () => {
  test('eleven lookups are an error, wherever they are, and all are shown', async () => {
    put({ 'six.test': txt('v=spf1 include:two.test include:two.test ?all') })
    const analysis = await analyse('v=spf1 include:six.test include:two.test mx:there.test -all')
    expect(analysis).toMatchObject({ lookups: 11, valid: false, include_count: 4 })
    expect(codes(analysis.errors)).toEqual(['too_many_lookups'])
    expect(await analyse('v=spf1 include:six.test include:two.test -all')).toMatchObject({
      lookups: 10,
      valid: true,
    })
  })

  test('terms after "all" and a redirect beside it cost nothing', async () => {
    const analysis = await analyse('v=spf1 a -all include:missing.test redirect=missing.test')
    expect(analysis).toMatchObject({ lookups: 1, valid: true })
    expect(codes(analysis.warnings)).toEqual(['after_all', 'redirect_ignored'])
  })

  test('three lookups that find nothing are an error', async () => {
    const analysis = await analyse('v=spf1 a:x.test mx:there.test exists:y.test -all')
    expect(analysis).toMatchObject({ void_lookups: 3, valid: false })
    expect(codes(analysis.errors)).toEqual(['too_many_voids'])
    expect(await analyse('v=spf1 a:x.test mx:there.test -all')).toMatchObject({
      void_lookups: 2,
      valid: true,
    })
  })

  test('an include finds nothing where there is no text at all', async () => {
    expect(await analyse('v=spf1 include:text.test -all')).toMatchObject({ void_lookups: 0, lookups: 1 })
    expect(await analyse('v=spf1 include:there.test -all')).toMatchObject({ void_lookups: 1 })
    expect(await analyse('v=spf1 include:missing.test -all')).toMatchObject({ void_lookups: 1 })
  })

  test('a host with an IPv6 address only is found', async () => {
    put({ 'v6.test': { AAAA: ['2001:db8::1'] } })
    expect(await analyse('v=spf1 a:v6.test -all')).toMatchObject({ void_lookups: 0 })
  })

  test('more than ten mail servers are an error', async () => {
    put({
      'many.test': { MX: Array.from({ length: 11 }, (_, i) => ({ preference: i, exchange: `m${i}.test` })) },
    })
    expect(codes((await analyse('v=spf1 mx:many.test -all')).errors)).toEqual(['too_many_mx'])
  })

  test('a record that leads everywhere is followed for 30 terms and counted to the end', async () => {
    let asked = 0
    const counted: Dns = {
      query(name, type, options) {
        asked++
        return dns.query(name, type, options)
      },
    }
    const record = `v=spf1 ${Array.from({ length: 300 }, (_, i) => `a:h${i}.there.test`).join(' ')} -all`
    const found = { records: [record], texts: [record], exists: true, alias: null }
    const analysis = await analyseSpf(counted, 'own.test', found, signal)
    expect(analysis).toMatchObject({ lookups: 300, valid: false })
    expect(asked).toBeLessThanOrEqual(60)
  })

  test('includes that branch and branch again are bounded', async () => {
    const five = (level: number) =>
      `v=spf1 ${Array.from({ length: 5 }, (_, i) => `include:l${level}-${i}.fan.test`).join(' ')}`
    for (let level = 0; level < 6; level++)
      for (let i = 0; i < 5; i++) put({ [`l${level}-${i}.fan.test`]: txt(five(level + 1)) })
    const analysis = await analyse(five(0))
    expect(analysis.lookups).toBeGreaterThan(10)
    expect(analysis.includes.length).toBeLessThanOrEqual(60)
    expect(codes(analysis.errors)).toContain('too_many_lookups')
  })
})

describe('a record that lets everybody pass', () => {
  test.each([
    'v=spf1 +all',
    'v=spf1 all',
    'v=spf1 include:open.test -all',
    'v=spf1 redirect=open.test',
    'v=spf1 ip4:0.0.0.0/0 -all',
    'v=spf1 ip4:0.0.0.0/1 ip4:128.0.0.0/1 -all',
    'v=spf1 a/0 -all',
  ])('%s', async record => {
    expect((await analyse(record)).authorizes_anyone).toBe(true)
  })

  test.each([
    'v=spf1 -all +all',
    'v=spf1 -all include:open.test',
    'v=spf1 ?include:open.test -all',
    'v=spf1 -ip4:0.0.0.0/0 -all',
    'v=spf1 ?all',
    'v=spf1 moo +all',
  ])('is not %s', async record => {
    expect((await analyse(record)).authorizes_anyone).toBe(false)
  })
})

test.each([
  ['v=spf1 ip4:192.0.2.1', 'no_all'],
  ['v=spf1 ip4:192.0.2.1 ?all', 'neutral_all'],
  ['v=spf1 ptr -all', 'ptr'],
  ['v=spf1 ip4=192.0.2.1 -all', 'mistaken_modifier'],
  ['v=spf1 note=hello -all', 'unknown_modifier'],
  ['v=spf1 ip4:192.0.2.1 IP4:192.0.2.1 -all', 'repeated_term'],
  ['v=spf1 ip4:10.1.2.3 -all', 'private_network'],
  ['v=spf1 ip4:11.0.0.0/8 -all', 'wide_network'],
  [`v=spf1 ${Array.from({ length: 30 }, (_, i) => `ip4:192.0.2.${i}`).join(' ')} -all`, 'long_record'],
])('warns of %s', async (record, code) => {
  const analysis = await analyse(record)
  expect(analysis.valid).toBe(true)
  expect(codes(analysis.warnings)).toEqual([code])
})

test('modifiers for reports are known (RFC 6652)', async () => {
  expect((await analyse('v=spf1 ra=postmaster rp=100 rr=e -all')).warnings).toEqual([])
})

test('what strangers publish is made safe to show', async () => {
  const { record, errors } = await analyse('v=spf1 a:\u202eevil\u0007 -all')
  expect(record).toBe('v=spf1 a:evil -all')
  expect(errors[0]?.message).toMatch(/^[ -~]*$/)
})
