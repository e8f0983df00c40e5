import { describe, expect, test } from 'vitest'
import { isFreeMailDomain } from '../../../mcp/services/data/mailbox/free.ts'
import { repairAddress } from '../../../mcp/services/data/mailbox/repair.ts'
import { suggestDomain } from '../../../mcp/services/data/mailbox/suggest.ts'
import { parseMailbox } from '../../../mcp/services/data/mailbox/syntax.ts'
import { disposableDomain, disposableDomains } from '../../../mcp/services/data/mailbox/verify.ts'

const spelt = (input: string): string => {
  const read = parseMailbox(input)
  return 'mailbox' in read ? `${read.mailbox.rawLocal}@${read.mailbox.domain.ascii}` : read.fault.reason
}

const letters = (count: number, letter = 'x') => letter.repeat(count)

describe('an address is read', () => {
  test.each([
    'simple@example.com',
    'very.common@example.com',
    'x@example.com',
    'long.name-with-hyphens@and.subdomains.example.com',
    'name/surname@example.com',
    'admin+tag@strange-example.com',
    "!#$%&'*+-/=?^_`{|}~@example.com",
    'a1@1a.example',
    '"john..doe"@example.org',
    '" "@example.org',
    '"very.(),:;<>[]\\".VERY.\\"very@\\\\ \\"very\\".unusual"@example.com',
    `${letters(64)}@example.com`,
    `${letters(32, 'ж')}@example.com`,
    'jo@[192.0.2.1]',
    'jo@[IPv6:2001:db8::1]',
  ])('as it is: %s', address => expect(spelt(address)).toBe(address))

  test.each([
    ['  jo@example.com\n', 'jo@example.com'],
    ['JO@EXAMPLE.COM', 'JO@example.com'],
    ['Jo Doe <jo@example.com>', 'jo@example.com'],
    ['"Doe, Jo (she)" <jo@example.com>', 'jo@example.com'],
    ['"a@b.example" <jo@example.com>', 'jo@example.com'],
    ['jo@example.com <JO@example.com>', 'JO@example.com'],
    ['<jo@example.com>', 'jo@example.com'],
    ['mailto:jo%2Bx@example.com?subject=a@b.c', 'jo+x@example.com'],
    ['jo@bücher.example', 'jo@xn--bcher-kva.example'],
    ['用户@例子。广告', '用户@xn--fsqu00a.xn--4rr70v'],
    ['jo@ＥＸＡＭＰＬＥ.com', 'jo@example.com'],
  ])('out of %j', (input, address) => expect(spelt(input)).toBe(address))

  test.each([
    ['jo', 'no_at'],
    ['@example.com', 'no_local'],
    ['jo@', 'no_domain'],
    ['jo@x@example.com', 'several_ats'],
    ['jo@a.example, x@b.example', 'several_addresses'],
    ['jo@a.example x@b.example', 'several_addresses'],
    ['<jo@a.example>, <x@b.example>', 'several_addresses'],
    ['me@a.example@<me@b.example>', 'several_addresses'],
    ['<jo@example.com', 'angle_brackets'],
    ['<jo@example.com> x', 'angle_brackets'],
    ['.jo@example.com', 'local_dot'],
    ['jo.@example.com', 'local_dot'],
    ['j..o@example.com', 'local_dots'],
    ['j o@example.com', 'local_character'],
    ['jo\u200b@example.com', 'local_character'],
    ['jo\u202e@example.com', 'local_character'],
    ['jo"x"@example.com', 'local_character'],
    ['"jo"x@example.com', 'quote'],
    ['"jo@example.com', 'quote'],
    ['"a"b"@example.com', 'quote'],
    ['"jo\nx"@example.com', 'local_character'],
    ['jo(x)@example.com', 'comment'],
    [`${letters(65)}@example.com`, 'local_too_long'],
    [`${letters(33, 'ж')}@example.com`, 'local_too_long'],
    ['jo@example', 'domain_dotless'],
    ['jo@example.com.', 'domain_trailing_dot'],
    ['jo@.example.com', 'domain_dots'],
    ['jo@example..com', 'domain_dots'],
    ['jo@-x.example', 'label_hyphen'],
    ['jo@x_y.example', 'domain_character'],
    ['jo@x%41.example', 'domain_character'],
    ['jo@x y.example', 'domain_character'],
    ['jo@1.2.3.4', 'bare_ip'],
    ['jo@example.123', 'domain_numeric'],
    ['jo@[1.2.3]', 'domain_literal'],
    ['jo@[IPv6:1.2.3.4]', 'domain_literal'],
    ['jo@[IPv6:fe80::1%eth0]', 'domain_literal'],
    ['jo@[2001:db8::1]', 'domain_literal'],
    [`jo@${letters(64)}.example`, 'label_too_long'],
    [`${letters(60)}@${`${letters(60)}.`.repeat(3)}${letters(15)}.example`, 'too_long'],
    [`jo@${'a.'.repeat(130)}example`, 'domain_too_long'],
  ])('%j has the fault %s', (input, reason) => expect(spelt(input)).toBe(reason))

  test('at any length and of any shape without delay', () => {
    const shapes = [
      '"',
      '\\',
      '@',
      '<',
      '(',
      '.',
      'a.',
      '"\\',
      ' ',
      ',',
      '@a.',
      '<a@b.example>',
      'ж',
      '%',
      '[',
    ]
    for (const shape of shapes) {
      const text = shape.repeat(1000).slice(0, 1000)
      expect(parseMailbox(text)).toHaveProperty('fault')
      expect(repairAddress(text)).toSatisfy(mended => mended === null || 'mailbox' in parseMailbox(mended))
      suggestDomain(text)
    }
  })
})

