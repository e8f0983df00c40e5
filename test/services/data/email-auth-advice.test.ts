import { describe, expect, test } from 'vitest'
import { parseDmarc } from '../../../mcp/lib/mail-auth/dmarc/record.ts'
import { parseSpf } from '../../../mcp/lib/mail-auth/spf/parse.ts'
import type { Entry } from '../../internet/zone.ts'
import { opened } from '../../opened.ts'
import { startData } from './run.ts'

const data = opened(startData)

type Advice = {
  code: string
  priority: string
  text: string
  record: { name: string; type: string; value: string } | null
}

let domains = 0
const advice = async ({
  spf = ['v=spf1 -all'],
  dmarc = null as string | null,
  mx = 'mx.mail.test',
  more = {} as Record<string, Entry>,
}) => {
  const domain = `a${++domains}.firm`
  const put = (name: string, entry: Entry) => data.internet.dns.zone.set(name, entry)
  put(domain, { A: ['192.0.2.1'], ...(mx !== '' && { MX: [{ preference: 1, exchange: mx }] }), TXT: spf })
  if (dmarc !== null) put(`_dmarc.${domain}`, { TXT: [dmarc] })
  for (const [name, entry] of Object.entries(more)) put(name, entry)
  const { recommendations } = (await data.ask('email-auth', { domain })) as { recommendations: Advice[] }
  const about = (code: string) => recommendations.find(entry => entry.code === code)
  const value = (code: string) => about(code)?.record?.value.replaceAll(domain, 'firm.test')
  return { domain, recommendations, about, value }
}

describe('what is advised about DMARC', () => {
  test('without a record is to begin, or with no mail to close', async () => {
    expect((await advice({})).value('publish_dmarc')).toBe(
      'v=DMARC1; p=none; rua=mailto:dmarc-reports@firm.test',
    )
    expect((await advice({ mx: '' })).value('publish_dmarc')).toBe('v=DMARC1; p=reject')
  })

  test.each([
    [
      'v=DMARC1; p=none; pct=50; rua=mailto:a@firm.test',
      'enforce_dmarc',
      'v=DMARC1; p=quarantine; rua=mailto:a@firm.test',
    ],
    [
      'v=DMARC1; p=quarantine; rua=mailto:a@firm.test',
      'reject',
      'v=DMARC1; p=reject; rua=mailto:a@firm.test',
    ],
    [
      'v=DMARC1; p=reject; t=y; rua=mailto:a@firm.test',
      'end_test_mode',
      'v=DMARC1; p=reject; rua=mailto:a@firm.test',
    ],
    [
      'v=DMARC1; p=reject; sp=none; rua=mailto:a@firm.test',
      'close_subdomains',
      'v=DMARC1; p=reject; rua=mailto:a@firm.test',
    ],
    ['v=DMARC1; p=reject', 'ask_for_reports', 'v=DMARC1; p=reject; rua=mailto:dmarc-reports@firm.test'],
    [
      'v=DMARC1; p=reject; ri=1; rua=mailto:a@firm.test',
      'remove_old_tags',
      'v=DMARC1; p=reject; rua=mailto:a@firm.test',
    ],
    [
      'v=DMARC1; p=reject; adkim=x; rua=mailto:a@firm.test',
      'repair_dmarc',
      'v=DMARC1; p=reject; rua=mailto:a@firm.test',
    ],
  ])('%s is %s', async (dmarc, code, expected) => {
    const { value } = await advice({ dmarc })
    expect(value(code)).toBe(expected)
    expect(parseDmarc(expected).errors).toEqual([])
  })

  test('at a receiver elsewhere is a record in its zone', async () => {
    const { about, domain } = await advice({ dmarc: 'v=DMARC1; p=reject; rua=mailto:a@reports.test' })
    expect(about('agree_to_reports')?.record).toEqual({
      name: `${domain}._report._dmarc.reports.test`,
      type: 'TXT',
      value: 'v=DMARC1',
    })
  })

  test('of a parent that leaves subdomains open is a record of its own', async () => {
    const zone = data.internet.dns.zone
    zone.set('_dmarc.parent.firm', { TXT: ['v=DMARC1; p=reject; sp=none; rua=mailto:a@parent.firm'] })
    zone.set('child.parent.firm', { MX: [{ preference: 1, exchange: 'mx.test' }], TXT: ['v=spf1 -all'] })
    const answer = (await data.ask('email-auth', { domain: 'child.parent.firm' })) as {
      recommendations: Advice[]
    }
    expect(answer.recommendations[0]).toMatchObject({
      code: 'own_dmarc',
      record: { name: '_dmarc.child.parent.firm', value: expect.stringContaining('p=quarantine') },
    })
  })
})

