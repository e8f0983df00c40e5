import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isPublic } from '../../mcp/ports/fetch/address.ts'
import { openGuard } from '../../mcp/ports/fetch/guard.ts'
import { parseTarget } from '../../mcp/ports/fetch/target.ts'
import { runs } from '../stress.ts'

const guard = openGuard({ resolve: async () => [{ address: '93.184.216.34', family: 4 }] })
const thrownBy = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (error) {
    return error
  }
}

const refusal = { code: 'invalid_input', extra: { issues: [{ path: 'url' }] } }

describe('refuses URLs', () => {
  test.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://017700000001/',
    'http://127.1/',
    'http://0/',
    'http://0.0.0.0/',
    'http://127.0.0.1./',
    'http://[::]/',
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::ffff:169.254.169.254]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[64:ff9b:1::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[2001::1]/',
    'http://[2606:2800:220:1:0:5efe:10.0.0.1]/',
    'http://[2606:2800:220:1:200:5efe:7f00:1]/',
    'http://[2606:2800:220:1:300:5efe:93.184.216.34]/',
    'http://[2001:3::a00:1]/',
    'http://[::ffff:0:10.0.0.1]/',
    'http://[fe80::5efe:10.0.0.1]/',
    'http://[fe80::1]/',
    'http://[fe80::1%25eth0]/',
    'http://[fd00:ec2::254]/',
    'http://[4000::1]/',
    'http://[100:0:0:1::1]/',
    'http://[ff02::1]/',
    'http://[2001:db8::1]/',
    'http://10.0.0.1/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://100.100.100.200/',
    'http://168.63.129.16/',
    'http://192.0.0.1/',
    'http://192.0.2.1/',
    'http://198.18.0.1/',
    'http://192.88.99.1/',
    'http://224.0.0.1/',
    'http://240.0.0.1/',
    'http://255.255.255.255/',
    'http://metadata.google.internal/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://foo.localhost/',
    'http://printer.local/',
    'http://router.lan/',
    'http://1.0.0.127.in-addr.arpa/',
    'http://site.test/',
    'http://intranet/',
    'http://user@example.com/',
    'http://user:secret@example.com/',
    'http://example.com@127.0.0.1/',
    'http://example.com\\@127.0.0.1/',
    'http:\\\\127.0.0.1/',
    'http://exa mple.com/',
    'http://example.com/\r\nHost: x',
    'http://example.com/\u0000',
    'http://example.com:22/',
    'http://example.com:6379/',
    'https://example.com:25/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'data:text/html,hello',
    'javascript:alert(1)',
    'ws://example.com/',
    '//example.com/',
    'example.com',
    '/etc/passwd',
    '',
    '   ',
    'http://',
    'http://.example.com/',
    'http://a..example.com/',
    'http://example.com../',
    `http://${'a'.repeat(64)}.example.com/`,
    `http://${'abcdefg.'.repeat(32)}com/`,
    'http://①②⑦.⓪.⓪.①/',
    'http://127。0。0。1/',
    'http://１２７.0.0.1/',
    `http://example.com/${'a'.repeat(2048)}`,
  ])('%s', url => {
    expect(thrownBy(() => guard.check(url))).toMatchObject(refusal)
  })
})

describe('takes URLs', () => {
  test.each([
    ['http://example.com', 'http://example.com/', 80],
    ['  https://EXAMPLE.com./path?q=1#part ', 'https://example.com/path?q=1', 443],
    ['http://example.com:8080/', 'http://example.com:8080/', 8080],
    ['https://example.com:8443/', 'https://example.com:8443/', 8443],
    ['http://例え.jp/', 'http://xn--r8jz45g.jp/', 80],
    ['http://93.184.216.34/', 'http://93.184.216.34/', 80],
    ['http://[2606:2800:220:1::34]/', 'http://[2606:2800:220:1::34]/', 80],
    ['http://[2606:2800:220:1:0:5eff::34]/', 'http://[2606:2800:220:1:0:5eff:0:34]/', 80],
    ['http://[2606:2800:5efe:1:400:5efe::34]/', 'http://[2606:2800:5efe:1:400:5efe:0:34]/', 80],
    ['http://under_score.example.com/', 'http://under_score.example.com/', 80],
    ['http://localhost.example.com/', 'http://localhost.example.com/', 80],
  ])('%s', (url, href, port) => {
    const target = guard.check(url)
    expect([target.url.href, target.port]).toEqual([href, port])
  })
})

describe('refuses a host by what the DNS says', () => {
  test.each([
    ['a private address', ['10.0.0.1']],
    ['IPv6 loopback', ['::1']],
    ['a NAT64 address of loopback', ['64:ff9b::7f00:1']],
    ['a mapped loopback address', ['::ffff:127.0.0.1']],
    ['a link-local address with a zone', ['fe80::1%eth0']],
    ['a public address first and loopback second', ['93.184.216.34', '127.0.0.1']],
    ['loopback first and a public address second', ['127.0.0.1', '93.184.216.34']],
    ['a private address at the end of many', [...Array(40).fill('93.184.216.34'), '192.168.0.1']],
    ['something that is no address', ['host.example.com']],
  ])('%s', async (_what, addresses) => {
    const resolve = async () => addresses.map(address => ({ address, family: 4 as const }))
    const { check, addresses: open } = openGuard({ resolve })
    const failure = open(check('http://example.com/'))
    await expect(failure).rejects.toMatchObject(refusal)
    await expect(failure).rejects.not.toThrow(/\d+\.\d+\.\d+/)
  })

  test('no address at all is `upstream` and not worth a retry', async () => {
    const { check, addresses } = openGuard({ resolve: async () => [] })
    await expect(addresses(check('http://example.com/'))).rejects.toMatchObject({
      code: 'upstream',
      extra: { retryable: false },
    })
  })
})

