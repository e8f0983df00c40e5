import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseClientIp } from '../../../mcp/lib/mail-auth/spf/ip.ts'
import { readMacroString } from '../../../mcp/lib/mail-auth/spf/macro-string.ts'
import { isSpf, parseSpf } from '../../../mcp/lib/mail-auth/spf/parse.ts'
import type { Dns, DnsAnswer } from '../../../mcp/ports/dns/port.ts'
import { expand, expandName } from '../../../mcp/services/data/spf/expand.ts'
import type { SpfRun } from '../../../mcp/services/data/spf/run.ts'
import { runs } from '../../stress.ts'

const problems = (terms: string) => parseSpf(`v=spf1 ${terms}`).problems

describe('the syntax of RFC 7208 section 12', () => {
  test.each([
    '',
    '   ',
    'all',
    '+ALL',
    '-aLl',
    'a',
    'a/24',
    'a//64',
    'a/24//64',
    'a/0//0',
    'a:example.com',
    'a:example.com.',
    'a:example.com/24//128',
    'A:EXAMPLE.COM/24',
    'a:%{d}',
    'a:%{d}/24',
    'a:x.%{d2}',
    'a:%{i}.example.com',
    'a:under_score.ex-ample.com',
    'a:x.a1',
    'a:x.1a',
    'a:x.1-1',
    'mx',
    'mx/32',
    'mx:%{o}//0',
    'ptr',
    'ptr:example.com',
    'ip4:192.0.2.1',
    'ip4:192.0.2.0/24',
    'ip4:0.0.0.0/0',
    'IP4:192.0.2.1',
    'ip6:::1',
    'ip6:2001:db8::/32',
    'ip6:::ffff:192.0.2.1/96',
    'ip6:::/0',
    'include:example.com',
    'exists:%{ir}.%{v}._spf.%{d}',
    'exists:%{l1r+-}._spf.%{d}',
    'exists:%{S}.%%.%_.%-.example.com',
    'redirect=example.com',
    'redirect=%{d}',
    'exp=why.example.com',
    'REDIRECT=example.com',
    'unknown=anything%{d}',
    'x-y_z.1=',
    'all redirect=example.com exp=why.example.com',
  ])('allows "%s"', terms => {
    expect(problems(terms)).toEqual([])
  })

  test.each([
    'all/32',
    'all:example.com',
    'all.',
    '--all',
    '-',
    'a:',
    'a:/24',
    'a/',
    'a/33',
    'a/024',
    'a//129',
    'a///64',
    'a:example.com:80',
    'a:museum',
    'a:example.com..',
    'a:111.222.33.44',
    'a:-x.-com',
    'a:example.-com',
    'a:example.com-',
    'a:exa\u00e9mple.com',
    'a:example.com\t-all',
    'mx:example.com/33',
    'ptr:',
    'ptr/24',
    'ip4',
    'ip4:',
    'ip4:192.0.2',
    'ip4:192.0.2.1/33',
    'ip4:192.0.2.1/',
    'ip4:192.0.2.01',
    'ip4:192.0.2.1:80',
    'ip4:2001:db8::1',
    'ip4:example.com',
    'ip6:192.0.2.1',
    'ip6:2001:db8::/129',
    'ip6:2001:db8::1%eth0',
    'ip6::1',
    'include',
    'include:',
    'include:example.com/24',
    'include: example.com',
    'exists',
    'exists:',
    'moo',
    'moo:example.com',
    'redirect=',
    'redirect=museum',
    'exp=',
    'redirect=example.com/24',
    '-redirect=example.com',
    'redirect=a.test redirect=b.test',
    'exp=a.test exp=b.test',
    'a:%{d',
    'a:%{}',
    'a:%{x}',
    'a:%{d0}',
    'a:%{?}',
    'a:%d.example.com',
    'a:x.example.com%',
    'a:%{c}.example.com',
    'exists:%{t}.example.com',
    'exp=%{r}.example.com',
    'unknown=%{x}',
    '=x',
    '1x=y',
    'ip4:192.0.2.1~all',
  ])('refuses "%s"', terms => {
    expect(problems(terms)).not.toEqual([])
  })

  test('tells when two terms run into each other', () => {
    const [problem] = problems('include:a.example.comip4:192.0.2.1 -all')
    expect(problem?.message).toContain('A space seems to be missing')
  })

  test('finds every problem, not only the first', () => {
    expect(problems('moo ip4:1 -all a:').map(({ term }) => term)).toEqual(['moo', 'ip4:1', 'a:'])
  })
})

