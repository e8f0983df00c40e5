import { describe, expect, test } from 'vitest'
import { isAllowed } from '../../../mcp/services/data/robots/allowed.ts'

const lines = (...all: string[]) => `${all.join('\n')}\n`

const may = (robots: string | Uint8Array, path: string, agent = 'ExampleBot') =>
  isAllowed(robots, agent, `https://example.com${path}`)

describe('groups (RFC 9309 §2.2.1)', () => {
  const robots = lines(
    'User-agent: *',
    'Disallow: /all',
    'User-agent: ExampleBot',
    'User-agent: OtherBot',
    'Disallow: /ours',
    'User-agent: examplebot',
    'Disallow: /also',
  )

  test('all groups that name the crawler count as one', () => {
    expect(may(robots, '/ours')).toBe(false)
    expect(may(robots, '/also')).toBe(false)
    expect(may(robots, '/ours', 'OtherBot')).toBe(false)
    expect(may(robots, '/also', 'OtherBot')).toBe(true)
  })

  test('the group for everyone counts only for crawlers without one of their own', () => {
    expect(may(robots, '/all')).toBe(true)
    expect(may(robots, '/all', 'ThirdBot')).toBe(false)
  })

  test('a crawler with an empty group may fetch all', () => {
    expect(may(lines('User-agent: *', 'Disallow: /', 'User-agent: ExampleBot', 'Disallow:'), '/x')).toBe(true)
  })

  test('rules before any user-agent line count for nobody', () => {
    expect(may(lines('Disallow: /', 'User-agent: *', 'Allow: /x'), '/y')).toBe(true)
  })

  test('sitemaps, crawl delays and unknown lines do not end a list of crawlers', () => {
    for (const between of ['Sitemap: https://example.com/s.xml', 'Crawl-delay: 5', 'Unicorns: extinct', ''])
      expect(may(lines('User-agent: A', between, 'User-agent: ExampleBot', 'Disallow: /'), '/', 'A')).toBe(
        false,
      )
  })

  test('names are compared by product token, in any case', () => {
    const named = (name: string) => lines(`User-agent: ${name}`, 'Disallow: /')
    expect(may(named('EXAMPLEBOT/2.1'), '/')).toBe(false)
    expect(may(named('ExampleBot Images'), '/')).toBe(false)
    expect(may(named('Example'), '/')).toBe(true)
    expect(may(named('ExampleBotter'), '/')).toBe(true)
    expect(may(named('* for all'), '/')).toBe(false)
    expect(may(named('*Bot'), '/')).toBe(true)
  })

  test('names with digits and dots are met whole', () => {
    expect(may(lines('User-agent: MJ12bot/1.4', 'Disallow: /'), '/', 'MJ12bot')).toBe(false)
    expect(may(lines('User-agent: archive.org_bot', 'Disallow: /'), '/', 'archive.org_bot')).toBe(false)
  })
})

