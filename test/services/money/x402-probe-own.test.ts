import { afterAll, beforeAll, expect, test } from 'vitest'
import { services } from '../../../app/services.ts'
import { isFree } from '../../../mcp/kernel/tool.ts'
import { openFetch } from '../../../mcp/ports/fetch/fetch.ts'
import { startApp } from '../../app.ts'
import { isAnswerable } from '../../contract/prepare.ts'
import { canPay } from '../../payment/evm-chain.ts'
import { startMoney } from './run.ts'

/** What answers a call without payment by 402: a price of its own, in dollars. */
const priced = services.flatMap(service =>
  service.tools
    .filter(({ price, mcp }) => !isFree(price) && price.unit === 'usd' && mcp !== 'unlisted')
    .filter(tool => isAnswerable(service, tool, 'POST') && (tool.auth ?? service.auth).includes('public'))
    .map(tool => ({ service, tool, id: `${service.slug}.${tool.name}` })),
)

/** What the stock client pays without being told otherwise. */
const defaultLimit = 1

let app: Awaited<ReturnType<typeof startApp>>
let money: Awaited<ReturnType<typeof startMoney>>
let close: () => Promise<void>
beforeAll(async () => {
  app = await startApp({ TRUST_PROXY: '1' })
  const port = Number(new URL(app.url).port)
  const fetch = openFetch({
    resolve: async () => [],
    allow: (address, to) => address === '127.0.0.1' && to === port,
    userAgent: 'Octagent/test',
    budget: { host: 100_000, domain: 100_000, address: 100_000 },
  })
  close = fetch.close
  money = await startMoney({ fetch })
})
afterAll(async () => {
  await money.stop()
  await close()
  await app.stop()
})

test('services of ours have prices', () => {
  expect(new Set(priced.map(({ service }) => service.slug)).size).toBeGreaterThan(1)
})

test.runIf(canPay).each(priced)('reads $id as healthy', async ({ service, tool }) => {
  const answer = await money.ask('x402_probe', {
    url: `${app.url}/${service.slug}/tools/${tool.name}`,
    method: 'POST',
    body: JSON.stringify(tool.examples[0]),
  })
  expect(answer).toMatchObject({ status: 402, healthy: true, version: 2 })
  const [offer] = answer.offers as { price: string }[]
  const pays = Number.parseFloat(offer?.price ?? '') <= defaultLimit
  expect(answer).toMatchObject({ default_client: { pays } })
  if (pays) expect(answer.first).toBeNull()
})
