import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadReceipt } from '../../mcp/payment/gate/receipt.ts'
import { type PaymentRow, paymentRows } from '../../mcp/payment/gate/record.ts'
import { receiptRoutes } from '../../rest-adapter/receipts.ts'
import { openShell } from '../../web/shell.ts'
import { inBrowser, look, openBrowser } from '../express/browser.ts'
import { listen } from '../listen.ts'
import { openTestWorld } from '../world.ts'

const id = 'a'.repeat(32)
const hostileId = 'b'.repeat(32)

const row: PaymentRow = {
  id: 'digest-1',
  receipt: id,
  state: 'done',
  claim: 'claim-1',
  request: 'request-1',
  service: 'cat',
  tool: 'feed',
  settle: 'before',
  method: 'x402-evm',
  dialect: 'x402',
  network: 'eip155:8453',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
  amount: '100000',
  payer: '0x857b06519E91e3A54538791bDbb0E22373e36b66',
  transaction: `0x${'c'.repeat(64)}`,
  log: null,
  spentElsewhere: false,
  reverted: null,
  watch: null,
  watchEnd: null,
  offer: '{}',
  sealed: null,
  answer: '{"secret":"what was answered"}',
  runner: null,
  lease: null,
  rate: null,
  refund: null,
  created: '2026-11-22T10:00:00.000Z',
  updated: '2026-11-22T10:00:01.000Z',
}

/** What another system may have put where names of payers and transactions stand. */
const hostile: PaymentRow = {
  ...row,
  id: 'digest-2',
  claim: 'claim-2',
  receipt: hostileId,
  payer: '<script>document.title="taken"</script><img src=x onerror="document.title=\'taken\'">',
  transaction: `| [click](javascript:alert(1)) | ![x](https://tracker.example/x.png)\n\n# Refund here\n\n\`${'W'.repeat(300)}\``,
  asset: '</td></tr></table><style>body{display:none}</style>&lt;b&gt;',
}

let world: Awaited<ReturnType<typeof openTestWorld>>
let server: Awaited<ReturnType<typeof listen>>
beforeAll(async () => {
  world = await openTestWorld()
  const { store } = world.ports
  if (!store) throw new Error('a world has a store')
  await store.transaction(async tx => {
    for (const payment of [row, hostile]) await paymentRows(tx).insert(payment)
  })
  const claim = () => Promise.reject(new Error('nothing is claimed here'))
  const refund = claim
  server = await listen([
    {
      prefix: '',
      routes: receiptRoutes({ read: receipt => loadReceipt(store, receipt), claim, refund }, openShell(), {
        serviceName: slug => (slug === 'cat' ? 'The cat' : undefined),
        isPublic: true,
      }),
    },
  ])
})
afterAll(async () => {
  await server?.stop()
  await world?.stop()
})

const get = (accept?: string, receipt = id) =>
  fetch(`${server.url}/receipts/${receipt}`, { headers: accept === undefined ? {} : { accept } })

/** A receipt as JSON. */
const readJson = async (receipt?: string): Promise<Record<string, unknown>> =>
  JSON.parse(await (await get('application/json', receipt)).text())

const type = (response: Response) => response.headers.get('content-type')?.split(';')[0]

describe('a receipt', () => {
  test.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['text/html', 'text/html'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
    ['application/json, text/html;q=0.5', 'application/json'],
    ['text/html;q=0, application/json', 'application/json'],
  ])('for who accepts %s is %s', async (accept, expected) => {
    const response = await get(accept)
    expect([response.status, type(response)]).toEqual([200, expected])
    expect(response.headers.get('vary')).toContain('Accept')
  })

  test('says the same as a page and as JSON, and neither tells input nor answer', async () => {
    const receipt = await readJson()
    const page = await (await get('text/html')).text()
    for (const [name, value] of Object.entries(receipt)) {
      if (value === null) continue
      expect(page).toContain(`<td>${name}</td>`)
      if (typeof value === 'string') expect(page).toContain(value)
    }
    expect(page.slice(page.indexOf('<table'), page.indexOf('</table>'))).not.toMatch(/undefined|null/)
    expect(page).not.toMatch(/what was answered|digest-1|claim-1/)
    expect(JSON.stringify(receipt)).not.toMatch(/what was answered|digest-1|claim-1/)
  })

  test('says in words what was paid for what and how, and leads to the transfer on its chain', async () => {
    const page = await (await get('text/html')).text()
    expect(page).toContain('<p class="price">0.10 USDC</p>')
    expect(page).toContain('The cat: feed · paid by wallet on Base · 2026-11-22 10:00 UTC')
    expect(page).toContain(`<a href="https://basescan.org/tx/${row.transaction}"`)
    expect(await (await get('text/html', hostileId)).text()).not.toContain('basescan')
  })

  test('that is not there is not found in either form', async () => {
    for (const accept of ['text/html', 'application/json'])
      for (const receipt of ['c'.repeat(32), 'A'.repeat(32), 'x', '%3Cscript%3E'])
        expect((await get(accept, receipt)).status).toBe(404)
  })

  test('shows the words of others as text, under a policy that runs none of them', async () => {
    const response = await get('text/html', hostileId)
    const page = await response.text()
    expect(page).not.toMatch(/<script>document|<img|<style>body|<h1[^>]*>Refund|href="javascript/i)
    expect(page).toContain('&lt;script&gt;')
    expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'/)
    expect((await readJson(hostileId)).payer).toBe(hostile.payer)
  })
})

inBrowser('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())

  test.each([
    [390, id],
    [1280, id],
    [390, hostileId],
    [1280, hostileId],
  ])(
    'of %i pixels, %s fits, asks nobody, runs nothing and can be used by everybody',
    async (width, receipt) => {
      const context = await browser.newContext({ viewport: { width, height: 844 }, bypassCSP: true })
      const page = await context.newPage()
      const requests: string[] = []
      page.on('request', request => requests.push(request.url()))
      await page.goto(`${server.url}/receipts/${receipt}`)
      expect(await page.title()).toMatch(/^Receipt/)
      expect(await page.locator('td', { hasText: 'payTo' }).isVisible()).toBe(true)
      expect(requests.filter(url => !url.startsWith(server.url))).toEqual([])
      await look(page, `receipt ${receipt}`)
      await context.close()
    },
  )
})
