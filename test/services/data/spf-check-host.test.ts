import { beforeAll, describe, expect, test } from 'vitest'
import { checkHost } from '../../../mcp/services/data/spf/check-host.ts'
import { openZone, txt } from '../../internet/dns-zone.ts'

const { internet, dns, signal, put } = openZone()

/** The result for a client of a domain with this record, next to what the domain has already. */
const check = (
  ip: string,
  record: string,
  { domain = 'checked.test', ...rest }: { domain?: string; sender?: string; helo?: string } = {},
) => {
  const entry = internet.dns.zone.get(domain)
  internet.dns.zone.set(domain, { ...(typeof entry === 'object' ? entry : {}), ...txt(record) })
  return checkHost(dns, { ip, domain, signal, ...rest })
}
const resultOf = async (ip: string, record: string, more = {}) => (await check(ip, record, more)).result

describe('the examples of RFC 7208 appendix A', () => {
  const mail = (host: string, preference: number) => ({ preference, exchange: host })
  beforeAll(() =>
    put({
      'home.test': {
        A: ['192.0.2.10', '192.0.2.11'],
        MX: [mail('mail-a.home.test', 10), mail('mail-b.home.test', 20)],
      },
      'amy.home.test': { A: ['192.0.2.65'] },
      'bob.home.test': { A: ['192.0.2.66'] },
      'mail-a.home.test': { A: ['192.0.2.129'] },
      'mail-b.home.test': { A: ['192.0.2.130'] },
      'work.test': { MX: [mail('mail-c.work.test', 10)] },
      'mail-c.work.test': { A: ['192.0.2.140'] },
      '65.2.0.192.in-addr.arpa': { PTR: ['amy.home.test'] },
      '140.2.0.192.in-addr.arpa': { PTR: ['mail-c.work.test'] },
      '4.0.0.10.in-addr.arpa': { PTR: ['bob.home.test'] },
    }),
  )

  test.each<[string, string[], string[]]>([
    ['v=spf1 +all', ['192.0.2.129', '203.0.113.9', '2001:db8::1'], []],
    ['v=spf1 a -all', ['192.0.2.10', '192.0.2.11'], ['192.0.2.12', '192.0.2.129']],
    ['v=spf1 a:work.test -all', [], ['192.0.2.10', '192.0.2.140']],
    ['v=spf1 mx -all', ['192.0.2.129', '192.0.2.130'], ['192.0.2.10', '192.0.2.140']],
    ['v=spf1 mx:work.test -all', ['192.0.2.140'], ['192.0.2.129']],
    ['v=spf1 mx mx:work.test -all', ['192.0.2.129', '192.0.2.130', '192.0.2.140'], ['192.0.2.65']],
    ['v=spf1 mx/30 mx:work.test/30 -all', ['192.0.2.131', '192.0.2.143'], ['192.0.2.132', '192.0.2.144']],
    ['v=spf1 ptr -all', ['192.0.2.65'], ['192.0.2.140', '10.0.0.4']],
    ['v=spf1 ip4:192.0.2.128/28 -all', ['192.0.2.129', '192.0.2.143'], ['192.0.2.65']],
  ])('%s lets %j pass and %j fail', async (record, passing, failing) => {
    for (const ip of passing)
      expect([ip, await resultOf(ip, record, { domain: 'home.test' })]).toEqual([ip, 'pass'])
    for (const ip of failing)
      expect([ip, await resultOf(ip, record, { domain: 'home.test' })]).toEqual([ip, 'fail'])
  })

  test('several requirements: a negative include of what is not wanted (appendix A.4)', async () => {
    put({
      'ip4._spf.both.test': txt('v=spf1 -ip4:192.0.2.0/24 +all'),
      'ptr._spf.both.test': txt('v=spf1 -ptr:home.test +all'),
    })
    const record = 'v=spf1 -include:ip4._spf.%{d} -include:ptr._spf.%{d} +all'
    expect(await resultOf('192.0.2.65', record, { domain: 'both.test' })).toBe('pass')
    expect(await resultOf('192.0.2.66', record, { domain: 'both.test' })).toBe('fail')
    expect(await resultOf('10.0.0.4', record, { domain: 'both.test' })).toBe('fail')
  })
})

