import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scenarios } from '../express/scenarios.ts'
import { type Market, openMarket, type Stock } from '../express/shop.ts'
import { canPay } from '../payment/evm-chain.ts'
import { describeJudged } from './judges.ts'

/** The rows of the table in docs/express.md: what happens, the stock middleware, ours. */
const rows = readFileSync('docs/express.md', 'utf8')
  .split('\n')
  .flatMap(line => {
    const [, title, stock, ours] = /^\| (.+?) \| (yes|no) \| (yes|no) \|$/.exec(line) ?? []
    return title === undefined ? [] : [{ title, stock: stock === 'yes', ours: ours === 'yes' }]
  })

test('docs/express.md tells every scenario, and no other', () => {
  expect(rows.map(({ title }) => title)).toEqual(scenarios.map(({ title }) => title))
})

if (canPay)
  describeJudged('clients', 'who survives what', () => {
    let market: Market
    let stock: Stock
    beforeAll(async () => {
      market = await openMarket()
      stock = (await import('@x402/express')) as unknown as Stock
    })
    afterAll(() => market.close())

    test.each(scenarios)('$title', async ({ title, survives }) => {
      const row = rows.find(each => each.title === title)
      expect({
        ours: await survives({ market, stock: undefined }),
        stock: await survives({ market, stock }),
      }).toEqual({ ours: row?.ours, stock: row?.stock })
    })
  })
