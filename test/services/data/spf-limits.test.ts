import { setMaxListeners } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Dns } from '../../../mcp/ports/dns/port.ts'
import { checkHost } from '../../../mcp/services/data/spf/check-host.ts'
import { type Internet, startInternet } from '../../internet/internet.ts'
import type { Entry } from '../../internet/zone.ts'

let internet: Internet
let dns: Dns
beforeAll(async () => {
  internet = await startInternet()
  dns = internet.ports().dns
})
afterAll(() => internet.stop())

const { signal } = new AbortController()
setMaxListeners(0, signal)
const put = (zone: Record<string, Entry>) => {
  for (const [name, entry] of Object.entries(zone)) internet.dns.zone.set(name, entry)
}
/** A record over 255 characters is several strings. */
const spf = (record: string) => ({ TXT: [record.match(/.{1,255}/gs)] })

/** The result for a client of a domain with this record, next to what the domain has already. */
const check = (
  ip: string,
  record: string,
  more: { domain?: string; sender?: string; helo?: string } = {},
) => {
  const { domain = 'checked.test', ...rest } = more
  const entry = internet.dns.zone.get(domain)
  internet.dns.zone.set(domain, { ...(typeof entry === 'object' ? entry : {}), ...spf(record) })
  return checkHost(dns, { ip, domain, signal, ...rest })
}
const resultOf = async (ip: string, record: string, more = {}) => (await check(ip, record, more)).result

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
    put({ 'nine.test': spf(`v=spf1 ${terms(9)} ?all`), 'ten.test': spf(`v=spf1 ${terms(10)} ?all`) })
    expect(await resultOf('192.0.2.1', 'v=spf1 include:nine.test -all')).toBe('fail')
    expect(await resultOf('192.0.2.1', 'v=spf1 include:ten.test -all')).toBe('permerror')
    expect(await resultOf('192.0.2.1', 'v=spf1 redirect=ten.test')).toBe('permerror')
  })

  test('includes in a circle end in an error', async () => {
    put({ 'ping.test': spf('v=spf1 include:pong.test'), 'pong.test': spf('v=spf1 include:ping.test') })
    expect(await resultOf('192.0.2.1', 'v=spf1 include:ping.test -all')).toBe('permerror')
    expect(await resultOf('192.0.2.1', 'v=spf1 redirect=checked.test')).toBe('permerror')
  })

  test('two lookups may find nothing, a third is an error', async () => {
    expect(await resultOf('192.0.2.1', 'v=spf1 a:x1.test exists:x2.test -all')).toBe('fail')
    expect(await check('192.0.2.1', 'v=spf1 a:x1.test mx:x2.test exists:x3.test -all')).toMatchObject({
      result: 'permerror',
      voidLookups: 3,
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
      'inner.test': spf('v=spf1 -all exp=inner-why.test'),
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