describe('which record holds', () => {
  test.each<[string, string[], string]>([
    ['no TXT record is SPF', ['hello', 'v=spf10', 'v=spf1x', ' v=spf1 +all', 'spf2.0/pra +all'], 'none'],
    ['the version counts in any case', ['V=SPF1 +ALL'], 'pass'],
    ['a bare version is neutral', ['v=spf1'], 'neutral'],
    ['others beside it do not matter', ['v=spf1 -all', 'verification=1'], 'fail'],
    ['two records are an error', ['v=spf1 +all', 'v=spf1 +all'], 'permerror'],
  ])('%s', async (_, records, result) => {
    put({ 'which.test': { TXT: records } })
    expect((await checkHost(dns, { ip: '192.0.2.1', domain: 'which.test', signal })).result).toBe(result)
  })

  test('strings of one record are joined without a space', async () => {
    put({ 'split.test': { TXT: [['v=spf1 ip4:192.', '0.2.1 -all']] } })
    expect((await checkHost(dns, { ip: '192.0.2.1', domain: 'split.test', signal })).result).toBe('pass')
  })

  test('a record is found behind an alias', async () => {
    put({ 'alias.test': { CNAME: ['real.test'] }, 'real.test': txt('v=spf1 ip4:192.0.2.1 -all') })
    expect(await checkHost(dns, { ip: '192.0.2.1', domain: 'alias.test', signal })).toMatchObject({
      result: 'pass',
    })
  })

  test.each(['nolabels', 'a..test', `${'a'.repeat(64)}.test`, 'missing.nowhere.test', ''])(
    '%j has no result',
    async domain => {
      expect((await checkHost(dns, { ip: '192.0.2.1', domain, signal })).result).toBe('none')
    },
  )

  test.each(['servfail.example.org', 'refused.example.org', 'silent.example.org'])(
    'the result for %s, about which the DNS fails, may pass later',
    async domain => {
      const outcome = await checkHost(dns, { ip: '192.0.2.1', domain, signal })
      expect(outcome).toMatchObject({ result: 'temperror', mechanism: null })
      expect(outcome.problem).toContain(domain)
    },
  )
})

