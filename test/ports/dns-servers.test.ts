import packet from 'dns-packet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDns } from '../../mcp/ports/dns/dns.ts'
import { parseServer, systemServers } from '../../mcp/ports/dns/server.ts'
import { answerQuery } from '../internet/dns-answer.ts'
import { startDnsServer } from '../internet/dns-server.ts'
import { type Internet, startInternet } from '../internet/internet.ts'
import { openZone } from '../internet/zone.ts'

let internet: Internet
let good: string
beforeAll(async () => {
  internet = await startInternet()
  good = internet.dns.server
})
afterAll(() => internet.stop())

const other = async (entry: Parameters<ReturnType<typeof openZone>['set']>[1]) => {
  const server = await startDnsServer(openZone({ 'example.com': entry }))
  return { name: `127.0.0.1:${server.port}`, stop: server.stop }
}

describe('several servers', () => {
  test.each(['SERVFAIL', 'REFUSED', 'SILENT'] as const)('after %s the next one is asked', async entry => {
    const bad = await other(entry)
    const dns = openDns({ servers: [bad.name, good], timeoutMs: 200 })
    expect(await dns.query('example.com', 'A')).toMatchObject({ rcode: 'NOERROR', resolver: good })
    bad.stop()
  })

  test('NXDOMAIN is believed and nobody else is asked', async () => {
    const empty = await other({ A: ['203.0.113.1'] })
    const dns = openDns({ servers: [empty.name, good] })
    expect(await dns.query('example.org', 'A')).toMatchObject({ rcode: 'NXDOMAIN', resolver: empty.name })
    empty.stop()
  })

  test('a failure is reported when the others are silent', async () => {
    const [bad, mute] = [await other('SERVFAIL'), await other('SILENT')]
    const dns = openDns({ servers: [mute.name, bad.name], timeoutMs: 100 })
    expect(await dns.query('example.com', 'A')).toMatchObject({ rcode: 'SERVFAIL', resolver: bad.name })
    bad.stop()
    mute.stop()
  })

  test('a lost datagram is sent again', async () => {
    let queries = 0
    const zone = openZone({ 'lossy.example.com': { A: ['93.184.216.34'] } })
    const server = await startDnsServer(
      openZone({
        'lossy.example.com': (query, transport) =>
          ++queries === 1 ? [] : answerQuery(zone, query, transport),
      }),
    )
    const dns = openDns({ servers: [`127.0.0.1:${server.port}`], timeoutMs: 100, tries: 2 })
    expect((await dns.query('lossy.example.com', 'A')).records).toHaveLength(1)
    server.stop()
  })

  test('a port where nobody listens is skipped', async () => {
    const silent = await other('SILENT')
    silent.stop()
    const dns = openDns({ servers: [silent.name, good] })
    expect((await dns.query('example.com', 'A')).resolver).toBe(good)
  })
})

test('at most as many questions as allowed are under way, half of them for one network alone', async () => {
  let [now, most] = [0, 0]
  const zone = openZone({ '*.example.com': { A: ['93.184.216.34'] } })
  const dns = openDns({
    servers: ['https://dns.example.com/dns-query'],
    maxInFlight: 7,
    async fetch(_url, options) {
      most = Math.max(most, ++now)
      await new Promise(resolve => setTimeout(resolve, 2))
      now -= 1
      const body = answerQuery(zone, Buffer.from(options?.body ?? ''), 'tcp')[0] ?? Buffer.alloc(0)
      return { url: '', status: 200, hops: [], headers: {}, body, truncated: false, text: () => never() }
    },
  })
  const ask = (client: string) => {
    const own = dns.forCall?.({ asker: { client, paid: false } }) ?? dns
    return Array.from({ length: 20 }, (_, i) => own.query(`n${i}.example.com`, 'A'))
  }
  await Promise.all(ask('192.0.2.1'))
  expect(most).toBe(4)
  await Promise.all(['192.0.2.1', '198.51.100.1', '203.0.113.1', '203.0.114.1'].flatMap(ask))
  expect(most).toBe(7)
})

const never = (): never => {
  throw new Error('Nobody reads this as text.')
}

describe('the caller’s signal', () => {
  test('ends a question that is under way', async () => {
    const dns = openDns({ servers: [good], timeoutMs: 30_000 })
    const signal = AbortSignal.timeout(50)
    await expect(dns.query('silent.example.org', 'A', { signal })).rejects.toMatchObject({ code: 'timeout' })
  })

  test('ends a question that waits for its turn', async () => {
    const dns = openDns({ servers: [good], timeoutMs: 500, tries: 1, maxInFlight: 1 })
    const first = dns.query('silent.example.org', 'A').catch(() => 'silent')
    const second = dns.query('example.com', 'A', { signal: AbortSignal.timeout(20) })
    await expect(second).rejects.toMatchObject({ code: 'timeout' })
    expect(await first).toBe('silent')
    expect((await dns.query('example.com', 'A')).rcode).toBe('NOERROR')
  })
})

describe('DNS over HTTPS', () => {
  test('asks with POST, id 0 and a checked certificate, and reads the answer', async () => {
    const ids: (number | undefined)[] = []
    internet.web.site('dns.example.com', '/dns-query', (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', chunk => chunks.push(chunk))
      request.on('end', () => {
        const query = Buffer.concat(chunks)
        ids.push(packet.decode(query).id)
        response.writeHead(200, { 'content-type': 'application/dns-message' })
        response.end(answerQuery(internet.dns.zone, query, 'tcp')[0])
      })
    })
    const server = 'https://dns.example.com/dns-query'
    const dns = openDns({ servers: [server], fetch: internet.ports().fetch })
    expect(await dns.query('many.example.com', 'TXT')).toMatchObject({ transport: 'https', resolver: server })
    expect(ids).toEqual([0])
  })

  test('an endpoint that sends a page passes the question on', async () => {
    const dns = openDns({ servers: ['https://example.com/', good], fetch: internet.ports().fetch })
    expect((await dns.query('example.com', 'A')).resolver).toBe(good)
  })

  test('needs the fetch port', () => {
    expect(() => openDns({ servers: ['https://dns.example.com/'] })).toThrow('needs the fetch port')
  })
})

describe('server addresses', () => {
  test.each([
    ['127.0.0.1:5353', '127.0.0.1:5353'],
    ['9.9.9.9', '9.9.9.9:53'],
    ['[2620:fe::fe]:53', '[2620:fe::fe]:53'],
    ['2620:fe::fe', '[2620:fe::fe]:53'],
    ['https://dns.example.com/dns-query', 'https://dns.example.com/dns-query'],
  ])('reads %s', (text, name) => {
    expect(parseServer(text).name).toBe(name)
  })

  test.each(['dns.example.com', 'localhost:53', '1.2.3.4:0', '1.2.3.4:70000', 'http://1.1.1.1/', ''])(
    'refuses "%s"',
    text => {
      expect(() => parseServer(text)).toThrow('is no DNS server')
    },
  )

  test('knows those of the machine', () => {
    expect(systemServers().length).toBeGreaterThan(0)
    for (const server of systemServers()) expect(parseServer(server).name).toBe(server)
  })
})