describe('the hook of the tests opens', () => {
  const allow = (address: string, port: number) => address === '127.0.0.1' && port === 4000
  const resolve = async () => [{ address: '127.0.0.1', family: 4 as const }]
  const guard = openGuard({ resolve, allow })

  test.each(['http://127.0.0.1:4000/', 'http://site.test:4000/', 'http://localhost:4000/'])(
    '%s',
    async url => {
      expect(await guard.addresses(guard.check(url))).toHaveLength(1)
      expect(thrownBy(() => openGuard({ resolve }).check(url))).toMatchObject(refusal)
    },
  )

  test.each(['http://127.0.0.1:8080/', 'http://127.0.0.2:4000/', 'http://10.0.0.1:4000/'])(
    'and not %s',
    url => {
      expect(thrownBy(() => guard.check(url))).toMatchObject(refusal)
    },
  )

  test('and not another port of the same name', async () => {
    await expect(guard.addresses(guard.check('http://site.test/'))).rejects.toMatchObject(refusal)
  })

  test('and not a special name that leads to a public address', async () => {
    const { check, addresses } = openGuard({
      resolve: async () => [{ address: '93.184.216.34', family: 4 }],
      allow,
    })
    await expect(addresses(check('http://site.test/'))).rejects.toMatchObject(refusal)
    await expect(addresses(check('http://example.com:22/'))).rejects.toMatchObject(refusal)
  })
})

describe('for any address', () => {
  /** The IPv4 blocks that are not global (IANA special-purpose registry, multicast, class E), as first and last number. */
  const closedRanges = [
    ['0.0.0.0', '0.255.255.255'],
    ['10.0.0.0', '10.255.255.255'],
    ['100.64.0.0', '100.127.255.255'],
    ['127.0.0.0', '127.255.255.255'],
    ['169.254.0.0', '169.254.255.255'],
    ['172.16.0.0', '172.31.255.255'],
    ['192.0.0.0', '192.0.0.255'],
    ['192.0.2.0', '192.0.2.255'],
    ['192.88.99.0', '192.88.99.255'],
    ['192.168.0.0', '192.168.255.255'],
    ['198.18.0.0', '198.19.255.255'],
    ['198.51.100.0', '198.51.100.255'],
    ['203.0.113.0', '203.0.113.255'],
    ['224.0.0.0', '255.255.255.255'],
  ] as const
  const number = (address: string) => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  const toDottedQuad = (n: number) => [n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255].join('.')
  const inside = fc
    .constantFrom(...closedRanges)
    .chain(([first, last]) => fc.integer({ min: number(first), max: number(last) }))

  test('in a closed block, every spelling of it is refused', () => {
    fc.assert(
      fc.property(inside, n => {
        const hex = `0x${n.toString(16)}`
        const octal = toDottedQuad(n).replace(/\d+/g, part => `0${Number(part).toString(8)}`)
        const mappedAddress = `[::ffff:${toDottedQuad(n)}]`
        for (const host of [toDottedQuad(n), String(n), hex, octal, mappedAddress, `${toDottedQuad(n)}.`]) {
          expect(parseTarget(`http://${host}/`).closed, host).toBeDefined()
        }
        expect(isPublic(toDottedQuad(n))).toBe(false)
      }),
      { numRuns: runs(2000) },
    )
  })

  test('outside 2000::/3, IPv6 is refused', () => {
    const outside = fc.integer({ min: 0, max: 0xffff }).filter(n => n >> 13 !== 1)
    fc.assert(
      fc.property(outside, fc.array(fc.nat(0xffff), { minLength: 7, maxLength: 7 }), (first, rest) => {
        const address = [first, ...rest].map(part => part.toString(16)).join(':')
        const isMapped = first === 0 && rest.slice(0, 4).every(part => part === 0) && rest[4] === 0xffff
        expect(isPublic(address) && !isMapped).toBe(false)
      }),
      { numRuns: runs(2000) },
    )
  })

  test('no text makes the guard throw anything but a refusal', () => {
    const nearly = fc
      .tuple(
        fc.constantFrom('http://', 'https://', 'http:', '//', ''),
        fc.string({ unit: 'binary', maxLength: 60 }),
      )
      .map(parts => parts.join(''))
    fc.assert(
      fc.property(nearly, text => {
        try {
          expect(guard.check(text).url.protocol).toMatch(/^https?:$/)
        } catch (error) {
          expect(error).toMatchObject(refusal)
        }
      }),
      { numRuns: runs(3000) },
    )
  })
})
