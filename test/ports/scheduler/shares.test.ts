import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toNetwork } from '../../../mcp/kernel/origin.ts'
import { isWithinShare, minShare } from '../../../mcp/lib/fair-share.ts'
import { openShares } from '../../../mcp/lib/shares.ts'
import { openInvoices } from '../../../mcp/payment/methods/lightning/invoices.ts'

test.each([
  ['192.0.2.77', '192.0.2.0/24'],
  ['2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:db8::/64', '2001:db8:0::/48'],
  ['2001:db8:0:7::/64', '2001:db8:0::/48'],
  ['::/64', '0:0:0::/48'],
  ['', ''],
])('the network of %s is %s', (address, network) => {
  expect(toNetwork(address)).toBe(network)
})

test('one network gets half, two a third each, and a newcomer always finds room', () => {
  const shares = openShares(1000, toNetwork)
  const fill = (address: string) => {
    let taken = 0
    while (shares.take(address)) taken += 1
    return taken
  }
  expect(fill('203.0.113.1')).toBe(500)
  expect(fill('203.0.113.2')).toBe(0)
  expect(fill('198.51.100.1')).toBe(250)
  for (let n = 0; n < 200; n++) expect(shares.take(`10.0.${n}.1`)).toBe(true)
  for (let n = 0; n < 50; n++) shares.giveBack('203.0.113.1')
  expect(fill('192.0.2.1')).toBeGreaterThan(1)
})

test('nobody is refused his least share, nobody gets more than others are left, whatever comes', () => {
  const step = fc.record({ network: fc.nat(30), isTaking: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), steps => {
      const all = 100
      const shares = openShares(all, toNetwork)
      const own = new Map<number, number>()
      const used = () => [...own.values()].reduce((sum, count) => sum + count, 0)
      for (const { network, isTaking } of steps) {
        const count = own.get(network) ?? 0
        if (isTaking) {
          const expected = isWithinShare({ own: count, used: used(), all }, minShare(all))
          expect(shares.take(`10.${network}.0.1`)).toBe(expected)
          if (expected) own.set(network, count + 1)
        } else if (count > 0) {
          shares.giveBack(`10.${network}.0.1`)
          own.set(network, count - 1)
        }
        expect(used()).toBeLessThanOrEqual(all + own.size)
      }
    }),
  )
})

describe('unpaid invoices', () => {
  const open = (now: () => Date = () => new Date(0)) => {
    let made = 0
    return openInvoices(
      async ({ expirySeconds }) => ({
        invoice: `ln${++made}`,
        paymentHash: String(made),
        expiresAt: new Date(now().getTime() + expirySeconds * 1000),
      }),
      now,
      200,
    )
  }
  const order = (client: string, asker: string, request = '') => ({
    asker,
    client,
    request,
    msat: 1n,
    memo: '',
  })

  test('of many keys in one network leave room for others, and come back when they are over', async () => {
    let at = 0
    const invoices = open(() => new Date(at))
    const flood = async () => {
      let taken = 0
      for (let n = 0; n < 400; n++)
        await invoices.open(order(`203.0.113.${n % 250}`, `key ${n}`)).then(
          () => {
            taken += 1
          },
          error => expect(error).toMatchObject({ code: 'unavailable', extra: { retryAfter: 600 } }),
        )
      return taken
    }
    expect(await flood()).toBe(100)
    for (let n = 0; n < 50; n++) await invoices.open(order(`198.51.${n}.1`, `other ${n}`))
    at += 601_000
    expect(await flood()).toBe(100)
  })

  test('that could not be made take nothing of a share', async () => {
    const failing = openInvoices(
      () => Promise.reject(new Error('away')),
      () => new Date(0),
      10,
    )
    for (let n = 0; n < 30; n++)
      await expect(failing.open(order('203.0.113.1', `k${n}`))).rejects.toThrow('away')
  })
})

test('an IPv4 address has one network, mapped or not, and zeros of IPv6 are counted where they stand', () => {
  expect(toNetwork('::ffff:192.0.2.7')).toBe(toNetwork('192.0.2.9'))
  expect(toNetwork('::ffff:192.0.2.7')).not.toBe(toNetwork('::ffff:198.51.100.7'))
  expect(toNetwork('2001:db8::7')).toBe(toNetwork('2001:DB8:0:1::7'))
})