test.each([
  ['jo@gmail,com', 'jo@gmail.com'],
  ['jo @ example.com', 'jo@example.com'],
  ['jo@@example.com', 'jo@example.com'],
  ['jo.@example.com', 'jo@example.com'],
  ['jo@example..com', 'jo@example.com'],
  ['jo@example.com.', 'jo@example.com'],
  ['jo@example.com;', 'jo@example.com'],
  ['j\u200bo@example.com', 'jo@example.com'],
  ['jo@1.2.3.4', 'jo@[1.2.3.4]'],
  ['jo', null],
  ['a@b@c', null],
])('%j was meant as %s', (address, meant) => expect(repairAddress(address)).toBe(meant))

describe('a mistyped domain', () => {
  test.each([
    ['gmial.com', 'gmail.com'],
    ['gmail.con', 'gmail.com'],
    ['gmail.co', 'gmail.com'],
    ['ggmail.com', 'gmail.com'],
    ['fmail.com', 'gmail.com'],
    ['gmail.edd', 'gmail.com'],
    ['hotmal.com', 'hotmail.com'],
    ['homail.agency', 'hotmail.com'],
    ['yaho.cm', 'yahoo.com'],
    ['outlok.com', 'outlook.com'],
    ['iclod.com', 'icloud.com'],
    ['aol.cmo', 'aol.com'],
    ['gmx.ed', 'gmx.de'],
    ['yahoo.co.ku', 'yahoo.co.uk'],
    ['xn--gmal-nza.com', 'gmail.com'],
    ['xn--gmil-63d.com', 'gmail.com'],
  ])('%s is taken for %s', (domain, meant) => expect(suggestDomain(domain)).toBe(meant))

  test.each([
    'gmail.com',
    'mail.com',
    'ymail.com',
    'email.com',
    'hotmail.be',
    'cloud.com',
    'bol.com',
    'line.com',
    'hey.com',
    'small.com',
    'example.com',
    'github.com',
    'google.com',
    'me.com',
    'inbox.com',
    'xn--bcher-kva.de',
  ])('%s is left as it is', domain => expect(suggestDomain(domain)).toBeNull())
})

describe('the list of throw-away domains', () => {
  const list = [...disposableDomains()]

  test('holds thousands of names, none of a well-known provider', () => {
    expect(list.length).toBeGreaterThan(5000)
    expect(list.filter(isFreeMailDomain)).toEqual([])
    expect(list.filter(name => !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(name))).toEqual([])
  })

  test('counts for subdomains, but not for neighbours under a public suffix', () => {
    expect(disposableDomain('x.y.yopmail.com')).toBe('yopmail.com')
    expect(disposableDomain('notyopmail.com')).toBeNull()
    expect(disposableDomain('co.uk')).toBeNull()
    expect(disposableDomain('[192.0.2.1]')).toBeNull()
  })
})
