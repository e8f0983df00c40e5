import packet from 'dns-packet'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Dns } from '../../../mcp/ports/dns/port.ts'
import { openQueryBudget } from '../../../mcp/services/data/mail-policy/query-budget.ts'
import type { Entry, Raw } from '../../internet/zone.ts'
import { opened } from '../../opened.ts'
import { runs } from '../../stress.ts'
import { refused, startData } from './run.ts'

const data = opened(startData)

const put = (zone: Record<string, Entry>) => {
  for (const [name, entry] of Object.entries(zone)) data.internet.dns.zone.set(name, entry)
}

type Answer = Record<string, unknown> & {
  meta: { warnings: { code: string; message: string }[]; truncated: boolean }
  recommendations: { code: string }[]
}
const ask = async (domain: string, more: object = {}) =>
  (await data.ask('email-auth', { domain, ...more })) as Answer
const codes = ({ meta }: Answer) => meta.warnings.map(({ code }) => code)

/** A server that fails for one type of record and has no records of the others. */
const failing =
  (failed: string): Raw =>
  bytes => {
    const { id, questions = [] } = packet.decode(bytes)
    const flags = packet.RECURSION_AVAILABLE | (questions[0]?.type === failed ? 2 : 0)
    return [
      packet.encode({ type: 'response', ...(id !== undefined && { id }), flags, questions, answers: [] }),
    ]
  }

describe('a failure of the DNS', () => {
  test.each(['SERVFAIL', 'REFUSED', 'SILENT'] as const)(
    'that is %s about everything is told as one',
    async failure => {
      const domain = `${failure.toLowerCase()}.down`
      put({
        [domain]: failure,
        [`*.${domain}`]: failure,
        [`*._domainkey.${domain}`]: failure,
        [`_smtp._tls.${domain}`]: failure,
      })
      const error = await refused(ask(domain))
      expect(error.code).toBe('upstream')
      expect(error.toProblem().retryable).toBe(true)
      expect(error.message).toContain(domain)
    },
  )

  test('about DMARC leaves the verdict open', async () => {
    put({
      'half.down': { TXT: ['v=spf1 -all'], MX: [{ preference: 1, exchange: 'mx.test' }] },
      '_dmarc.half.down': 'SERVFAIL',
    })
    const answer = await ask('half.down')
    expect(answer).toMatchObject({
      dmarc: null,
      spf: { valid: true },
      spoofable: null,
      spoofability: 'unknown',
      score: null,
      grade: null,
      bimi: { eligible: null },
    })
    expect(answer.verdict).toContain('not known')
    expect(codes(answer)).toEqual(['part_unknown'])
    expect(answer.recommendations.map(({ code }) => code)).not.toContain('publish_dmarc')
  })

  test('about DMARC does not hide that SPF lets everybody pass', async () => {
    put({ 'open.down': { TXT: ['v=spf1 +all'] }, '_dmarc.open.down': 'SERVFAIL' })
    expect(await ask('open.down')).toMatchObject({ dmarc: null, spoofable: true, spoofability: 'spoofable' })
  })

  test('about SPF leaves open what only SPF can tell', async () => {
    put({ 'nospf.down': failing('TXT'), '_dmarc.nospf.down': { TXT: ['v=DMARC1; p=reject'] } })
    const answer = await ask('nospf.down')
    expect(answer).toMatchObject({ spf: null, dmarc: { policy: 'reject' }, spoofable: null, exists: true })
    expect(answer.recommendations.map(({ code }) => code)).not.toContain('publish_spf')
    put({ '_dmarc.nospf.down': { TXT: ['v=DMARC1; p=none'] } })
    expect(await ask('nospf.down', { ip: '192.0.2.1' })).toMatchObject({
      spoofable: true,
      spf: { record: null, valid: null, check: { result: 'temperror' } },
    })
  })

  test('about mail servers leaves only them open', async () => {
    put({ 'nomx.down': failing('MX'), '_dmarc.nomx.down': { TXT: ['v=DMARC1; p=reject'] } })
    const answer = await ask('nomx.down')
    expect(answer).toMatchObject({ mx: null, uses_mail: null, spoofable: false, spoofability: 'protected' })
    expect(codes(answer)).toEqual(['part_unknown'])
  })

  test('about DKIM is no absence of keys, and stops the search', async () => {
    put({
      'nodkim.down': { TXT: ['v=spf1 -all'] },
      '_dmarc.nodkim.down': { TXT: ['v=DMARC1; p=reject'] },
      '*._domainkey.nodkim.down': 'SERVFAIL',
    })
    const answer = await ask('nodkim.down')
    expect(answer).toMatchObject({ dkim: null, spoofable: false })
    expect(codes(answer)).toEqual(['part_unknown'])
    put({ 'somedkim.down': { TXT: ['v=spf1 -all'] }, 'google._domainkey.somedkim.down': 'SERVFAIL' })
    const some = await ask('somedkim.down')
    expect(some).toMatchObject({ dkim: { status: 'unknown', unknown: 1 } })
    expect(codes(some)).toEqual(['selectors_unknown'])
  })

  test('about an include leaves the record neither valid nor invalid', async () => {
    put({
      'inc.down': { TXT: ['v=spf1 include:servfail.example.org -all'] },
      '_dmarc.inc.down': { TXT: ['v=DMARC1; p=reject'] },
    })
    const answer = await ask('inc.down')
    expect(answer).toMatchObject({ spf: { valid: null, errors: [] }, spoofability: 'protected' })
    expect(codes(answer)).toEqual(['spf_include_unknown'])
  })

  test('is not kept: the next asker asks again', async () => {
    put({ 'soon.down': { TXT: ['v=spf1 -all'] }, '_dmarc.soon.down': 'SERVFAIL' })
    expect(await ask('soon.down')).toMatchObject({ dmarc: null, meta: { cached: false } })
    expect(await ask('soon.down')).toMatchObject({ dmarc: null, meta: { cached: false } })
  })
})

