import { describe, expect, test } from 'vitest'
import { checkDmarc } from '../../../mcp/services/data/dmarc/check.ts'
import { findOrganization, walkNames, walkTree } from '../../../mcp/services/data/dmarc/tree-walk.ts'
import { openZone } from '../../internet/dns-zone.ts'

const { dns, signal, put } = openZone()
const publish = (records: Record<string, string | string[]>) => {
  for (const [domain, texts] of Object.entries(records))
    put({ [`_dmarc.${domain}`]: { TXT: [texts].flat() } })
}
const check = async (domain: string) => {
  const found = await checkDmarc(dns, domain, signal)
  if (typeof found === 'string') throw new Error(found)
  return found
}
const organization = async (domain: string) => findOrganization(await walkTree(dns, domain, signal))
const codes = (notes: readonly { code: string }[]) => notes.map(({ code }) => code)

describe('the DNS tree walk (RFC 9989 section 4.10)', () => {
  test('asks for at most eight names', () => {
    expect(walkNames('a.b.c.d.e.f.g.h.i.j.mail.example.com')).toEqual([
      'a.b.c.d.e.f.g.h.i.j.mail.example.com',
      'g.h.i.j.mail.example.com',
      'h.i.j.mail.example.com',
      'i.j.mail.example.com',
      'j.mail.example.com',
      'mail.example.com',
      'example.com',
      'com',
    ])
    expect(walkNames('a.b.c.d.e.f.g.h')).toHaveLength(8)
    expect(walkNames('example.com')).toEqual(['example.com', 'com'])
  })

  test('takes the shortest name with a record for the organization', async () => {
    publish({ 'mail.walk.test': 'v=DMARC1; p=none', 'walk.test': 'v=DMARC1; p=reject' })
    expect(await organization('a.mail.walk.test')).toBe('walk.test')
  })

  test('stops at psd=n', async () => {
    publish({ 'mail.stop.test': 'v=DMARC1; p=none; psd=n', 'stop.test': 'v=DMARC1; p=reject' })
    expect(await organization('a.mail.stop.test')).toBe('mail.stop.test')
    expect(await organization('b.stop.test')).toBe('stop.test')
  })

  test('takes the name one label below psd=y', async () => {
    publish({ 'suffix-a': 'v=DMARC1; p=reject; psd=y' })
    expect(await organization('a.mail.firm.suffix-a')).toBe('firm.suffix-a')
    expect(await organization('firm.suffix-a')).toBe('firm.suffix-a')
    publish({ 'co.suffix-c': 'v=DMARC1; p=reject; psd=y' })
    expect(await organization('co.suffix-c')).toBe('co.suffix-c')
  })

  test('takes the name itself where nothing is published', async () => {
    expect(await organization('deep.in.nowhere.test')).toBe('deep.in.nowhere.test')
  })

  test('does not know it when the DNS fails on the way', async () => {
    put({ '_dmarc.broken.test': 'SERVFAIL' })
    expect(await organization('a.broken.test')).toBe(null)
  })
})

describe('the policy of a domain', () => {
  test('is its own record', async () => {
    publish({ 'sub.own.test': 'v=DMARC1; p=none', 'own.test': 'v=DMARC1; p=reject' })
    expect(await check('sub.own.test')).toMatchObject({
      found_at: 'sub.own.test',
      inherited: false,
      organizational_domain: 'own.test',
      applied_tag: 'p',
      effective_policy: 'none',
    })
  })

  test('is the sp of its organization when it exists, the np when it does not', async () => {
    publish({ 'org.test': 'v=DMARC1; p=none; sp=quarantine; np=reject' })
    put({ 'real.org.test': { A: ['192.0.2.1'] } })
    expect(await check('real.org.test')).toMatchObject({
      found_at: 'org.test',
      inherited: true,
      applied_tag: 'sp',
      effective_policy: 'quarantine',
    })
    expect(await check('made-up.org.test')).toMatchObject({ applied_tag: 'np', effective_policy: 'reject' })
  })

  test('is that of the public suffix when its organization has none', async () => {
    publish({ 'suffix-b': 'v=DMARC1; p=none; np=reject; psd=y' })
    put({ 'firm.suffix-b': { A: ['192.0.2.1'] } })
    expect(await check('firm.suffix-b')).toMatchObject({
      found_at: 'suffix-b',
      organizational_domain: 'firm.suffix-b',
      applied_tag: 'sp',
      effective_policy: 'none',
    })
    expect(await check('other.suffix-b')).toMatchObject({ applied_tag: 'np', effective_policy: 'reject' })
  })

  test('is the record of the organization, not one between', async () => {
    publish({ 'mid.between.test': 'v=DMARC1; p=reject', 'between.test': 'v=DMARC1; p=quarantine' })
    put({ 'a.mid.between.test': { A: ['192.0.2.1'] } })
    expect(await check('a.mid.between.test')).toMatchObject({
      found_at: 'between.test',
      effective_policy: 'quarantine',
    })
  })

  test('is none of several records, but that of a parent', async () => {
    publish({ 'twice.test': ['v=DMARC1; p=reject', 'v=DMARC1; p=none'] })
    const twice = await check('twice.test')
    expect(twice).toMatchObject({ record: null, policy: null, valid: false })
    expect(codes(twice.errors)).toEqual(['several_records'])
    publish({ 'parent.test': 'v=DMARC1; p=reject', 'twice.parent.test': ['v=DMARC1; p=none', 'v=DMARC1'] })
    put({ 'twice.parent.test': { A: ['192.0.2.1'] } })
    expect(await check('twice.parent.test')).toMatchObject({
      found_at: 'parent.test',
      effective_policy: 'reject',
    })
  })

  test.each([
    ['v=DMARC1; p=reject; t=y', 'quarantine'],
    ['v=DMARC1; p=quarantine; t=y', 'none'],
    ['v=DMARC1; p=none; t=y', 'none'],
    ['v=DMARC1; p=reject; t=n', 'reject'],
    ['v=DMARC1', 'none'],
    ['v=DMARC1; p=wrong', null],
  ])('%s comes to %s', async (record, policy) => {
    publish({ 'mode.test': record })
    expect((await check('mode.test')).effective_policy).toBe(policy)
  })

  test('is found behind an alias', async () => {
    put({
      '_dmarc.alias.test': { CNAME: ['dmarc.host.test'] },
      'dmarc.host.test': { TXT: ['v=DMARC1; p=reject'] },
    })
    expect(await check('alias.test')).toMatchObject({ found_at: 'alias.test', effective_policy: 'reject' })
  })

  test('is absent without a record, and says what stands there instead', async () => {
    put({ '_dmarc.odd.test': { TXT: ['v=spf1 -all', ' v=DMARC1; p=reject'] } })
    const odd = await check('odd.test')
    expect(odd).toMatchObject({
      record: null,
      found_at: null,
      policy: null,
      effective_policy: null,
      valid: false,
    })
    expect(codes(odd.warnings)).toEqual(['not_read_as_dmarc', 'other_records'])
  })

  test('is unknown when the DNS fails, also about a parent that matters', async () => {
    put({ '_dmarc.failing.test': 'SERVFAIL', '_dmarc.silent.test': 'SILENT' })
    expect(await checkDmarc(dns, 'failing.test', signal)).toBe('SERVFAIL')
    expect(await checkDmarc(dns, 'www.failing.test', signal)).toBe('SERVFAIL')
    expect(await checkDmarc(dns, 'silent.test', signal)).toBe('TIMEOUT')
  })

  test('is known when only a parent fails that does not matter', async () => {
    publish({ 'sub.failing.test': 'v=DMARC1; p=reject' })
    put({ '_dmarc.failing.test': 'SERVFAIL' })
    expect(await check('sub.failing.test')).toMatchObject({
      effective_policy: 'reject',
      organizational_domain: null,
    })
  })
})

