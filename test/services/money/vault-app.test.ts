import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp } from '../../../app/app.ts'
import { readConfig } from '../../../app/config.ts'
import money from '../../../mcp/services/money/service.ts'
import { anvilBinary, onAnvil } from '../../payment/evm-chain.ts'
import { sendCalls, vaultScenarios } from './vault-scenarios.ts'

onAnvil('vaults of a program that runs on local chains', () => {
  let dir: string
  let app: Awaited<ReturnType<typeof createApp>>
  let url: string

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'octagent-vaults-'))
    const settings = { PORT: '0', OCTAGENT_DATA: dir, OCTAGENT_LOG: 'silent', OCTAGENT_RATE_LIMIT: '1000000' }
    const config = readConfig({ ...settings, ...(anvilBinary && { ANVIL: anvilBinary }) }, [money])
    app = await createApp({ services: [money], config })
    url = await app.listen()
  })
  afterAll(async () => {
    await app.close(true)
    await rm(dir, { recursive: true, force: true })
  })

  const get = async (path: string) => (await fetch(`${url}/money${path}`)).json()
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${url}/money${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }

  test('the demo wallet buys stocks and leaves again, all over HTTP', async () => {
    expect(await get('/v1/discover-index')).toMatchObject({ simulated: true, constituents: [{}, {}, {}, {}] })
    const keys = JSON.parse(await readFile(join(dir, 'devnet.json'), 'utf8')) as { demo: Hex }
    const demo = privateKeyToAccount(keys.demo)
    const owner = demo.address
    type Calls = Parameters<typeof sendCalls>[2]
    const bought = await post('/v1/buy-stocks', { owner, amount: '25' })
    expect(bought).toMatchObject({ status: 200, body: { expect: { created: true, spent: '25' } } })
    await sendCalls(app, demo, bought.body.calls as Calls)
    expect(await get(`/v1/vault-status?owner=${owner}`)).toMatchObject({ exists: true, simulated: true })
    // What is asked about an account is read where its money is: on the local chain.
    expect(await get(`/v1/stablecoin/${owner}?chainId=8453`)).toMatchObject({
      chains: [{ chainId: 8453, balance: '975', domain: { matches: true } }],
    })
    const redeemed = await post('/v1/redeem', { owner, to: 'stablecoin', fraction_bps: 10_000 })
    await sendCalls(app, demo, redeemed.body.calls as Calls)
    expect(await get(`/v1/vault-status?owner=${owner}`)).toMatchObject({ shares: '0', value: '0' })
  })

  test.each(Object.keys(vaultScenarios) as (keyof typeof vaultScenarios)[])(
    'the examples of %s work',
    async name => {
      const tool = money.tools.find(tool => tool.name === name)
      for (const example of tool?.examples ?? []) {
        const { input } = await vaultScenarios[name]({ url, devnetRpc: app.devnetRpc }, example)
        expect(await post(`/tools/${name}`, input)).toMatchObject({ status: 200 })
      }
    },
  )

  test('signals and prices to beat are quoted on made-up prices', async () => {
    for (const path of ['basket-signals', 'predmkt/btc-5m'])
      expect([path, (await fetch(`${url}/money/v1/${path}`)).status]).toEqual([path, 402])
  })
})
