import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type App, createApp } from '../../app/app.ts'
import { readConfig } from '../../app/config.ts'
import { tool, usd } from '../../mcp/kernel/tool.ts'
import { serviceWith } from '../call/fixture.ts'
import { onAnvil } from '../payment/evm-chain.ts'

/** A tool that a person may open in a browser, paid on a network. */
const sight = (name: string, network: string) =>
  tool({
    name,
    title: 'A sight',
    description: 'Shows a sight of the town.',
    input: z.object({ place: z.string().describe('Which one') }),
    output: z.object({ sight: z.string().describe('What is there') }),
    needs: [],
    price: usd('0.10', network),
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    rest: { routes: [`GET /${name}`] },
    examples: [{ place: 'tower' }],
  }).run(async (_, { place }) => ({ sight: `the ${place}` }))

onAnvil('a person who opens a priced tool in a browser', () => {
  let app: App
  let base: string
  let dir: string
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'octagent-sights-'))
    const { ANVIL = '' } = process.env
    const config = readConfig({ PORT: '0', OCTAGENT_DATA: dir, OCTAGENT_LOG: 'silent', ANVIL })
    const town = serviceWith(sight('sight', 'base'), sight('mirage', 'solana'))
    app = await createApp({ services: [town], config })
    base = `${await app.listen()}/${town.slug}`
  })
  afterAll(async () => {
    await app?.close(true)
    await rm(dir, { recursive: true, force: true })
  })

  const browser = { accept: 'text/html,*/*;q=0.8', 'user-agent': 'Mozilla/5.0' }
  test('reads the price on a page; a program reads a problem', async () => {
    const page = await fetch(`${base}/sight?place=tower`, { headers: browser })
    expect([page.status, page.headers.get('content-type')]).toEqual([402, 'text/html; charset=utf-8'])
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    expect(page.headers.has('payment-required')).toBe(true)
    expect(await page.text()).toContain('id="price">0.10 USDC</dd>')
    const answer = await fetch(`${base}/sight?place=tower`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([402, 'application/problem+json'])
  })

  test('is not asked to pay for a call that could not run', async () => {
    const page = await fetch(`${base}/sight`, { headers: browser })
    expect([page.status, page.headers.get('content-type')]).toEqual([402, 'text/html; charset=utf-8'])
    expect(await page.text()).not.toContain('id="price"')
  })

  test('may pay from a balance where no wallet of a browser can', async () => {
    const page = await (await fetch(`${base}/mirage?place=desert`, { headers: browser })).text()
    expect(page).toContain('to pay from a balance')
    expect(page).not.toContain('id="pay"')
  })
})
