import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeSigningKey, openSign } from '../../../mcp/ports/sign/sign.ts'
import type { Store } from '../../../mcp/ports/store/port.ts'
import { filings, makeTicket, openFilings } from '../../../mcp/services/forecast/filings/port.ts'
import { openRecord, record } from '../../../mcp/services/forecast/record/log.ts'
import { registerPrediction, resolvePrediction } from '../../../mcp/services/forecast/record/prediction.ts'
import { takeSnapshots } from '../../../mcp/services/forecast/record/snapshots.ts'
import forecast from '../../../mcp/services/forecast/service.ts'
import { openEmbedded } from '../../../store/embedded/open.ts'
import { openTestApp, type TestApp } from '../../../testing.ts'
import { inBrowser, look, openBrowser } from '../../express/browser.ts'
import { type Internet, startInternet } from '../../internet/internet.ts'
import { filingsEnvironment, startRegulator } from './regulator.ts'

const html = { headers: { accept: 'text/html' } }
const hostile =
  'Will <img src=x onerror=alert(1)> | [click](javascript:alert(2)) ![x](http://evil.example/) http://evil.example/ **rise** happen?'

let internet: Internet
let app: TestApp
let store: Store
let ticket: string
const folder = mkdtempSync(join(tmpdir(), 'octagent-pages-'))
let now = new Date('2026-01-10T12:00:00.000Z')
const clock = { now: () => now }

