import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { canPay } from '../payment/evm-chain.ts'
import { folder, type Running, serve } from './run.ts'

const data = folder()
let server: Running
beforeAll(async () => {
  server = await serve({ OCTAGENT_DATA: data })
})
afterAll(async () => {
  server.child.kill('SIGKILL')
  await server.exit
})

const run = async (name: string, environment: Record<string, string> = {}) =>
  (
    await promisify(execFile)(process.execPath, [`examples/${name}`, server.url], {
      env: { PATH: process.env.PATH ?? '', ...environment },
    })
  ).stdout

test.each([
  ['call-rest.mjs', "{ name: 'Ada' }"],
  ['call-a2a.mjs', '"kind": "message"'],
  ['call-mcp.mjs', 'data_json-repair free (60 a minute); else 0.002 USD'],
])('%s runs as it stands', async (name, text) => expect(await run(name)).toContain(text))

test.skipIf(!canPay).each(['pay-rest.mjs', 'pay-mcp.mjs'])('%s pays', async name => {
  // The keys of the local chains are made with the first quote.
  await fetch(`${server.url}/cat/api/feed`, { method: 'POST' })
  const { demo } = JSON.parse(readFileSync(join(data, 'devnet.json'), 'utf8')) as { demo: string }
  expect(await run(name, { PRIVATE_KEY: demo })).toMatch(/transaction: '0x[0-9a-f]{64}'/)
})

test.skipIf(!canPay)('pay-session.mjs pays by the second, and gets the rest back', async () => {
  await fetch(`${server.url}/cat/api/feed`, { method: 'POST' })
  const { demo } = JSON.parse(readFileSync(join(data, 'devnet.json'), 'utf8')) as { demo: string }
  const output = await run('pay-session.mjs', { PRIVATE_KEY: demo })
  expect(output).toContain('opened: 0.50 USDC in the escrow, 0.0105 USD a second')
  expect(output).toContain("state: 'settled',\n  settled_usdc: '0.0315',\n  refunded_usdc: '0.4685'")
})

test('the documents name each example', () => {
  const documents = ['docs/call.md', 'docs/pay.md'].map(file => readFileSync(file, 'utf8')).join('')
  for (const name of readdirSync('examples')) expect(documents).toContain(`node examples/${name}`)
})
