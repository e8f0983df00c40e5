import { expect, test } from 'vitest'
import { openBootstrap } from '../../mcp/ports/rdap/bootstrap.ts'
import { parseServices } from '../../mcp/ports/rdap/services.ts'
import { startInternet } from '../internet/internet.ts'
import { opened } from '../opened.ts'

const internet = opened(startInternet)

const hour = 3_600_000

const open = (host: string) => {
  const time = { now: Date.parse('2026-11-22T00:00:00Z') }
  const url = `https://${host}/rdap`
  const { fetch } = internet.ports()
  const directory = openBootstrap({ fetch, url, clock: { now: () => new Date(time.now) } })
  const publish = (kind: string, services: unknown, status = 200) =>
    internet.web.site(host, `/rdap/${kind}.json`, { status, body: JSON.stringify({ services }) })
  const visits = () => internet.web.visits.filter(visit => visit.host === host).length
  return { ...directory, time, publish, visits }
}

test('knows the servers of the world before it has read anything', async () => {
  const { find } = open('nowhere.example.com')
  expect(await find('dns', 'com')).toEqual(['https://rdap.verisign.com/com/v1/'])
  expect(await find('dns', 'org')).toEqual(['https://rdap.publicinterestregistry.org/rdap/'])
  expect(await find('dns', 'dev')).toEqual(['https://pubapi.registry.google/rdap/'])
  expect(await find('dns', 'zzzz')).toBeUndefined()
  expect(await find('ipv4', '193.0.6.139')).toEqual(['https://rdap.db.ripe.net/'])
  expect(await find('ipv4', '1.1.1.1')).toEqual(['https://rdap.apnic.net/'])
  expect(await find('ipv4', '8.8.8.8')).toEqual(['https://rdap.arin.net/registry/'])
  expect(await find('ipv6', '2001:4200::1')).toEqual(['https://rdap.afrinic.net/rdap/'])
  expect(await find('ipv6', '2a00:1450::1')).toEqual(['https://rdap.db.ripe.net/'])
  expect(await find('asn', '262144')).toEqual(['https://rdap.lacnic.net/rdap/'])
  expect(await find('asn', '15169')).toEqual(['https://rdap.arin.net/registry/'])
})

test('reads a file once for all who ask at the same time, and again after a day', async () => {
  const { find, publish, time, visits } = open('daily.example.com')
  publish('dns', [[['com'], ['https://one.example.com/']]])
  expect(await Promise.all([find('dns', 'com'), find('dns', 'com'), find('dns', 'net')])).toEqual([
    ['https://one.example.com/'],
    ['https://one.example.com/'],
    undefined,
  ])
  expect(visits()).toBe(1)
  publish('dns', [[['com'], ['https://two.example.com/']]])
  time.now += 23 * hour
  expect(await find('dns', 'com')).toEqual(['https://one.example.com/'])
  time.now += 2 * hour
  expect(await find('dns', 'com')).toEqual(['https://two.example.com/'])
  expect(visits()).toBe(2)
})

test('keeps what it knew when a file cannot be read, and tries again after ten minutes', async () => {
  const { find, publish, time, visits } = open('shaky.example.com')
  publish('dns', [[['com'], ['https://one.example.com/']]])
  await find('dns', 'com')
  for (const response of [
    { status: 500, services: [] },
    { status: 200, services: 'none' },
    { status: 200, services: [] },
  ]) {
    publish('dns', response.services, response.status)
    time.now += 25 * hour
    expect(await find('dns', 'com')).toEqual(['https://one.example.com/'])
    expect(await find('dns', 'com')).toEqual(['https://one.example.com/'])
  }
  expect(visits()).toBe(4)
  publish('dns', [[['com'], ['https://two.example.com/']]])
  time.now += hour / 5
  expect(await find('dns', 'com')).toEqual(['https://two.example.com/'])
})

test('prefers the longest prefix and the narrowest range', async () => {
  const { find, publish } = open('narrow.example.com')
  publish('ipv4', [
    [['0.0.0.0/0', 'garbage', '10.0.0.0/99'], ['https://wide.example.com/']],
    [['93.184.0.0/16'], ['https://narrow.example.com/']],
  ])
  publish('asn', [
    [['1-1000', 'x-y', '9-3'], ['https://wide.example.com/']],
    [['70', '80-90'], ['https://narrow.example.com/']],
  ])
  expect(await find('ipv4', '93.184.216.34')).toEqual(['https://narrow.example.com/'])
  expect(await find('ipv4', '93.185.0.1')).toEqual(['https://wide.example.com/'])
  expect(await find('asn', '70')).toEqual(['https://narrow.example.com/'])
  expect(await find('asn', '85')).toEqual(['https://narrow.example.com/'])
  expect(await find('asn', '500')).toEqual(['https://wide.example.com/'])
  expect(await find('asn', '5000')).toBeUndefined()
})

test('takes web addresses only, https first, and leaves rows that are none', () => {
  const services = parseServices(
    JSON.stringify({
      services: [
        [
          ['a', 7],
          ['http://one.example/', 'https://two.example/', 'ftp://x/', 'https://', 3],
        ],
        [['b'], ['file:///etc/passwd']],
        'row',
        [[]],
        null,
      ],
    }),
  )
  expect([...services]).toEqual([[['a'], ['https://two.example/', 'http://one.example/']]])
})