describe('rules (RFC 9309 §2.2.2)', () => {
  const under = (...rules: string[]) => lines('User-agent: *', ...rules)

  test.each<[rules: string[], path: string, allowed: boolean]>([
    [['Disallow: /a', 'Allow: /a/b'], '/a/b/c', true],
    [['Allow: /a/b', 'Disallow: /a'], '/a/c', false],
    [['Disallow: /a', 'Allow: /a'], '/a', true],
    [['Disallow: /*.gif$'], '/x/y.gif', false],
    [['Disallow: /*.gif$'], '/x/y.gif?z', true],
    [['Disallow: /*.gif$'], '/y.gif/y.gif', false],
    [['Disallow: /a*b*c'], '/a1b2b3c4', false],
    [['Disallow: /a*b*c'], '/a1c2b', true],
    [['Disallow: /a**b'], '/ab', false],
    [['Disallow: /a$b'], '/a$bc', false],
    [['Disallow: /a$b'], '/a', true],
    [['Disallow: /x*x$'], '/x', true],
    [['Disallow: /*'], '/', false],
    [['Disallow: $'], '/', true],
    [['Disallow: *'], '/any', false],
    [['Disallow: a'], '/a', true],
    [['Disallow:/tight'], '/tight', false],
    [['Disallow: /q?a=*&b'], '/q?a=1&b=2', false],
    [['Disallow: /q?'], '/q', true],
    [['Disallow: /A'], '/a', true],
    [['Disallow: /', 'Allow: /dir/index.html'], '/dir/', true],
    [['Disallow: /', 'Allow: /dir/index.html'], '/dir/x', false],
    [['Disallow: /dir/index.html'], '/dir/', true],
  ])('%j on %s', (rules, path, allowed) => expect(may(under(...rules), path)).toBe(allowed))

  test('paths are compared percent-encoded, in one case, and only marks that need no escape are decoded', () => {
    for (const [rule, path] of [
      ['/a%3cd', '/a%3cd'],
      ['/a%3cd', '/a%3Cd'],
      ['/a%3Cd', '/a%3cd'],
      ['/%7Ejoe', '/~joe'],
      ['/~joe', '/%7ejoe'],
      ['/a%2Db%2ec%5fd', '/a-b.c_d'],
      ['/a b', '/a%20b'],
      ['/a<b>|c', '/a%3cb%3E%7Cc'],
      ['/%7b"x"}', '/{%22x%22%7D'],
      ['//folder', '//folder/x'],
      ['/a//b', '/a//b'],
    ] as const)
      expect([rule, path, may(under(`Disallow: ${rule}`), path)]).toEqual([rule, path, false])
    expect(may(under('Disallow: /a%3cd'), '/a%3cD')).toBe(true)
    expect(may(under('Disallow: /a%2Fb'), '/a/b')).toBe(true)
    expect(may(under('Disallow: /é'), '/%C3%A9')).toBe(false)
    expect(may(under('Disallow: /%c3%a9'), '/%C3%A9')).toBe(false)
    expect(may(under('Disallow: /%61'), '/a')).toBe(true)
    expect(may(under('Disallow: /a%2fb'), '/a%2Fb')).toBe(false)
    expect(may(under('Disallow: /folder'), '//folder')).toBe(true)
    expect(may(under('Disallow: //folder'), '/folder')).toBe(true)
  })
})

describe('lines (RFC 9309 §2.2)', () => {
  test.each(['disalow', 'DISSALLOW', 'dissalow', 'diasllow', 'disallaw'])('forgives %s', name =>
    expect(may(lines('User agent: *', `${name}: /`), '/')).toBe(false),
  )

  test('reads lines that end in CR, LF or both, and one that does not end', () => {
    for (const end of ['\r', '\n', '\r\n', '\n\r'])
      expect(may(`User-agent: *${end}${end}Disallow: /`, '/')).toBe(false)
  })

  test('reads past a byte order mark, a whole one and a broken one', () => {
    const rest = Buffer.from('User-agent: *\nDisallow: /')
    for (const mark of [[0xef, 0xbb, 0xbf], [0xef, 0xbb], [0xef]])
      expect(may(Buffer.concat([Buffer.from(mark), rest]), '/')).toBe(false)
  })

  test('takes a space for a forgotten colon only between two words', () => {
    expect(may(lines('User-agent *', 'Disallow /'), '/')).toBe(false)
    expect(may(lines('User-agent: *', 'Disallow / or so'), '/')).toBe(true)
  })

  test('ends a line at a comment or a null byte', () => {
    expect(may(lines('User-agent: * # all', 'Disallow: /a#b'), '/a')).toBe(false)
    expect(may(lines('User-agent: *', 'Disallow: /a\0b'), '/a')).toBe(false)
  })

  test('reads the first 16,663 bytes of a line', () => {
    const room = 16_663 - 'Disallow: '.length
    const path = `/${'x'.repeat(room - 1)}`
    expect(may(lines('User-agent: *', `Disallow: ${path}ignored`), `${path}other`)).toBe(false)
  })
})

test('many stars against a long path take no backtracking', () => {
  const pattern = `/${'*a'.repeat(8000)}*b$`
  const robots = lines('User-agent: *', ...Array.from({ length: 25 }, () => `Disallow: ${pattern}`))
  expect(may(robots, `/${'a'.repeat(2000)}`)).toBe(true)
})
