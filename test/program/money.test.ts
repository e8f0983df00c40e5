// Costs: the demo of the money tools with its chains, as a command.
import { rm } from 'node:fs/promises'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDevnetKeys } from '../../mcp/ports/devnet/keys.ts'
import { onAnvil, pay } from '../payment/evm-chain.ts'
import { folder, octagent, type Running, serve } from './run.ts'

const dir = folder()
let server: Running
beforeAll(async () => {
  server = await serve({ OCTAGENT_DATA: dir })
})
afterAll(async () => {
  server.child.kill('SIGKILL')
  await server.exit
  await rm(dir, { recursive: true, force: true })
})

const here = () => ({ PORT: new URL(server.url).port, OCTAGENT_DATA: dir })

onAnvil('the demo', () => {
  test('pays ten cents for a feed and shows where they went', async () => {
    const { code, stdout } = await octagent(['demo'], { OCTAGENT_DATA: folder() })
    expect(stdout).toMatch(/before +wallet 1000 USDC +cat 0 USDC/)
    expect(stdout).toMatch(/after +wallet 999\.9 USDC +cat 0\.1 USDC/)
    expect(stdout).toMatch(/^\w+\. .*Feeding 1; the bowl is at 10%\.$/m)
    expect(stdout).toMatch(/transaction 0x[0-9a-f]{64}/)
    expect(code).toBe(0)
  })

  test('hires a person, and the money is in the wallet of the worker', async () => {
    const { code, stdout } = await octagent(['demo', 'tasks'], { OCTAGENT_DATA: folder() })
    expect(stdout.trim().split('\n')).toEqual([
      expect.stringMatching(/^publisher 0x[0-9a-fA-F]{40} holds 10 USDC$/),
      expect.stringMatching(/^worker {4}0x[0-9a-fA-F]{40} holds 0 USDC$/),
      expect.stringMatching(/^publish {3}task_\w+: 5\.25 USDC into escrow/),
      expect.stringMatching(/^apply /),
      expect.stringMatching(/^assign /),
      expect.stringMatching(/^submit .*hash: pass/),
      expect.stringMatching(/^approve {3}5\.00 USD released to the worker$/),
      expect.stringMatching(/^withdraw .*: 0x[0-9a-f]{64}$/),
      expect.stringMatching(/^worker {4}0x[0-9a-fA-F]{40} holds 5 USDC$/),
    ])
    expect(code).toBe(0)
  })

  test('bridges, buys without gas and shows the vault', async () => {
    const { code, stdout } = await octagent(['demo', 'money'], { OCTAGENT_DATA: folder() })
    expect(stdout).toMatch(/bridge +paid 1\.0\d+ USDC on Base; 1 USDC arrived on Arc in 0x[0-9a-f]{64}/)
    expect(stdout).toMatch(/gas +3 calls in one transaction, for 0\.\d+ USDC: 0x[0-9a-f]{64}/)
    expect(stdout).toMatch(/vault +0x[0-9a-fA-F]{40} holds .*NVDA.*: worth 4\.9\d* USDC/)
    expect(code).toBe(0)
  })
})

test('without anvil, everything else works and the demo says how to get it', async () => {
  const { code, stderr } = await octagent(['demo'], { OCTAGENT_DATA: folder(), ANVIL: '/nowhere/anvil' })
  expect(code).toBe(1)
  expect(stderr).toMatch(/anvil/)
  const bare = await serve({ OCTAGENT_DATA: folder(), ANVIL: '/nowhere/anvil' })
  expect((await fetch(`${bare.url}/cat/api/pet`)).status).toBe(200)
  const quote = await fetch(`${bare.url}/cat/api/feed`, { method: 'POST' })
  expect(quote.status).toBe(503)
  expect(await quote.text()).toMatch(/anvil/)
  bare.child.kill('SIGTERM')
  expect(await bare.exit).toBe(0)
})

test('owed asks the running server; a refund of nothing is refused', async () => {
  const { code, stdout } = await octagent(['owed'], here())
  expect([code, stdout.trim()]).toEqual([0, 'nothing is owed'])
  const unknown = await octagent(['refund', '0'.repeat(32)], here())
  expect(unknown.code).toBe(1)
  expect(unknown.stderr).toContain('no payment')
})