describe('macros', () => {
  const silent: Dns = {
    query: async (): Promise<DnsAnswer> => Promise.reject(new Error('nobody is to be asked')),
  }
  const run = (ip: string): SpfRun => {
    const client = parseClientIp(ip)
    if (!client) throw new Error(ip)
    return {
      dns: silent,
      signal: new AbortController().signal,
      ip: client,
      sender: 'strong-bad@email.example.com',
      helo: 'mx.example.org',
      receiver: 'rx.example.net',
      now: new Date('2026-01-01T00:00:00Z'),
      lookups: 0,
      voids: 0,
    }
  }
  const read = (text: string) => {
    const pieces = readMacroString(text, { explains: true })
    if ('why' in pieces) throw new Error(pieces.why)
    return pieces
  }

  /** RFC 7208 section 7.4. */
  test.each([
    ['%{s}', 'strong-bad@email.example.com'],
    ['%{o}', 'email.example.com'],
    ['%{d}', 'email.example.com'],
    ['%{d4}', 'email.example.com'],
    ['%{d3}', 'email.example.com'],
    ['%{d2}', 'example.com'],
    ['%{d1}', 'com'],
    ['%{dr}', 'com.example.email'],
    ['%{d2r}', 'example.email'],
    ['%{l}', 'strong-bad'],
    ['%{l-}', 'strong.bad'],
    ['%{lr}', 'strong-bad'],
    ['%{lr-}', 'bad.strong'],
    ['%{l1r-}', 'strong'],
    ['%{ir}.%{v}._spf.%{d2}', '3.2.0.192.in-addr._spf.example.com'],
    ['%{lr-}.lp._spf.%{d2}', 'bad.strong.lp._spf.example.com'],
    ['%{lr-}.lp.%{ir}.%{v}._spf.%{d2}', 'bad.strong.lp.3.2.0.192.in-addr._spf.example.com'],
    ['%{ir}.%{v}.%{l1r-}.lp._spf.%{d2}', '3.2.0.192.in-addr.strong.lp._spf.example.com'],
    ['%{d2}.trusted-domains.example.net', 'example.com.trusted-domains.example.net'],
    ['%{h} %{c} %{r} %{t}', 'mx.example.org 192.0.2.3 rx.example.net 1767225600'],
    ['%%%_%-', '% %20'],
    ['%{S}', 'strong-bad%40email.example.com'],
    ['%{D999}', 'email.example.com'],
  ])('%s is %s', async (text, expansion) => {
    expect(await expand(run('192.0.2.3'), 'email.example.com', read(text))).toBe(expansion)
  })

  test('an IPv6 address is written nibble by nibble', async () => {
    const name = await expand(run('2001:db8::cb01'), 'email.example.com', read('%{ir}.%{v}._spf.%{d2}'))
    expect(name.toLowerCase()).toBe(
      '1.0.b.c.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6._spf.example.com',
    )
  })

  test('a name that grows too long loses labels from the left', async () => {
    const text = `${'0123456789.'.repeat(30)}%{d}`
    const name = await expandName(run('192.0.2.3'), 'example.com', read(text))
    expect(name.length).toBeLessThanOrEqual(253)
    expect(name.length).toBeGreaterThan(240)
    expect(name).toMatch(/^0123456789\..*\.example\.com$/)
    const label = 'x'.repeat(59)
    const exact = [label, label, label, label, 'example.com'].join('.')
    expect([exact.length, `a.${exact}`.length]).toEqual([251, 253])
    expect(await expandName(run('192.0.2.3'), 'd.test', read(`a.${exact}`))).toBe(`a.${exact}`)
    expect(await expandName(run('192.0.2.3'), 'd.test', read(`b.a.${exact}`))).toBe(`a.${exact}`)
  })
})

describe('a version', () => {
  test.each(['v=spf1', 'v=spf1 ', 'V=Spf1 -all'])('%j makes a record', text => expect(isSpf(text)).toBe(true))
  test.each(['v=spf10', 'v=spf1-all', 'v=spf1;', ' v=spf1', '"v=spf1 -all"', 'v=spf1\t-all', 'v = spf1', ''])(
    '%j makes none',
    text => expect(isSpf(text)).toBe(false),
  )
})

test('any text can be read', () => {
  const word = fc.constantFrom(
    'a',
    'mx',
    'ip4:',
    'ip6:',
    '/',
    '%{',
    '}',
    '=',
    ':',
    '-',
    '~all',
    'redirect',
    '1.2.3.4',
    '.',
    ' ',
  )
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(word, { maxLength: 60 }).map(words => words.join('')),
  )
  fc.assert(
    fc.property(text, terms => {
      const { directives, problems } = parseSpf(`v=spf1 ${terms}`)
      return directives.length + problems.length <= terms.length + 1
    }),
    { numRuns: runs(500) },
  )
})
