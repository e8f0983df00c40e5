import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../ports/browser/has-browser.ts'
import { type BrowseApp, openBrowseApp } from '../services/proof/browsing/app.ts'
import { isShell, readBlocks } from './document.ts'
import { failureIn, runShell } from './shell.ts'

let app: BrowseApp
beforeAll(async () => {
  app = await openBrowseApp()
})
afterAll(() => app?.stop())

const blocks = readBlocks('docs/proof/browse.md').filter(isShell)

describe.skipIf(!hasBrowser).each(blocks)('the shell block at $place', ({ text }) => {
  test('works as printed, on a site of the test in place of the one outside', async () => {
    const answers = await runShell(text.replaceAll('https://example.com/', `${app.site.base}/article`), {
      url: app.url,
      dir: app.dir,
      environment: {},
      instead: {},
    })
    for (const answer of answers) expect(failureIn(answer), answer).toBeUndefined()
    expect(answers).toHaveLength([...text.matchAll(/^curl /gm)].length)
    if (!text.includes('example.png')) return
    expect(readFileSync(join(app.dir, 'example.png')).subarray(1, 4).toString()).toBe('PNG')
  })
})

test('there are commands', () => {
  expect(blocks.length).toBeGreaterThan(1)
})