describe('mechanisms', () => {
  test.each<[string, string, string]>([
    ['192.0.2.1', 'v=spf1 ?all', 'neutral'],
    ['192.0.2.1', 'v=spf1 ~all', 'softfail'],
    ['192.0.2.1', 'v=spf1 ip4:192.0.2.0/31 -all', 'pass'],
    ['192.0.2.2', 'v=spf1 ip4:192.0.2.0/31 -all', 'fail'],
    ['203.0.113.1', 'v=spf1 ip4:0.0.0.0/0 -all', 'pass'],
    ['2001:db8::1', 'v=spf1 ip4:0.0.0.0/0 -all', 'fail'],
    ['2001:db8:0:1::5', 'v=spf1 ip6:2001:db8::/47 -all', 'pass'],
    ['2001:db8:2::5', 'v=spf1 ip6:2001:db8::/47 -all', 'fail'],
    ['::ffff:192.0.2.1', 'v=spf1 ip4:192.0.2.1 -all', 'pass'],
    ['192.0.2.1', 'v=spf1 ip6:::ffff:192.0.2.1 -all', 'fail'],
    ['2001:db8::c000:201', 'v=spf1 ip6:2001:db8::192.0.2.1 -all', 'pass'],
    ['2001:db8:9::8', 'v=spf1 a:six.test/24//48 -all', 'pass'],
    ['2001:db8:8::8', 'v=spf1 a:six.test/24//48 -all', 'fail'],
    ['198.51.100.77', 'v=spf1 a:six.test/24//48 -all', 'pass'],
    ['192.0.2.1', 'v=spf1 exists:there.test -all', 'pass'],
    ['192.0.2.1', 'v=spf1 exists:missing.test -all', 'fail'],
    ['192.0.2.1', 'v=spf1 include:soft.test ?all', 'neutral'],
    ['192.0.2.1', 'v=spf1 redirect=soft.test', 'softfail'],
    ['192.0.2.1', 'v=spf1 redirect=soft.test -all', 'fail'],
    ['192.0.2.1', 'v=spf1 include:none.test +all', 'permerror'],
    ['192.0.2.1', 'v=spf1 redirect=none.test', 'permerror'],
    ['192.0.2.1', 'v=spf1 include:servfail.example.org +all', 'temperror'],
    ['192.0.2.1', 'v=spf1 a:servfail.example.org +all', 'temperror'],
    ['192.0.2.1', 'v=spf1 +all a:servfail.example.org', 'pass'],
    ['192.0.2.1', 'v=spf1 mx:nullmx.test ?all', 'neutral'],
  ])('%s against "%s" is %s', async (ip, record, result) => {
    put({
      'six.test': { A: ['198.51.100.5'], AAAA: ['2001:db8:9::1'] },
      'there.test': { A: ['127.0.0.2'] },
      'soft.test': txt('v=spf1 ~all'),
      'none.test': { TXT: ['nothing'] },
      'nullmx.test': { MX: [{ preference: 0, exchange: '.' }] },
    })
    expect(await resultOf(ip, record)).toBe(result)
  })

  test('the term that decided is named, and whose record it stands in', async () => {
    put({ 'target.test': txt('v=spf1 a:nobody.test -ip4:192.0.2.0/24 ?all') })
    expect(await check('192.0.2.1', 'v=spf1 redirect=target.test')).toMatchObject({
      result: 'fail',
      mechanism: '-ip4:192.0.2.0/24',
      domain: 'target.test',
      lookups: 2,
      void_lookups: 1,
    })
  })

  test('a ptr record that fails to resolve does not match, and is no error', async () => {
    put({
      '9.2.0.192.in-addr.arpa': { PTR: ['servfail.example.org', 'good.checked.test'] },
      'good.checked.test': { A: ['192.0.2.9'] },
    })
    expect(await resultOf('192.0.2.9', 'v=spf1 ptr -all')).toBe('pass')
    expect(await resultOf('192.0.2.200', 'v=spf1 ptr -all')).toBe('fail')
  })

  test('only the first ten names of a client are looked at', async () => {
    const names = Array.from({ length: 11 }, (_, i) => `n${i}.checked.test`)
    put({ '8.2.0.192.in-addr.arpa': { PTR: names }, 'n10.checked.test': { A: ['192.0.2.8'] } })
    expect(await resultOf('192.0.2.8', 'v=spf1 ptr -all')).toBe('fail')
    put({ 'n9.checked.test': { A: ['192.0.2.8'] } })
    expect(await resultOf('192.0.2.8', 'v=spf1 ptr -all')).toBe('pass')
  })
})

test('refuses what is no address', async () => {
  for (const ip of ['', '1.2.3', '1.2.3.04', 'fe80::1%eth0', 'example.com'])
    await expect(checkHost(dns, { ip, domain: 'example.com', signal })).rejects.toThrow(RangeError)
})

test('ends when its signal does', async () => {
  const stopped = AbortSignal.abort()
  await expect(checkHost(dns, { ip: '192.0.2.1', domain: 'example.com', signal: stopped })).rejects.toThrow()
})

