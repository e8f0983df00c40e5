import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type BudgetLimits, budgetLimits, openBudget } from '../../mcp/ports/fetch/budget.ts'
import { type Internet, startInternet } from '../internet/internet.ts'
import { webAddress } from '../internet/zone-data.ts'

let internet: Internet
beforeAll(async () => {
  internet = await startInternet()
  for (const host of ['victim.example.org', 'www.victim.example.org', 'other.example.net'])
    internet.web.site(host, '*', { headers: { 'cache-control': 'no-store' }, body: 'here' })
})
afterAll(() => internet.stop())
beforeEach(() => {
  internet.web.visits.length = 0
})

const refusal = {
  code: 'too_many_requests',
  status: 429,
  extra: { reason: 'target_limit', retryAfter: expect.any(Number) },
}

const plenty: BudgetLimits = { host: 1000, domain: 1000, address: 1000 }
const open = (budget: Partial<BudgetLimits>, now = Date.now) =>
  internet.ports({ budget: { ...plenty, ...budget }, now }).fetch
const visitsTo = (host: string) => internet.web.visits.filter(visit => visit.host === host).length
let nth = 0
/** An address that nobody asked for yet, so that no request is shared or kept. */
const at = (host: string) => `http://${host}/${nth++}`

describe('one target is asked so often a minute, for all callers together', () => {
  test('the request beyond is refused without being sent, with when to come back', async () => {
    const fetch = open({ host: 3 })
    for (let n = 0; n < 3; n++) await fetch(at('victim.example.org'))
    await expect(fetch(at('victim.example.org'))).rejects.toMatchObject(refusal)
    expect(visitsTo('victim.example.org')).toBe(3)
    expect((await fetch(at('other.example.net'))).status).toBe(200)
  })

  test('a minute later it is asked again', async () => {
    let now = 1_000_000
    const fetch = open({ host: 1 }, () => now)
    await fetch(at('victim.example.org'))
    await expect(fetch(at('victim.example.org'))).rejects.toMatchObject({ extra: { retryAfter: 60 } })
    now += 60_001
    expect((await fetch(at('victim.example.org'))).status).toBe(200)
  })

  test('many hosts of one domain share the budget of the domain', async () => {
    const fetch = open({ domain: 2 })
    await fetch(at('victim.example.org'))
    await fetch(at('www.victim.example.org'))
    await expect(fetch(at('victim.example.org'))).rejects.toMatchObject(refusal)
  })

  test('many names of one address share the connections to it', async () => {
    for (const nth of [1, 2, 3])
      internet.web.site(`cover-${nth}.example.com`, '*', { headers: { connection: 'close' }, body: '' })
    const fetch = open({ address: 2 })
    await fetch(at('cover-1.example.com'))
    await fetch(at('cover-2.example.com'))
    await expect(fetch(at('cover-3.example.com'))).rejects.toMatchObject(refusal)
    expect(visitsTo('cover-3.example.com')).toBe(0)
  })

  test('a /64 is one address', () => {
    const budget = openBudget({ ...plenty, address: 1 }, Date.now)
    budget.connection('a.example', ['2001:db8:1:2::3'])
    expect(() => budget.connection('b.example', ['2001:db8:1:2:ffff::4'])).toThrow(/b\.example is asked/)
    budget.connection('b.example', ['2001:db8:1:3::3', webAddress])
  })

  test('every hop of a redirect counts for the host it leads to', async () => {
    internet.web.site('bouncer.example.net', '*', {
      status: 302,
      headers: { location: at('victim.example.org') },
    })
    const fetch = open({ host: 4 })
    for (let n = 0; n < 2; n++) await fetch(at('bouncer.example.net'))
    await expect(fetch(at('bouncer.example.net'))).rejects.toMatchObject(refusal)
    expect(visitsTo('victim.example.org')).toBe(2)
  })

  test('an answer that is kept costs nothing', async () => {
    internet.web.site('kept.example.org', '/', { headers: { 'cache-control': 'max-age=600' }, body: 'kept' })
    const fetch = open({ host: 2 })
    for (let n = 0; n < 10; n++) await fetch('http://kept.example.org/')
    expect(visitsTo('kept.example.org')).toBe(1)
  })
})

describe('who named the host', () => {
  test('pages may spend half, so that they leave a host to the callers', async () => {
    const fetch = open({ host: 4 })
    const page = () => fetch(at('victim.example.org'), { namedBy: 'page' })
    await page()
    await page()
    await expect(page()).rejects.toMatchObject(refusal)
    expect((await fetch(at('victim.example.org'))).status).toBe(200)
    expect((await fetch(at('victim.example.org'))).status).toBe(200)
    await expect(fetch(at('victim.example.org'))).rejects.toMatchObject(refusal)
  })

  test('the registries of the operator are not counted', async () => {
    const fetch = open({ host: 1 })
    for (let n = 0; n < 5; n++) await fetch(at('victim.example.org'), { namedBy: 'operator' })
    expect(visitsTo('victim.example.org')).toBe(5)
  })

  test('nor are the connections to what the operator runs, and callers cannot use them up', async () => {
    internet.web.site('bucket.example.org', '*', { headers: { connection: 'close' }, body: '' })
    const fetch = open({ address: 2 })
    for (let n = 0; n < 5; n++) await fetch(at('bucket.example.org'), { namedBy: 'operator', fresh: true })
    for (let n = 0; n < 2; n++) await fetch(at('bucket.example.org'), { fresh: true })
    await expect(fetch(at('bucket.example.org'), { fresh: true })).rejects.toMatchObject(refusal)
    await fetch(at('bucket.example.org'), { namedBy: 'operator', fresh: true })
    expect(visitsTo('bucket.example.org')).toBe(8)
  })
})

test('what the documentation says is what is counted', async () => {
  const { readFile } = await import('node:fs/promises')
  const text = (await readFile('docs/operations.md', 'utf8')).replace(/\s+/g, ' ')
  expect(text).toContain(
    `${budgetLimits.host} requests a minute to one host, ${budgetLimits.domain} to one registrable domain and ${budgetLimits.address} new connections to one address`,
  )
})
