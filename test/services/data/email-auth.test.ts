import { describe, expect, test } from 'vitest'
import { rsaKey1024, rsaKey2048 } from '../../internet/mail-zone.ts'
import type { Entry } from '../../internet/zone.ts'
import { opened } from '../../opened.ts'
import { refused, startData } from './run.ts'

const data = opened(startData)

const put = (zone: Record<string, Entry>) => {
  for (const [name, entry] of Object.entries(zone)) data.internet.dns.zone.set(name, entry)
}

type Answer = Record<string, unknown> & {
  verdict: string
  score: number
  meta: { warnings: { code: string }[]; truncated: boolean; sources: string[] }
  recommendations: {
    code: string
    priority: string
    record: { name: string; type: string; value: string } | null
  }[]
}
const ask = async (domain: string, more: object = {}) =>
  (await data.ask('email-auth', { domain, ...more })) as Answer
const codes = (notes: readonly { code: string }[]) => notes.map(({ code }) => code)

/** A domain with mail and these records of SPF and DMARC, asked about under a new name each time. */
let domains = 0
const with_ = async (spf: string | null, dmarc: string | null, more: Record<string, Entry> = {}) => {
  const domain = `d${++domains}.firm`
  put({
    [domain]: {
      MX: [{ preference: 1, exchange: 'mx.mail.test' }],
      A: ['192.0.2.1'],
      ...(spf !== null && { TXT: [spf] }),
    },
    ...(dmarc !== null && { [`_dmarc.${domain}`]: { TXT: [dmarc] } }),
    ...Object.fromEntries(Object.entries(more).map(([name, entry]) => [`${name}.${domain}`, entry])),
  })
  return { domain, answer: await ask(domain) }
}

