import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { describe, expect, inject } from 'vitest'
import { canPay } from '../payment/evm-chain.ts'
import type {} from '../store/database.ts'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

const onPath = (name: string): string | undefined => {
  try {
    return execFileSync('which', [name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}

const binary = process.env.CHROMIUM || names.map(onPath).find(path => path !== undefined)

if (!binary) console.warn('\n!!! THE TESTS IN A BROWSER ARE SKIPPED: no Chromium on PATH or in CHROMIUM\n')

/** Tests that need a Chromium and a local chain: without them they are loudly skipped. */
export const inBrowser = describe.skipIf(!binary || !canPay)

/** A connection to the one Chromium of this run; closing it ends its contexts. */
export const openBrowser = async (): Promise<Browser> => {
  const response = await fetch(`${inject('shared')}/browser?path=${encodeURIComponent(binary ?? '')}`)
  const address = await response.text()
  if (!response.ok) throw new Error(address)
  return chromium.connect(address)
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Pictures of what the tests looked at: the artifacts of a run. */
export const pictures = process.env.SCREENSHOTS ?? 'node_modules/.cache/screenshots'

/** Looks at a page: nothing sticks out sideways, axe finds nothing where it can run, and a picture of it is kept. */
export const look = async (page: Page, name: string, hasScripts = true): Promise<void> => {
  const width = page.viewportSize()?.width ?? 0
  expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBeLessThanOrEqual(width)
  if (hasScripts) {
    await page.evaluate(axe)
    const violations = await page.evaluate(
      'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.slice(0, 3).map(node => node.html).join(" ")))',
    )
    expect(violations, name).toEqual([])
  }
  const scheme = await page.evaluate('matchMedia("(prefers-color-scheme:dark)").matches ? "dark" : "light"')
  const file = `${name.replace(/[^a-z\d]+/gi, '-').slice(0, 80)}-${width}-${scheme}.png`
  await page.screenshot({ path: join(pictures, file), fullPage: true })
}

const focused = `(() => { const e = document.activeElement
  return [e.getAttribute('aria-label'), e.textContent, e.labels?.[0]?.textContent].filter(Boolean).map(t => t.trim()) })()`

/** Goes on by the tab key until an element of that name has the focus; a page that is just being left is waited for. */
export const tabTo = async (page: Page, name: string): Promise<void> => {
  for (let n = 0; n < 150; n++) {
    await page.keyboard.press('Tab')
    try {
      const names = (await page.evaluate(focused)) as string[]
      if (names.some(text => text.startsWith(name))) return
    } catch {
      await page.waitForLoadState()
    }
  }
  throw new Error(`${name} cannot be reached by the keyboard`)
}