describe('what is advised about SPF', () => {
  const dmarc = 'v=DMARC1; p=reject'

  test('without a record names the mail provider, or nobody', async () => {
    expect((await advice({ spf: ['x'], dmarc, mx: 'aspmx.l.google.com' })).value('publish_spf')).toBe(
      'v=spf1 include:_spf.google.com ~all',
    )
    expect(
      (await advice({ spf: ['x'], dmarc, mx: 'firm.mail.protection.outlook.com' })).value('publish_spf'),
    ).toBe('v=spf1 include:spf.protection.outlook.com ~all')
    expect((await advice({ spf: ['x'], dmarc })).value('publish_spf')).toBe('v=spf1 mx ~all')
    expect((await advice({ spf: ['x'], dmarc, mx: '' })).value('publish_spf')).toBe('v=spf1 -all')
  })

  test.each<[string[], string, string | undefined]>([
    [
      ['v=spf1 ip4:192.0.2.1 -all', 'v=spf1 a ip4:192.0.2.1 ~all'],
      'one_spf_record',
      'v=spf1 ip4:192.0.2.1 a ~all',
    ],
    [['v=spf1 moo -all', 'v=spf1 a ~all'], 'one_spf_record', undefined],
    [['v=spf1 a +all'], 'close_spf', 'v=spf1 a ~all'],
    [['v=spf1 a ip4:0.0.0.0/0 -all'], 'close_spf', 'v=spf1 a -all'],
    [['v=spf1 a ?all'], 'end_spf', 'v=spf1 a ~all'],
    [['v=spf1 a'], 'end_spf', 'v=spf1 a ~all'],
    [['v=spf1 a ptr -all'], 'remove_ptr', 'v=spf1 a -all'],
    [['v=spf1 ip4:1.2.3 -all'], 'repair_spf', undefined],
  ])('%j is %s', async (spf, code, expected) => {
    const { about, value } = await advice({ spf, dmarc })
    expect(about(code)).toBeDefined()
    expect(value(code)).toBe(expected)
    if (expected) expect(parseSpf(expected).problems).toEqual([])
  })

  test('with too many lookups names the includes that cost most', async () => {
    const terms = (count: number) => Array.from({ length: count }, () => 'a:web.test').join(' ')
    const more = {
      'web.test': { A: ['192.0.2.1'] },
      'dear.test': { TXT: [`v=spf1 ${terms(9)} ~all`] },
      'cheap.test': { TXT: ['v=spf1 a:web.test ~all'] },
    }
    const { about } = await advice({ spf: ['v=spf1 include:cheap.test include:dear.test -all'], dmarc, more })
    expect(about('fewer_lookups')?.text).toContain('Most are in dear.test (10), cheap.test (2).')
  })
})

test('a domain without mail is advised to say so', async () => {
  const { about, domain } = await advice({ spf: ['v=spf1 -all'], dmarc: 'v=DMARC1; p=reject', mx: '' })
  expect(about('publish_null_mx')?.record).toEqual({ name: domain, type: 'MX', value: '0 .' })
  expect(about('check_dkim')).toBeUndefined()
  expect(about('publish_mta_sts')).toBeUndefined()
})

test('the most urgent comes first', async () => {
  const { recommendations } = await advice({ spf: ['v=spf1 ptr ?all'], dmarc: 'v=DMARC1; p=none; pct=1' })
  const order = recommendations.map(({ priority }) => ['high', 'medium', 'low'].indexOf(priority))
  expect(order).toEqual([...order].sort((a, b) => a - b))
  expect(order[0]).toBe(0)
})
