import { beforeEach, describe, expect, test } from 'vitest'
import { openFetch } from '../../mcp/ports/fetch/fetch.ts'
import { resolveWith } from '../../mcp/ports/fetch/resolve.ts'
import { startInternet } from '../internet/internet.ts'
import { opened } from '../opened.ts'

const internet = opened(startInternet)
beforeEach(() => {
  internet.web.visits.length = 0
})

const refusal = { code: 'invalid_input', extra: { issues: [{ path: 'url' }] } }
const userAgent = 'Octagent/test'

describe('the address that was checked is the one that is dialled', () => {
  test('the name is asked for once per connection', async () => {
    let lookups = 0
    const connections: string[] = []
    const fetch = openFetch({
      userAgent,
      resolve: async () => [{ address: ++lookups === 1 ? '93.184.216.34' : '127.0.0.1', family: 4 }],
      connect(address, port) {
        connections.push(address)
        return internet.dial(address, port)
      },
    })
    expect((await fetch('http://example.com/')).status).toBe(200)
    expect([lookups, connections]).toEqual([1, ['93.184.216.34']])
    await fetch.close()
  })

  test('a name that turns inside between two calls is refused', async () => {
    let inside = false
    const fetch = openFetch({
      userAgent,
      resolve: async () => [{ address: inside ? '127.0.0.1' : '93.184.216.34', family: 4 }],
      connect: internet.dial,
    })
    internet.web.site('rebind.example.com', '/', { headers: { connection: 'close' }, body: 'outside' })
    expect((await fetch('http://rebind.example.com/')).text().text).toBe('outside')
    inside = true
    await expect(fetch('http://rebind.example.com/')).rejects.toMatchObject(refusal)
    expect(internet.web.visits).toHaveLength(1)
    await fetch.close()
  })
})

describe('a name of the local DNS that leads inside', () => {
  test.each([
    ['a private address', { A: ['10.0.0.1'] }],
    ['loopback', { A: ['127.0.0.1'] }],
    ['IPv6 loopback', { AAAA: ['::1'] }],
    ['a public IPv4 and a private IPv6 address', { A: ['93.184.216.34'], AAAA: ['fd00::1'] }],
    ['a public address and loopback', { A: ['93.184.216.34', '127.0.0.1'] }],
    ['an alias of an internal name', { CNAME: ['db.internal'] }],
  ])('to %s is refused', async (_what, records) => {
    internet.dns.zone.set('db.internal', { A: ['192.168.3.4'] })
    internet.dns.zone.set('leads.example.net', records)
    internet.web.site('leads.example.net', '/', { body: 'secret' })
    const failure = internet.ports().fetch('http://leads.example.net/')
    await expect(failure).rejects.toMatchObject(refusal)
    await expect(failure).rejects.not.toThrow(/10\.0|127\.0|192\.168|::/)
    expect(internet.web.visits).toEqual([])
  })

  test('to nowhere is `upstream`', async () => {
    const { fetch } = internet.ports()
    await expect(fetch('http://nothing.example.com/')).rejects.toMatchObject({
      code: 'upstream',
      message: 'The host nothing.example.com has no address in the DNS.',
      extra: { retryable: false },
    })
    await expect(fetch('http://servfail.example.org/')).rejects.toMatchObject({ extra: { retryable: true } })
  })
})

describe('the hook for the tests’ own servers', () => {
  const open = (isAllowed: boolean) => {
    const { dns } = internet.ports()
    const allow = (address: string, port: number) => address === '127.0.0.1' && port === internet.web.port
    return openFetch({ userAgent, resolve: resolveWith(dns), ...(isAllowed && { allow }) })
  }

  test.each(['127.0.0.1', 'site.test'])('opens %s, which is closed without it', async host => {
    internet.dns.zone.set('site.test', { A: ['127.0.0.1'] })
    internet.web.site('127.0.0.1', '/', { body: 'own server' })
    internet.web.site('site.test', '/', { body: 'own server' })
    const url = `http://${host}:${internet.web.port}/`
    const [on, off] = [open(true), open(false)]
    expect((await on(url)).text().text).toBe('own server')
    await expect(off(url)).rejects.toMatchObject(refusal)
    expect(internet.web.visits).toHaveLength(1)
    await on.close()
  })

  test('opens no other port and no redirect to one', async () => {
    const on = open(true)
    await expect(on('http://127.0.0.1:8080/')).rejects.toMatchObject(refusal)
    internet.web.site('127.0.0.1', '/', { status: 302, headers: { location: 'http://127.0.0.1:8080/' } })
    await expect(on(`http://127.0.0.1:${internet.web.port}/`)).rejects.toMatchObject({ code: 'upstream' })
    await on.close()
  })
})

describe('our own resolver', () => {
  test('gives IPv4 before IPv6', async () => {
    expect(await resolveWith(internet.ports().dns)('example.com')).toEqual([
      { address: '93.184.216.34', family: 4 },
      { address: '2606:2800:220:1::34', family: 6 },
    ])
  })

  test('follows aliases and leaves them out', async () => {
    expect((await resolveWith(internet.ports().dns)('www.example.com')).map(one => one.family)).toEqual([
      4, 6,
    ])
  })
})