describe('hostile records', () => {
  const chunks = (text: string) => text.match(/.{1,250}/gs) ?? []

  test.each<[string, string]>([
    ['ten kilobytes of terms', `v=spf1 ${'a:x.test '.repeat(1100)}-all`],
    ['ten kilobytes of networks', `v=spf1 ${'ip4:192.0.2.1 '.repeat(700)}-all`],
    ['ten kilobytes of modifiers', `v=spf1 ${'a=b include=x '.repeat(700)}-all`],
    ['one long term', `v=spf1 a:${'a.'.repeat(5000)}test -all`],
    ['a macro repeated', `v=spf1 exists:${'%{s}'.repeat(2000)}.test -all`],
    ['open braces', `v=spf1 ${'%{'.repeat(4000)}`],
    ['slashes', `v=spf1 a${'/'.repeat(9000)}`],
  ])('of SPF with %s are answered', async (_, record) => {
    put({ 'hostile.firm': { TXT: [chunks(record)] }, '_dmarc.hostile.firm': { TXT: ['v=DMARC1; p=reject'] } })
    const answer = await data.ask('email-auth', {
      domain: 'hostile.firm',
      ip: '192.0.2.9',
      selector: `s${record.length}`,
    })
    expect(answer).toMatchObject({
      spoofability: 'protected',
      spf: { check: { result: expect.any(String) } },
    })
    expect(JSON.stringify(answer).length).toBeLessThan(60_000)
  })

  test('of the other kinds are answered', async () => {
    const long = 'x=y;'.repeat(2500)
    put({
      'other.firm': { TXT: ['v=spf1 -all'], MX: [{ preference: 1, exchange: 'mx.test' }] },
      '_dmarc.other.firm': {
        TXT: [chunks(`v=DMARC1; p=reject; rua=${'mailto:a@b.test,'.repeat(500)};${long}`)],
      },
      's1._domainkey.other.firm': { TXT: [chunks(`v=DKIM1; p=${'A'.repeat(9000)}`)] },
      's2._domainkey.other.firm': { TXT: [chunks(`v=DKIM1; ${long}p=`)] },
      '_smtp._tls.other.firm': { TXT: [chunks(`v=TLSRPTv1; rua=${'mailto:a@b.test,'.repeat(600)}`)] },
      'default._bimi.other.firm': { TXT: [chunks(`v=BIMI1; l=${'https://x.test/'.repeat(600)}`)] },
    })
    const answer = await ask('other.firm')
    expect(answer).toMatchObject({
      dmarc: { policy: 'reject' },
      dkim: { count: 2 },
      spoofability: 'protected',
    })
    expect(JSON.stringify(answer).length).toBeLessThan(60_000)
  })

  test('that lead to ever more names cost a bounded number of questions', async () => {
    const before = { asked: 0 }
    const zone: Record<string, Entry> = {}
    for (let i = 0; i < 30; i++)
      zone[`i${i}.fan.firm`] = {
        TXT: [`v=spf1 a:a${i}.fan.firm mx:m${i}.fan.firm include:i${i + 1}.fan.firm ~all`],
      }
    const mx = Array.from({ length: 10 }, (_, i) => ({ preference: i, exchange: `x${i}.fan.firm` }))
    for (let i = 0; i < 30; i++)
      zone[`m${i}.fan.firm`] = { MX: mx.map(m => ({ ...m, exchange: `y${i}${m.exchange}` })) }
    put({ ...zone, 'fan.firm': { TXT: ['v=spf1 include:i0.fan.firm include:i9.fan.firm -all'] } })
    const many = Array.from({ length: 9 }, (_, i) => `mailto:r@r${i}.apart${i}.fan.firm`).join(',')
    put({ '_dmarc.fan.firm': { TXT: [chunks(`v=DMARC1; p=reject; rua=${many}; ruf=${many}`)] } })
    const counting: Raw = bytes => {
      before.asked++
      const { id, questions = [] } = packet.decode(bytes)
      const flags = packet.RECURSION_AVAILABLE | 3
      return [
        packet.encode({ type: 'response', ...(id !== undefined && { id }), flags, questions, answers: [] }),
      ]
    }
    put({ '*.fan.firm': counting, '*._domainkey.fan.firm': counting })
    const answer = await ask('fan.firm', { ip: '192.0.2.1' })
    expect(answer.spf).toMatchObject({ valid: false, check: { result: 'permerror' } })
    expect(before.asked).toBeGreaterThan(60)
    expect(before.asked).toBeLessThanOrEqual(150)
  })
})

