import { describe, expect, test } from 'vitest'
import { coversHost, parseStsPolicy } from '../../../mcp/lib/mail-auth/sts-policy.ts'
import { parseTags } from '../../../mcp/lib/mail-auth/tags.ts'
import type { Entry } from '../../internet/zone.ts'
import { opened } from '../../opened.ts'
import { startData } from './run.ts'

const data = opened(startData)

const put = (zone: Record<string, Entry>) => {
  for (const [name, entry] of Object.entries(zone)) data.internet.dns.zone.set(name, entry)
}
const codes = (notes: readonly { code: string }[]) => notes.map(({ code }) => code)

/** The only names that the web server has certificates for are under example.com, example.org and example.net. */
const domain = 'example.org'
let round = 0
/** Each call asks for another selector, so that no answer comes out of the cache. */
const ask = (name = domain) => data.ask('email-auth', { domain: name, selector: `r${++round}` })

const policy = (...lines: string[]) => `${['version: STSv1', ...lines].join('\r\n')}\r\n`

describe('MTA-STS', () => {
  const mtaSts = async (text: string, page: object = {}, record = 'v=STSv1; id=20260101T000000;') => {
    put({
      [domain]: {
        A: ['93.184.216.34'],
        MX: [
          { preference: 1, exchange: 'mx1.example.org' },
          { preference: 2, exchange: 'mx2.example.org' },
        ],
      },
      [`_mta-sts.${domain}`]: { TXT: [record] },
    })
    const headers = { 'content-type': 'text/plain' }
    data.internet.web.site(`mta-sts.${domain}`, '/.well-known/mta-sts.txt', { headers, body: text, ...page })
    return (await ask()).mta_sts as {
      errors: { code: string }[]
      warnings: { code: string }[]
      valid: boolean | null
      mode: string
    }
  }
  const good = policy('mode: enforce', 'mx: mx1.example.org', 'mx: *.example.org', 'max_age: 604800')

  test('is read with its policy', async () => {
    expect(await mtaSts(good)).toEqual({
      record: 'v=STSv1; id=20260101T000000;',
      valid: true,
      id: '20260101T000000',
      mode: 'enforce',
      mx: ['mx1.example.org', '*.example.org'],
      max_age: 604_800,
      policy_url: 'https://mta-sts.example.org/.well-known/mta-sts.txt',
      errors: [],
      warnings: [],
    })
  })

  test('counts as much as it protects', async () => {
    const score = async (text: string) => {
      await mtaSts(text)
      return (await ask()).score as number
    }
    put({ [`_dmarc.${domain}`]: { TXT: ['v=DMARC1; p=reject'] } })
    const enforced = await score(good)
    const tested = await score(good.replace('enforce', 'testing'))
    const broken = await score('nonsense')
    expect([enforced > tested, tested > broken]).toEqual([true, true])
  })

  test.each([
    [policy('mode: enforce', 'mx: mx1.example.org', 'max_age: 86400'), {}, 'mx_not_covered'],
    [policy('mode: enforce', 'mx: *.mail.example.org', 'max_age: 86400'), {}, 'mx_not_covered'],
    [policy('mode: strict', 'mx: *.example.org', 'max_age: 86400'), {}, 'sts_policy'],
    [policy('mode: enforce', 'mx: *.example.org'), {}, 'sts_policy'],
    [policy('mode: enforce', 'mx: *.example.org', 'max_age: 99999999'), {}, 'sts_policy'],
    [policy('mode: enforce', 'max_age: 86400'), {}, 'sts_policy'],
    [good.replace('version: STSv1', ''), {}, 'sts_policy'],
    [good, { status: 404 }, 'policy_status'],
    [good, { status: 301, headers: { location: 'https://example.com/' } }, 'policy_status'],
  ])('%j with %j has the error %s', async (text, page, code) => {
    const { valid, errors } = await mtaSts(text, page)
    expect(valid).toBe(false)
    expect(codes(errors)).toContain(code)
  })

  test.each([
    [good.replace('enforce', 'testing'), {}, 'testing'],
    [good.replace('604800', '60'), {}, 'short_max_age'],
    [good, { headers: { 'content-type': 'text/html' } }, 'policy_type'],
  ])('%j with %j has the warning %s', async (text, page, code) => {
    expect(await mtaSts(text, page)).toMatchObject({ valid: true, warnings: [{ code }] })
  })

  test.each([
    ['v=STSv1; id=not-a-word!', 'bad_id'],
    ['v=STSv1;', 'bad_id'],
  ])('%s has the error %s', async (record, code) => {
    const { valid, errors } = await mtaSts(good, {}, record)
    expect([valid, codes(errors)]).toEqual([false, [code]])
  })

  test('with a policy out of reach is unknown, not broken', async () => {
    put({ '_mta-sts.example.net': { TXT: ['v=STSv1; id=1'] } })
    const answer = await ask('example.net')
    expect(answer.mta_sts).toMatchObject({ valid: null, mode: null, errors: [] })
    expect(codes((answer.meta as { warnings: { code: string }[] }).warnings)).toContain('policy_unreachable')
  })

  test('without a record fetches nothing', async () => {
    data.internet.web.site('mta-sts.example.com', '/.well-known/mta-sts.txt', { body: good })
    const { mta_sts: mtaSts } = await ask('example.com')
    expect(mtaSts).toMatchObject({ record: null, valid: false, policy_url: null })
  })
})

