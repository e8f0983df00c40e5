import { rm } from 'node:fs/promises'
import { createTestClient, http } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { onAnvil, openTestDevnet } from '../payment/evm-chain.ts'
import { openRpcProxy } from '../payment/rpc-proxy.ts'
import { folder, octagent, serve } from './run.ts'

type Ready = { ok: boolean; degraded?: true; networks: { network: string; ok: boolean }[] }

onAnvil('a network that is configured', () => {
  let net: Awaited<ReturnType<typeof openTestDevnet>>
  let proxy: Awaited<ReturnType<typeof openRpcProxy>>
  let settings: Record<string, string>
  const dir = folder()

  beforeAll(async () => {
    net = await openTestDevnet()
    const { rpc } = await net.devnet.network('base')
    proxy = await openRpcProxy(rpc)
    const [gas, till] = [generatePrivateKey(), generatePrivateKey()]
    const { address } = privateKeyToAccount(gas)
    await createTestClient({ mode: 'anvil', transport: http(rpc) }).setBalance({ address, value: 10n ** 18n })
    settings = {
      PORT: '0',
      OCTAGENT_DATA: dir,
      OCTAGENT_NETWORKS: `base=${proxy.url}`,
      OCTAGENT_PAY_TO: privateKeyToAccount(till).address,
      OCTAGENT_REFUND_KEY: till,
      OCTAGENT_FACILITATOR_KEY: gas,
    }
  })
  afterAll(async () => {
    await proxy.close()
    await net.close()
    await rm(dir, { recursive: true, force: true })
  })

  test('has a line of doctor for each check', async () => {
    const { code, stdout } = await octagent(['doctor'], settings)
    for (const check of ['chain id', 'USDC', 'gas', 'OCTAGENT_PAY_TO', 'OCTAGENT_REFUND_KEY'])
      expect(stdout).toMatch(new RegExp(`ok +base ${check}`))
    expect(code).toBe(0)
  })

  test('of another chain is refused at the start, and doctor says why', async () => {
    const { rpc } = await net.devnet.network('base-sepolia')
    const other = { ...settings, OCTAGENT_NETWORKS: `base=${rpc}` }
    await expect(serve(other)).rejects.toThrow(/base: chain id: the node is of chain 84532; Base is 8453/)
    const { code, stdout } = await octagent(['doctor'], other)
    expect(stdout).toMatch(/off +base chain id +the node is of chain 84532/)
    expect(code).toBe(1)
  })

  test('is refused with an address that anybody has the key of', async () => {
    const OCTAGENT_PAY_TO = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
    await expect(serve({ ...settings, OCTAGENT_PAY_TO })).rejects.toThrow(
      /OCTAGENT_PAY_TO: it is an address of a local/,
    )
  })

  test('whose node is away starts without it, says so, and sells again when the node is back', async () => {
    proxy.knobs.interfere = () => 'broken'
    const server = await serve(settings)
    const feed = () => fetch(`${server.url}/cat/api/feed`, { method: 'POST' })
    const ready = async () => (await (await fetch(`${server.url}/readyz`)).json()) as Ready
    const refused = await feed()
    expect([refused.status, await refused.text()]).toEqual([
      503,
      expect.stringContaining('Payments on Base are off'),
    ])
    expect((await fetch(`${server.url}/cat/api/pet`)).status).toBe(200)
    expect(await ready()).toMatchObject({
      ok: true,
      degraded: true,
      networks: [{ network: 'base', ok: false }],
    })
    const { stdout } = await octagent(['doctor'], { ...settings, PORT: new URL(server.url).port })
    expect(stdout).toMatch(/off +base chain id +it does not answer just now/)
    proxy.knobs.interfere = () => undefined
    await expect.poll(async () => (await feed()).status, { timeout: 60_000, interval: 500 }).toBe(402)
    const after = await ready()
    expect(after).toMatchObject({ ok: true, networks: [{ network: 'base', ok: true }] })
    expect(after).not.toHaveProperty('degraded')
    server.child.kill('SIGTERM')
    expect(await server.exit).toBe(0)
  })
})