test('no text of strangers makes it fail', async () => {
  const word = fc.constantFrom(
    'v=spf1 ',
    'v=DMARC1;',
    'v=DKIM1;',
    'p=',
    'reject',
    'include:',
    '%{',
    '}',
    ';',
    '=',
    '\u202e',
    '\ud800',
    'all',
  )
  const text = fc.oneof(
    fc.array(word, { maxLength: 12 }).map(words => words.join('')),
    fc.string({ unit: 'binary', maxLength: 60 }),
  )
  let round = 0
  await fc.assert(
    fc.asyncProperty(text, text, text, async (spf, dmarc, key) => {
      const domain = `r${++round}.random`
      put({
        [domain]: { TXT: [`v=spf1 ${spf}`, spf] },
        [`_dmarc.${domain}`]: { TXT: [`v=DMARC1; ${dmarc}`] },
        [`google._domainkey.${domain}`]: { TXT: [key] },
        [`_smtp._tls.${domain}`]: { TXT: [`v=TLSRPTv1; ${key}`] },
        [`default._bimi.${domain}`]: { TXT: [`v=BIMI1; ${key}`] },
      })
      const answer = await ask(domain)
      expect(['protected', 'partial', 'spoofable']).toContain(answer.spoofability)
    }),
    { numRuns: runs(12, 4) },
  )
})

test('questions of one call are asked once, and none beyond the limit', async () => {
  let asked = 0
  const dns: Dns = {
    async query(name) {
      asked++
      if (name === 'bad.test') throw new Error('broken')
      return {
        rcode: 'NOERROR',
        authentic: false,
        records: [],
        authorities: [],
        transport: 'udp',
        resolver: 'r1',
      }
    },
  }
  const questions = openQueryBudget(dns, 3, new AbortController().signal)
  await Promise.all(['a.test', 'A.test', 'b.test', 'a.test'].map(name => questions.query(name, 'A')))
  expect(asked).toBe(2)
  await expect(questions.query('bad.test', 'A')).rejects.toThrow('broken')
  expect((await questions.query('c.test', 'A')).rcode).toBe('LIMIT')
  expect((await questions.query('a.test', 'A')).rcode).toBe('NOERROR')
  expect([asked, questions.refused(), questions.resolvers()]).toEqual([3, 1, ['r1']])
})