beforeAll(async () => {
  internet = await startInternet()
  startRegulator(internet)
  store = await openEmbedded({ dir: folder })
  const sign = openSign(makeSigningKey())
  const ownRecord = openRecord({ store, clock })
  for (let day = 0; day < 4; day++) {
    for (let index = 0; index < 30; index++)
      await store.transaction(async tx => {
        const closesAt = new Date(now.getTime() + 60_000)
        const question = index === 0 ? hostile : `Will event ${day}-${index} happen?`
        const facts = { question, domain: 'social', method: 'reference_class', tier: 'quick', source: null }
        const prediction = await registerPrediction(
          tx,
          { ...facts, probability: (index % 10) / 10 + 0.05, closesAt },
          now,
        )
        if (index === 29) return
        const outcome = (index * 7 + day) % 10 < index % 10 ? 1 : 0
        const evidence = 'https://example.com/?q=<script>alert(3)</script>'
        await resolvePrediction(tx, prediction, { outcome, by: 'source', evidence }, now)
      })
    now = new Date(now.getTime() + 86_400_000)
  }
  await takeSnapshots({ store, clock, sign, record: ownRecord })
  const { fetch } = internet.ports()
  const ownFilings = openFilings({
    fetch,
    clock,
    filingsContact: filingsEnvironment.FORECAST_FILINGS_CONTACT,
    filingsData: filingsEnvironment.FORECAST_FILINGS_DATA,
    filingsTickers: filingsEnvironment.FORECAST_FILINGS_TICKERS,
  })
  ticket = makeTicket(sign, { cik: 1, tier: 'deep', years: 5, periods: 8 }, now)
  app = await openTestApp({
    services: [forecast],
    ports: { store, clock, sign, fetch },
    replaced: [record.as(ownRecord), filings.as(ownFilings)],
    environment: { OCTAGENT_DEVNET: 'false' },
  })
})
afterAll(async () => {
  await app?.close()
  await internet?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const paths = () => [
  '/forecast/calibration',
  '/forecast/predictions/prd_00000001',
  '/forecast/predictions/prd_00000030',
  `/forecast/filings/${ticket}`,
]

describe('pages of the record', () => {
  test('hold the curve and the trajectory as pictures, each beside its table', async () => {
    const text = await (await fetch(`${app.url}/forecast/calibration`, html)).text()
    expect(text.match(/<figure><svg [^>]*role="img"/g)).toHaveLength(2)
    expect(text).toContain('<title id="curve-title">Calibration curve</title>')
    expect(text).toContain('Brier score at the end of 4 days')
    expect(text.match(/<table>/g)).toHaveLength(2)
    const data = await (
      await fetch(`${app.url}/forecast/calibration`, { headers: { accept: 'application/json' } })
    ).json()
    expect(data).toMatchObject({ calibration: { scored: 116 }, days: { length: 4 } })
  })

  test('show a prediction whose words are those of a stranger as words', async () => {
    const response = await fetch(`${app.url}/forecast/predictions/prd_00000001`, html)
    const text = await response.text()
    expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'; style-src 'sha256-/)
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(text).not.toMatch(/<img|<script>alert|href="javascript|href="http:\/\/evil|<strong>rise/)
    const markdown = await (await fetch(`${app.url}/forecast/predictions/prd_00000001`)).text()
    expect(markdown).not.toContain('[click](')
  })

  test('keep what an open prediction says, and do not know one that is not there', async () => {
    const text = await (await fetch(`${app.url}/forecast/predictions/prd_00000030`, html)).text()
    expect(text).toContain('are published with the outcome')
    expect(text).not.toContain('event 0-29')
    for (const id of ['prd_99999999', 'x', '%3Cscript%3E'])
      expect((await fetch(`${app.url}/forecast/predictions/${id}`, html)).status, id).toBe(404)
  })

  test('show filings to who paid for them, with a chart for each number', async () => {
    const text = await (await fetch(`${app.url}/forecast/filings/${ticket}`, html)).text()
    expect(text.match(/<figure><svg /g)).toHaveLength(4)
    expect(text).toContain('Example Corp')
    expect(text).toContain('<title id="revenue-title">Revenue, USD</title>')
    for (const other of ['x', `${ticket}x`, ticket.split('.').reverse().join('.')])
      expect((await fetch(`${app.url}/forecast/filings/${other}`, html)).status).toBe(404)
    const before = now
    now = new Date(now.getTime() + 31 * 86_400_000)
    expect((await fetch(`${app.url}/forecast/filings/${ticket}`, html)).status).toBe(404)
    now = before
  })

  test('are described by their form, and are no resources of MCP', async () => {
    const openapi = (await (await fetch(`${app.url}/forecast/openapi.json`)).json()) as {
      paths: Record<string, { get?: { parameters?: { name: string }[] } }>
    }
    expect(openapi.paths['/predictions/{id}']?.get?.parameters).toMatchObject([{ name: 'id', in: 'path' }])
    const text = await (await fetch(`${app.url}/forecast/llms-full.txt`)).text()
    expect(text).toContain('/forecast/predictions/{id}')
    expect(text).not.toContain('/predictions/:id')
  })
})

inBrowser('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())

  test.each([
    [390, 'light'],
    [390, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const)('of %i pixels, %s, everybody can use each page', async (width, colorScheme) => {
    for (const path of paths()) {
      const viewport = { width, height: 900 }
      const context = await browser.newContext({ viewport, colorScheme, bypassCSP: true })
      const page = await context.newPage()
      await page.goto(app.url + path)
      await look(page, path)
      await context.close()
    }
  })

  test('pictures are drawn under the policy of the page, and nothing runs', async () => {
    const context = await browser.newContext({ viewport: { width: 390, height: 900 } })
    const page = await context.newPage()
    const faults: string[] = []
    page.on('console', message => message.type() === 'error' && faults.push(message.text()))
    page.on('dialog', dialog => {
      faults.push(dialog.message())
      void dialog.dismiss()
    })
    for (const path of paths()) await page.goto(app.url + path)
    await page.goto(`${app.url}/forecast/calibration`)
    const colour = "getComputedStyle(document.querySelector('svg .point')).fill"
    expect(await page.evaluate(colour)).toBe('rgb(15, 100, 102)')
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await page.evaluate(colour)).toBe('rgb(111, 199, 196)')
    const box = await page.locator('figure svg').first().boundingBox()
    expect(box?.width).toBeGreaterThan(200)
    expect(faults).toEqual([])
    await context.close()
  })
})
