import { randomBytes } from 'node:crypto'
import packet, { type Answer, type Packet } from 'dns-packet'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Dns } from '../../mcp/ports/dns/port.ts'
import { readSvcb } from '../../mcp/ports/dns/svcb.ts'
import { type Internet, startInternet } from '../internet/internet.ts'
import { runs } from '../stress.ts'

let internet: Internet
let dns: Dns

beforeAll(async () => {
  internet = await startInternet()
  dns = internet.ports().dns
})
afterAll(() => internet.stop())

const address = (name: string, data: string): Answer => ({ type: 'A', name, ttl: 60, data })

const reply = (query: Buffer, data: string, change: Partial<Packet> = {}, flags = 0): Buffer => {
  const { id = 0, questions = [] } = packet.decode(query)
  const name = questions[0]?.name ?? ''
  return packet.encode({ type: 'response', id, flags, questions, answers: [address(name, data)], ...change })
}

const queryFirst = async (name: string) => (await dns.query(name, 'A')).records[0]?.data
const forgedAddress = '203.0.113.66'
const genuineAddress = '93.184.216.34'

const otherId = (query: Buffer) => ((packet.decode(query).id ?? 0) + 1) % 65_536

describe('forged datagrams before the genuine one are ignored', () => {
  test.each<[string, (query: Buffer) => Buffer]>([
    ['a wrong id', query => reply(query, forgedAddress, { id: otherId(query) })],
    [
      'another name',
      query => reply(query, forgedAddress, { questions: [{ type: 'A', name: 'evil.example.com' }] }),
    ],
    [
      'another type',
      query => reply(query, forgedAddress, { questions: [{ type: 'AAAA', name: 'forged.example.com' }] }),
    ],
    ['no question', query => reply(query, forgedAddress, { questions: [] })],
    ['a query instead of a response', query => reply(query, forgedAddress, { type: 'query' })],
    ['garbage', () => randomBytes(200)],
    ['an empty datagram', () => Buffer.alloc(0)],
    ['a header alone', query => reply(query, forgedAddress).subarray(0, 12)],
    ['a cut record', query => reply(query, forgedAddress).subarray(0, -3)],
  ])('%s', async (_what, forge) => {
    internet.dns.zone.set('forged.example.com', query => [forge(query), reply(query, genuineAddress)])
    expect(await queryFirst('forged.example.com')).toBe(genuineAddress)
  })
})

describe('the spelling of the name', () => {
  const lower = (query: Buffer, data: string) => {
    const name = packet.decode(query).questions?.[0]?.name.toLowerCase() ?? ''
    return reply(query, data, { questions: [{ type: 'A', name }], answers: [address(name, data)] })
  }
  const name = 'a-long-name-so-that-chance-never-spells-it-in-lower-case.example.com'

  test('is random', async () => {
    const spellings = new Set<string>()
    internet.dns.zone.set(name, query => {
      spellings.add(packet.decode(query).questions?.[0]?.name ?? '')
      return [reply(query, genuineAddress)]
    })
    for (let i = 0; i < 5; i++) await queryFirst(name)
    expect(spellings.size).toBe(5)
  })

  test('that comes back changed sends the question over TCP', async () => {
    internet.dns.zone.set(name, (query, transport) => [
      transport === 'udp' ? lower(query, forgedAddress) : reply(query, genuineAddress),
    ])
    expect(await dns.query(name, 'A')).toMatchObject({
      transport: 'tcp',
      records: [{ data: genuineAddress }],
    })
  })

  test('may be changed by a server that has no TCP', async () => {
    internet.dns.zone.set(name, (query, transport) =>
      transport === 'udp' ? [lower(query, genuineAddress)] : [],
    )
    expect(await dns.query(name, 'A')).toMatchObject({
      transport: 'udp',
      records: [{ data: genuineAddress }],
    })
  })
})

test('leaves behind records of names that were not asked for', async () => {
  internet.dns.zone.set('stray.example.com', query => [
    reply(query, genuineAddress, {
      answers: [address('bank.example.com', forgedAddress), address('stray.example.com', genuineAddress)],
    }),
  ])
  expect((await dns.query('stray.example.com', 'A')).records.map(record => record.data)).toEqual([
    genuineAddress,
  ])
})

test('ignores an answer whose last record was cut, even where the rest can be read', async () => {
  const caa = (value: string): Answer => ({
    type: 'CAA',
    name: 'cut.example.com',
    ttl: 60,
    data: { flags: 0, tag: 'issue', value },
  })
  internet.dns.zone.set('cut.example.com', query => [
    reply(query, '', { answers: [caa('evil.example.com')] }).subarray(0, -4),
    reply(query, '', { answers: [caa('ca.example.com')] }),
  ])
  expect((await dns.query('cut.example.com', 'CAA')).records).toMatchObject([
    { data: { value: 'ca.example.com' } },
  ])
})

test('asks without EDNS where EDNS is not understood', async () => {
  internet.dns.zone.set('old.example.com', query => {
    const hasEdns = packet.decode(query).additionals?.some(extra => extra.type === 'OPT')
    return [
      hasEdns ? reply(query, forgedAddress, { questions: [], answers: [] }, 1) : reply(query, genuineAddress),
    ]
  })
  expect(await queryFirst('old.example.com')).toBe(genuineAddress)
})

test('a broken answer over TCP is a failure, not a crash', async () => {
  internet.dns.zone.set('broken-tcp.example.com', (query, transport) => [
    transport === 'udp'
      ? reply(query, genuineAddress, { answers: [] }, packet.TRUNCATED_RESPONSE)
      : randomBytes(64),
  ])
  await expect(dns.query('broken-tcp.example.com', 'A')).rejects.toMatchObject({ code: 'upstream' })
})

test('no answer with a few bytes changed crashes the client', async () => {
  const patches = fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(patches, async changes => {
      internet.dns.zone.set('fuzz.example.com', query => {
        const bytes = reply(query, genuineAddress)
        const copy = Buffer.from(bytes)
        for (const [at, byte] of changes) copy[2 + (at % (bytes.length - 2))] = byte
        return [copy, bytes]
      })
      expect((await dns.query('fuzz.example.com', 'A')).resolver).toBe(internet.dns.server)
    }),
    { numRuns: runs(200, 40) },
  )
})

test('no bytes in an HTTPS record do worse than a RangeError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), bytes => {
      try {
        readSvcb(Buffer.from(bytes))
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError)
      }
    }),
  )
})