onAnvil('the audit', () => {
  test('looks at the chain for what was paid, and says so as a table or as JSON', async () => {
    const feed = `${server.url}/cat/api/feed`
    const { demo } = await openDevnetKeys(dir)
    const quote = await fetch(feed, { method: 'POST' })
    const { accepts } = JSON.parse(atob(quote.headers.get('payment-required') ?? ''))
    const payment = btoa(JSON.stringify(await pay(privateKeyToAccount(demo), accepts[0])))
    const paid = await fetch(feed, { method: 'POST', headers: { 'payment-signature': payment } })
    expect(paid.status).toBe(200)

    const table = await octagent(['audit'], here())
    expect(table.code).toBe(0)
    expect(table.stdout).toMatch(/payments +1 records, 1 settled/)
    expect(table.stdout).toMatch(/0\.10 USDC on Base in 1/)
    expect(table.stdout).toMatch(/chain +1 transactions checked, 0 could not be/)
    expect(table.stdout).toContain('all agree')
    const { code, stdout } = await octagent(['audit', '--json', '--no-chain'], here())
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { ok: true, chain: { checked: 0 }, faults: [] }])
    expect((await fetch(`${server.url}/operator/audit`)).status).toBe(401)
  })
})

onAnvil('an answer that was lost with the process', () => {
  test('is given again after kill -9, with a new key for the account that was paid for', async () => {
    const own = folder()
    let running = await serve({ OCTAGENT_DATA: own })
    const credits = () => `${running.url}/broker/v1/account/credits`
    const quote = await fetch(credits(), { method: 'POST' })
    const { accepts } = JSON.parse(atob(quote.headers.get('payment-required') ?? ''))
    const { demo } = await openDevnetKeys(own)
    const payment = btoa(JSON.stringify(await pay(privateKeyToAccount(demo), accepts[0])))
    const send = async () => {
      const response = await fetch(credits(), { method: 'POST', headers: { 'payment-signature': payment } })
      return (await response.json()) as Record<string, string>
    }
    const first = await send()
    running.child.kill('SIGKILL')
    await running.exit
    running = await serve({ OCTAGENT_DATA: own })
    const again = await send()
    expect(again).toMatchObject({ account_id: first.account_id, added: 1000 })
    expect([first.api_key, again.api_key]).toEqual([
      expect.stringMatching(/^brk_/),
      expect.stringMatching(/^brk_/),
    ])
    const account = (key = '') => fetch(`${running.url}/broker/v1/account`, { headers: { 'x-api-key': key } })
    expect((await account(first.api_key)).status).toBe(401)
    expect((await account(again.api_key)).status).toBe(200)
    expect(await send()).toMatchObject({ status: 409, charged: true, reason: 'key_in_use' })
    running.child.kill('SIGKILL')
    await running.exit
    await rm(own, { recursive: true, force: true })
  })
})

test('the operations of the operator need the token of the data folder', async () => {
  expect((await fetch(`${server.url}/operator/owed`)).status).toBe(401)
  const headers = { authorization: 'Bearer guess' }
  expect((await fetch(`${server.url}/operator/owed`, { headers })).status).toBe(401)
  expect((await fetch(`${server.url}/operator/refund/1`, { method: 'POST', headers })).status).toBe(401)
})

test('keys of local chains are refused beside real networks', async () => {
  const { readFile } = await import('node:fs/promises')
  const own = folder()
  const { facilitator } = await openDevnetKeys(own)
  expect(await readFile(`${own}/devnet.json`, 'utf8')).toContain(facilitator)
  const real = {
    OCTAGENT_DATA: own,
    OCTAGENT_NETWORKS: 'base=https://rpc.example',
    OCTAGENT_PAY_TO: `0x${'1'.repeat(40)}`,
    OCTAGENT_FACILITATOR_KEY: facilitator,
  }
  await expect(serve(real)).rejects.toThrow(/key of a local chain/)
})