describe('reports', () => {
  const rua = async (addresses: string) => {
    publish({ 'firm.test': `v=DMARC1; p=reject; rua=${addresses}` })
    return check('firm.test')
  }

  test('may go to any name of the same organization', async () => {
    expect((await rua('mailto:a@firm.test,mailto:b@mail.firm.test')).rua).toMatchObject([
      { address: 'a@firm.test', external: false, authorized: null },
      { address: 'b@mail.firm.test', external: false, authorized: null },
    ])
  })

  test('need the agreement of another organization', async () => {
    put({
      'firm.test._report._dmarc.agreed.test': { TXT: ['v=DMARC1'] },
    })
    put({
      'firm.test._report._dmarc.junk.test': { TXT: ['yes'] },
      'firm.test._report._dmarc.down.test': 'SERVFAIL',
    })
    const to = async (domain: string) => {
      const { rua: found, warnings } = await rua(`mailto:r@${domain}`)
      return [found[0]?.external, found[0]?.authorized, codes(warnings).includes('report_not_agreed')]
    }
    expect(await to('agreed.test')).toEqual([true, true, false])
    expect(await to('refused.test')).toEqual([true, false, true])
    expect(await to('junk.test')).toEqual([true, false, true])
    expect(await to('down.test')).toEqual([true, null, false])
  })

  test('to a subdomain that is an organization of its own are external', async () => {
    publish({ 'apart.firm.test': 'v=DMARC1; p=none; psd=n' })
    expect((await rua('mailto:r@x.apart.firm.test')).rua).toMatchObject([
      { external: true, authorized: false },
    ])
  })

  test('are lost at a domain that takes no mail', async () => {
    put({
      'nomail.firm.test': { MX: [{ preference: 0, exchange: '.' }] },
      'noserver.firm.test': { A: ['192.0.2.1'] },
    })
    expect((await rua('mailto:r@nomail.firm.test')).rua[0]?.takes_mail).toBe(false)
    expect((await rua('mailto:r@missing.firm.test')).rua[0]?.takes_mail).toBe(false)
    expect((await rua('mailto:r@noserver.firm.test')).rua[0]?.takes_mail).toBe(true)
  })

  test('to many addresses are looked at up to five', async () => {
    const many = Array.from({ length: 30 }, (_, i) => `mailto:r@d${i}.test`).join(',')
    put({ '_dmarc.firm.test': { TXT: [`v=DMARC1; p=reject; rua=${many}`.match(/.{1,255}/g)] } })
    expect((await check('firm.test')).rua).toHaveLength(5)
  })
})

test.each([
  ['v=DMARC1; p=none; rua=mailto:a@warn.test', ['monitoring']],
  ['v=DMARC1; p=reject', ['no_reports']],
  ['v=DMARC1; p=reject; sp=none; rua=mailto:a@warn.test', ['sp_none']],
  ['v=DMARC1; p=reject; np=none; rua=mailto:a@warn.test', ['np_none']],
  ['v=DMARC1; p=reject; t=y; rua=mailto:a@warn.test', ['test_mode']],
  ['v=DMARC1; p=reject; pct=20; rua=mailto:a@warn.test', ['removed_tag']],
  ['v=DMARC1; p=reject; rua=mailto:a@warn.test', []],
])('%s has the warnings %j', async (record, expected) => {
  put({ 'warn.test': { A: ['192.0.2.1'] } })
  publish({ 'warn.test': record })
  expect(codes((await check('warn.test')).warnings)).toEqual(expected)
})