describe('limits', () => {
  const terms = (count: number) => Array.from({ length: count }, () => 'a:there.test').join(' ')

  test('ten terms may ask the DNS, an eleventh is an error', async () => {
    put({ 'there.test': { A: ['127.0.0.2'] } })
    expect(await resultOf('192.0.2.1', `v=spf1 ${terms(10)} -all`)).toBe('fail')
    expect(await check('192.0.2.1', `v=spf1 ${terms(11)} -all`)).toMatchObject({
      result: 'permerror',
      lookups: 11,
    })
    expect(await resultOf('192.0.2.1', `v=spf1 ip4:192.0.2.1 ${terms(20)} -all`)).toBe('pass')
  })

  test('includes and redirects count with all that they lead to', async () => {
    put({ 'nine.test': txt(`v=spf1 ${terms(9)} ?all`), 'ten.test': txt(`v=spf1 ${terms(10)} ?all`) })
    expect(await resultOf('192.0.2.1', 'v=spf1 include:nine.test -all')).toBe('fail')
    expect(await resultOf('192.0.2.1', 'v=spf1 include:ten.test -all')).toBe('permerror')
    expect(await resultOf('192.0.2.1', 'v=spf1 redirect=ten.test')).toBe('permerror')
  })

  test('includes in a circle end in an error', async () => {
    put({ 'ping.test': txt('v=spf1 include:pong.test'), 'pong.test': txt('v=spf1 include:ping.test') })
    expect(await resultOf('192.0.2.1', 'v=spf1 include:ping.test -all')).toBe('permerror')
    expect(await resultOf('192.0.2.1', 'v=spf1 redirect=checked.test')).toBe('permerror')
  })

  test('two lookups may find nothing, a third is an error', async () => {
    expect(await resultOf('192.0.2.1', 'v=spf1 a:x1.test exists:x2.test -all')).toBe('fail')
    expect(await check('192.0.2.1', 'v=spf1 a:x1.test mx:x2.test exists:x3.test -all')).toMatchObject({
      result: 'permerror',
      void_lookups: 3,
    })
  })

  test('ten mail servers of a domain are looked at, eleven are an error', async () => {
    const hosts = Array.from({ length: 11 }, (_, i) => ({ preference: i, exchange: `m${i}.servers.test` }))
    put({
      'eleven.test': { MX: hosts },
      'ten.test': { MX: hosts.slice(0, 10) },
      '*.servers.test': { A: ['192.0.2.77'] },
    })
    expect(await resultOf('192.0.2.1', 'v=spf1 mx:ten.test -all')).toBe('fail')
    expect(await resultOf('192.0.2.77', 'v=spf1 mx:ten.test -all')).toBe('pass')
    expect(await resultOf('192.0.2.77', 'v=spf1 mx:eleven.test -all')).toBe('permerror')
  })

  test('a record that leads to names nobody can ask for matches nothing', async () => {
    const long = `${'a'.repeat(64)}.test`
    expect(await resultOf('192.0.2.1', `v=spf1 a:${long} ?all`)).toBe('neutral')
    expect(await resultOf('192.0.2.1', 'v=spf1 a:%_.x.test ?all')).toBe('neutral')
    expect(await resultOf('192.0.2.1', 'v=spf1 include:%_.x.test ?all')).toBe('permerror')
  })
})

describe('explanations', () => {
  const fail = (exp: string, texts: string[], more = {}) => {
    put({ 'why.test': { TXT: texts } })
    return check('192.0.2.3', `v=spf1 -all exp=${exp}`, { domain: 'exp.test', ...more })
  }

  test('of a fail are expanded', async () => {
    const text = 'See http://%{d}/why.html?s=%{S}&i=%{I} for %{i} at %{r}'
    const outcome = await fail('why.test', [text], { sender: 'ada+x@exp.test' })
    expect(outcome.explanation).toBe(
      'See http://exp.test/why.html?s=ada%2Bx%40exp.test&i=192.0.2.3 for 192.0.2.3 at unknown',
    )
  })

  test.each<[string, string[]]>([
    ['several texts', ['one', 'two']],
    ['no text', []],
    ['a macro that is none', ['%{x}']],
    ['a letter outside of ASCII', ['caf\u00e9']],
  ])('with %s are left out', async (_, texts) => {
    expect(await fail('why.test', texts)).toMatchObject({ result: 'fail', explanation: null })
  })

  test('are left out when the DNS fails', async () => {
    expect(await fail('servfail.example.org', [])).toMatchObject({ result: 'fail', explanation: null })
  })

  test('of an included record do not count, those of a redirected one do', async () => {
    put({
      'inner.test': txt('v=spf1 -all exp=inner-why.test'),
      'inner-why.test': { TXT: ['inner: %{d}'] },
      'outer-why.test': { TXT: ['outer: %{d}'] },
    })
    expect(await check('192.0.2.1', 'v=spf1 include:inner.test -all exp=outer-why.test')).toMatchObject({
      explanation: 'outer: checked.test',
    })
    expect(await check('192.0.2.1', 'v=spf1 redirect=inner.test exp=outer-why.test')).toMatchObject({
      explanation: 'inner: inner.test',
    })
  })
})

test('a client without a local part is the postmaster', async () => {
  put({ 'who.test': { TXT: ['%{s} %{l} %{o} %{h}'] } })
  const explain = async (more: object) =>
    (await check('192.0.2.1', 'v=spf1 -all exp=who.test', more)).explanation
  expect(await explain({ sender: '@from.test' })).toBe(
    'postmaster@from.test postmaster from.test checked.test',
  )
  expect(await explain({ sender: 'from.test' })).toBe(
    'postmaster@from.test postmaster from.test checked.test',
  )
  expect(await explain({ helo: 'mx.test' })).toBe('postmaster@checked.test postmaster checked.test mx.test')
})