describe('email-auth', () => {
  test('tells everything about a domain that does it well', async () => {
    const answer = await ask('https://EXAMPLE.com/x')
    expect(answer).toMatchObject({
      skill: 'email-auth',
      domain: 'example.com',
      exists: true,
      uses_mail: true,
      spoofable: false,
      spoofability: 'protected',
      grade: 'A',
      spf: {
        record: 'v=spf1 include:_spf.example.com -all',
        valid: true,
        all: '-all',
        lookups: 1,
        includes: [{ domain: '_spf.example.com' }],
        check: null,
      },
      dmarc: {
        found_at: 'example.com',
        policy: 'reject',
        subdomain_policy: 'quarantine',
        effective_policy: 'reject',
        alignment: { dkim: 'strict', spf: 'relaxed' },
        rua: [{ address: 'agg@example.com', external: false }],
      },
      dkim: {
        status: 'found',
        count: 2,
        wildcard: false,
        found: [
          { selector: 'default', key_type: 'ed25519', bits: 256, alias: 'keys.example.net' },
          { selector: 'google', key_type: 'rsa', bits: 2048, alias: null },
        ],
      },
      mx: { count: 2, hosts: ['mx1.example.com', 'mx2.example.com'], null_mx: false },
      mta_sts: { record: null, valid: false },
      tls_rpt: { valid: true, rua: ['mailto:tls@example.com'] },
      bimi: { valid: true, eligible: true, found_at: 'example.com' },
    })
    expect(answer.score).toBeGreaterThanOrEqual(90)
    expect(answer.meta).toMatchObject({ warnings: [], truncated: false })
    expect(answer.recommendations.every(({ priority }) => priority === 'low')).toBe(true)
  })

  test('a domain that says it has no mail is as good as can be', async () => {
    expect(await ask('quiet.example.net')).toMatchObject({
      uses_mail: false,
      spoofable: false,
      spoofability: 'protected',
      score: 100,
      grade: 'A',
      mx: { null_mx: true, count: 0 },
      recommendations: [{ code: 'ask_for_reports', priority: 'medium' }],
    })
  })

  test.each([
    [null, null, 'spoofable', 'there is no DMARC record'],
    ['v=spf1 -all', null, 'spoofable', 'there is no DMARC record'],
    ['v=spf1 -all', 'v=DMARC1; p=none', 'spoofable', 'the DMARC policy is none'],
    ['v=spf1 -all', 'v=DMARC1; p=quarantine; t=y', 'spoofable', 'DMARC is in test mode'],
    ['v=spf1 -all', 'v=DMARC1; p=rejcet', 'spoofable', 'errors that make receivers ignore it'],
    ['v=spf1 +all', 'v=DMARC1; p=reject', 'spoofable', 'its SPF record lets every host pass'],
    ['v=spf1 -all', 'v=DMARC1; p=quarantine', 'partial', 'goes to the spam folder'],
    ['v=spf1 -all', 'v=DMARC1; p=reject; t=y', 'partial', 'goes to the spam folder'],
    ['v=spf1 -all', 'v=DMARC1; p=reject; sp=none', 'partial', 'its subdomains (sp=none)'],
    ['v=spf1 -all', 'v=DMARC1; p=reject; sp=reject; np=none', 'partial', 'invented subdomains (np=none)'],
    ['v=spf1 -all', 'v=DMARC1; p=reject; p=none', 'partial', 'repeated DMARC tags'],
    ['v=spf1 ~all', 'v=DMARC1; p=reject', 'protected', 'is rejected'],
    [null, 'v=DMARC1; p=reject', 'protected', 'is rejected'],
    ['v=spf1 moo', 'v=DMARC1; p=reject', 'protected', 'is rejected'],
  ])('SPF %j with DMARC %j is %s', async (spf, dmarc, spoofability, words) => {
    const { answer } = await with_(spf, dmarc)
    expect(answer).toMatchObject({ spoofability, spoofable: spoofability === 'spoofable' })
    expect(answer.verdict).toContain(words)
    if (spoofability === 'spoofable') expect(answer.score).toBeLessThan(50)
    if (spoofability === 'partial') expect(answer.score).toBeLessThan(85)
  })

  test('better records have better scores', async () => {
    const steps: [string | null, string | null][] = [
      [null, null],
      ['v=spf1 ?all', null],
      ['v=spf1 -all', 'v=DMARC1; p=none; rua=mailto:a@x.test'],
      ['v=spf1 -all', 'v=DMARC1; p=quarantine; rua=mailto:a@x.test'],
      ['v=spf1 -all', 'v=DMARC1; p=reject; rua=mailto:a@x.test'],
    ]
    const scores: number[] = []
    for (const [spf, dmarc] of steps) scores.push((await with_(spf, dmarc)).answer.score)
    expect(scores).toEqual([...scores].sort((a, b) => a - b))
    expect(new Set(scores).size).toBe(scores.length)
  })

  test('a key that is not found is not called absent, and costs no points', async () => {
    const { answer } = await with_('v=spf1 -all', 'v=DMARC1; p=reject; rua=mailto:a@x.test')
    expect(answer.dkim).toMatchObject({
      status: 'not_found',
      count: 0,
      note: expect.stringContaining('may still be signed'),
    })
    expect(codes(answer.recommendations)).toContain('check_dkim')
    const { answer: weak } = await with_('v=spf1 -all', 'v=DMARC1; p=reject; rua=mailto:a@x.test', {
      'k1._domainkey': { TXT: [`v=DKIM1; t=y; p=${rsaKey1024}`] },
    })
    expect(weak.dkim).toMatchObject({
      status: 'found',
      found: [{ selector: 'k1', bits: 1024, testing: true, valid: true }],
    })
    expect(weak.score).toBeLessThan(answer.score)
    expect(codes(weak.recommendations)).toEqual(expect.arrayContaining(['stronger_key', 'end_key_test']))
  })

  test('looks at the selector that was asked for', async () => {
    const { domain } = await with_('v=spf1 -all', 'v=DMARC1; p=reject', {
      'very-own._domainkey': { TXT: [[`p=${rsaKey2048.slice(0, 250)}`, rsaKey2048.slice(250)]] },
    })
    expect((await ask(domain)).dkim).toMatchObject({ count: 0 })
    const answer = await ask(domain, { selector: 'Very-Own' })
    expect(answer.dkim).toMatchObject({ count: 1, found: [{ selector: 'very-own', bits: 2048 }] })
    expect(answer.meta.warnings).toEqual([])
    expect(codes((await ask(domain, { selector: 'none' })).meta.warnings)).toEqual(['selector_without_key'])
  })

  test('is not taken in by a wildcard', async () => {
    const { answer } = await with_('v=spf1 -all', 'v=DMARC1; p=reject', {
      '*._domainkey': { TXT: ['v=spf1 -all', 'unrelated'] },
    })
    expect(answer.dkim).toMatchObject({ count: 0, wildcard: false })
    const { answer: revoked } = await with_('v=spf1 -all', 'v=DMARC1; p=reject', {
      '*._domainkey': { TXT: ['v=DKIM1; p='] },
      's1._domainkey': { TXT: [[`p=${rsaKey2048.slice(0, 250)}`, rsaKey2048.slice(250)]] },
    })
    expect(revoked.dkim).toMatchObject({
      wildcard: true,
      status: 'found',
      found: [
        { selector: '*', revoked: true },
        { selector: 's1', revoked: false },
      ],
    })
    const { answer: none } = await with_('v=spf1 -all', 'v=DMARC1; p=reject', {
      '*._domainkey': { TXT: ['v=DKIM1; p='] },
    })
    expect(none.dkim).toMatchObject({
      status: 'only_revoked',
      note: expect.stringContaining('none of its mail is signed'),
    })
  })

  test('evaluates SPF for a client', async () => {
    const { domain } = await with_(
      'v=spf1 ip4:192.0.2.7 exists:%{l}.ok.test -all exp=why.test',
      'v=DMARC1; p=reject',
    )
    put({ 'why.test': { TXT: ['%{i} may not send for %{s}\u202e'] }, 'ada.ok.test': { A: ['127.0.0.2'] } })
    const check = async (more: object) => ((await ask(domain, more)).spf as { check: object }).check
    expect(await check({ ip: '192.0.2.7' })).toMatchObject({ result: 'pass', mechanism: 'ip4:192.0.2.7' })
    expect(await check({ ip: '2001:db8::1', sender: `ada@${domain}` })).toMatchObject({ result: 'pass' })
    put({ 'why.test': { TXT: ['%{i} may not send for %{s}'] } })
    expect(await check({ ip: '192.0.2.8', helo: 'mx.test' })).toMatchObject({
      result: 'fail',
      sender: `postmaster@${domain}`,
      helo: 'mx.test',
      explanation: `192.0.2.8 may not send for postmaster@${domain}`,
    })
    expect(codes((await ask(domain, { ip: '192.0.2.8', sender: 'a@elsewhere.test' })).meta.warnings)).toEqual(
      ['other_sender'],
    )
    expect(codes((await ask(domain, { sender: 'a@elsewhere.test' })).meta.warnings)).toEqual(['no_ip'])
  })

  test.each([
    [{ domain: 'localhost' }, 'domain'],
    [{ domain: '192.0.2.1' }, 'domain'],
    [{ domain: 'example.com', ip: 'example.org' }, 'ip'],
    [{ domain: 'example.com', ip: '1.2.3.4/24' }, 'ip'],
    [{ domain: 'example.com', selector: 'a b' }, 'selector'],
    [{ domain: 'example.com', selector: '*' }, 'selector'],
    [{ domain: 'example.com', sender: 'a b@c' }, 'sender'],
    [{ domain: 'example.com', helo: 'a\nb' }, 'helo'],
  ])('refuses %j', async (input, path) => {
    const error = await refused(data.ask('email-auth', input))
    expect(error.code).toBe('invalid_input')
    expect(error.toProblem().issues).toMatchObject([{ path }])
  })

  test('knows an IDN by both its names', async () => {
    put({ '_dmarc.xn--bcher-kva.de': { TXT: ['v=DMARC1; p=reject'] } })
    expect(await ask('BÜCHER.de')).toMatchObject({
      domain: 'xn--bcher-kva.de',
      unicode: 'bücher.de',
      spoofable: false,
    })
  })

  test('says what holds for a name that does not exist', async () => {
    const answer = await ask('made-up.example.com')
    expect(answer).toMatchObject({
      exists: false,
      spoofability: 'partial',
      dmarc: { inherited: true, found_at: 'example.com', applied_tag: 'np', effective_policy: 'quarantine' },
      recommendations: [],
    })
    expect(codes(answer.meta.warnings)).toEqual(['no_such_domain'])
  })
})
