// Costs: a Firefox and a WebKit go one way each, by the keyboard alone.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { services } from '../../app/services.ts'
import { openTestApp, type TestApp } from '../../testing.ts'
import { pictures } from '../express/browser.ts'
import { canPay } from '../payment/evm-chain.ts'
import { type Engine, engines } from './engines.ts'

const tab = '\uE004'
const enter = '\uE007'

const focused = `const e = document.activeElement
  return [e.getAttribute('aria-label'), e.textContent, e.labels?.[0]?.textContent].filter(Boolean).map(t => t.trim())`

describe.skipIf(!canPay || engines.length === 0)('in another browser', () => {
  let app: TestApp
  let axe: string
  beforeAll(async () => {
    app = await openTestApp({ services, environment: { ANVIL: process.env.ANVIL ?? '' } })
    axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  })
  afterAll(() => app?.close())

  const tabTo = async (engine: Engine, name: string) => {
    for (let n = 0; n < 100; n++) {
      await engine.press(tab)
      const names = (await engine.run(focused)) as string[]
      if (names.some(text => text.startsWith(name))) return
    }
    throw new Error(`${name} cannot be reached by the keyboard`)
  }

  const press = async (engine: Engine, name: string) => {
    await tabTo(engine, name)
    await engine.press(enter)
  }

  const reach = (engine: Engine, condition: string) =>
    expect
      .poll(() => engine.run(`return Boolean(${condition})`).catch(() => false), { timeout: 30_000 })
      .toBe(true)

  const look = async (engine: Engine, name: string) => {
    const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect(await engine.run(`return ${sideways}`), name).toBeLessThanOrEqual(0)
    await engine.run(`${axe}; window.axe = axe`)
    const violations = await engine.run(
      'return axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes[0].html))',
    )
    expect(violations, name).toEqual([])
    await mkdir(pictures, { recursive: true })
    await writeFile(join(pictures, `${name}.png`), await engine.picture())
  }

  test.each(engines)(
    '%s finds a tool, meets its price, pays it and reads the receipt',
    async (name, open) => {
      const engine = await open(500)
      try {
        await engine.go(`${app.url.replace('127.0.0.1', 'localhost')}/`)
        await tabTo(engine, 'Search the tools')
        for (const letter of 'feed the cat') await engine.press(letter)
        await engine.press(enter)
        await reach(engine, 'location.search.includes("feed") && document.querySelector(".rows")')
        await look(engine, `${name}-found`)
        await press(engine, 'Feed the cat')
        await reach(engine, 'location.pathname === "/cat/tools/feed"')
        await look(engine, `${name}-tool`)
        await press(engine, 'Run')
        await reach(engine, 'document.getElementById("price")?.textContent === "0.10 USDC"')
        await look(engine, `${name}-pay-card`)
        await press(engine, 'Pay from the demo wallet')
        await reach(engine, 'document.querySelector("#answer a[href*=receipts]")')
        await look(engine, `${name}-answer`)
        await press(engine, 'paid, the receipt')
        await reach(engine, 'location.pathname.startsWith("/receipts/") && document.querySelector("h1")')
        expect(await engine.run('return document.querySelector("main").textContent')).toContain('feed')
        await look(engine, `${name}-receipt`)
      } catch (cause) {
        await writeFile(join(pictures, `${name}-stopped.png`), await engine.picture())
        throw cause
      } finally {
        await engine.close()
      }
    },
  )
})