test.each([
  ['mx.example.org', 'mx.example.org', true],
  ['*.example.org', 'mx.example.org', true],
  ['*.example.org', 'a.mx.example.org', false],
  ['*.example.org', 'example.org', false],
  ['example.org', 'mx.example.org', false],
])('the pattern %s is about %s: %s', (pattern, host, covers) => {
  expect(coversHost(pattern, host)).toBe(covers)
})

test('a policy of mode none needs no mail servers', () => {
  expect(parseStsPolicy('version: STSv1\nmode: none\nmax_age: 0\n')).toMatchObject({
    mode: 'none',
    mx: [],
    errors: [],
  })
})

describe('TLS reports', () => {
  test.each<[string[], boolean, string[]]>([
    [['v=TLSRPTv1; rua=mailto:tls@example.org,https://example.org/report'], true, []],
    [['v=TLSRPTv1;rua=mailto:tls@example.org', 'unrelated'], true, []],
    [['v=TLSRPTv1; rua=tls@example.org'], false, ['report_address']],
    [['v=TLSRPTv1;'], false, ['no_reports']],
    [['v=TLSRPTv1; rua=mailto:a@x.test', 'v=TLSRPTv1; rua=mailto:b@x.test'], false, ['several_records']],
    [['v=TLSRPTv2; rua=mailto:a@x.test'], false, []],
  ])('%j', async (records, valid, errors) => {
    put({ [`_smtp._tls.${domain}`]: { TXT: records } })
    const { tls_rpt: tlsRpt } = (await ask()) as { tls_rpt: { valid: boolean; errors: { code: string }[] } }
    expect([tlsRpt.valid, codes(tlsRpt.errors)]).toEqual([valid, errors])
  })
})

describe('BIMI', () => {
  const bimi = async (record: string, dmarc = 'v=DMARC1; p=reject') => {
    put({ [`default._bimi.${domain}`]: { TXT: [record] }, [`_dmarc.${domain}`]: { TXT: [dmarc] } })
    return (await ask()).bimi as { errors: { code: string }[]; warnings: { code: string }[] }
  }

  test('is read', async () => {
    expect(await bimi('v=BIMI1; l=https://x.test/logo.svg; a=https://x.test/mark.pem')).toMatchObject({
      valid: true,
      logo: 'https://x.test/logo.svg',
      certificate: 'https://x.test/mark.pem',
      declined: false,
      eligible: true,
    })
    expect(await bimi('v=BIMI1; l=; a=;')).toMatchObject({
      valid: true,
      declined: true,
      logo: null,
      warnings: [],
    })
  })

  test.each([
    ['v=BIMI1; l=http://x.test/logo.svg', ['bad_logo'], ['no_certificate']],
    ['v=BIMI1; a=https://x.test/mark.pem', [], ['no_logo']],
    ['v=BIMI1; l=; a=https://x.test/mark.pem', [], ['no_logo']],
    ['v=BIMI1;', [], []],
    ['v=BIMI1; l=https://x.test/l.svg; a=https://x.test/m.pem; avp=Personal; lps=a-1 , b', [], []],
    ['v=BIMI1; l=https://x.test/l.svg; a=https://x.test/m.pem; avp=self', ['bad_avatar'], []],
    ['v=BIMI1; l=https://x.test/l.svg; a=https://x.test/m.pem; lps=a.b', ['bad_selector'], []],
    ['v=BIMI1; l=https://x.test/l.svg; a=https://x.test/m.pem; l=https://x.test/n.svg', ['repeated_tag'], []],
    ['v=BIMI1; l=https://x.test/logo.svg; a=x', ['bad_certificate'], []],
  ])('%s has the errors %j', async (record, errors, warnings) => {
    const found = await bimi(record)
    expect([codes(found.errors), codes(found.warnings)]).toEqual([errors, warnings])
  })

  test.each([
    ['v=DMARC1; p=none', false],
    ['v=DMARC1; p=reject; sp=none', false],
    ['v=DMARC1; p=quarantine', true],
  ])('is shown with %s: %s', async (dmarc, eligible) => {
    expect(await bimi('v=BIMI1; l=https://x.test/l.svg; a=https://x.test/m.pem', dmarc)).toMatchObject({
      eligible,
    })
  })

  test('of the organization holds for its names', async () => {
    await bimi('v=BIMI1; l=https://x.test/l.svg; a=https://x.test/m.pem')
    expect((await ask(`www.${domain}`)).bimi).toMatchObject({ found_at: domain, valid: true })
  })
})

test('tags are read one by one, and what is none is told', () => {
  expect(parseTags(' v=X ;A = b=c; ; broken;=x;a=2;')).toEqual({
    tags: [
      { name: 'v', value: 'X' },
      { name: 'a', value: 'b=c' },
      { name: 'a', value: '2' },
    ],
    broken: ['broken', '=x'],
    repeated: ['a'],
  })
})
