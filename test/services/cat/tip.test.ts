import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openDevnetKeys } from '../../../mcp/ports/devnet/keys.ts'
import claimTip from '../../../mcp/services/cat/claim-tip.ts'
import { startApp } from '../../app.ts'
import { onAnvil } from '../../payment/evm-chain.ts'
import { sendTip } from '../../payment/tip.ts'

onAnvil('claiming a tip', () => {
  let app: Awaited<ReturnType<typeof startApp>>
  beforeAll(async () => {
    app = await startApp()
  })
  afterAll(() => app.stop())

  const claim = async (body: object, partner = 'partner') => {
    const response = await fetch(`${app.url}/cat/api/${partner}/tip/claim`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as { number: number; detail: string } }
  }
  const petKeys = async () =>
    Object.keys((await (await fetch(`${app.url}/cat/api/pet`)).json()) as object).sort()
  const newest = async () => {
    const list = (await (await fetch(`${app.url}/cat/api/feedings?limit=1`)).json()) as { feedings: object[] }
    return list.feedings[0]
  }
  const fed = async () =>
    ((await (await fetch(`${app.url}/cat/api/feedings`)).json()) as { count: number }).count

  test('a transfer of ten cents feeds the cat once, however often and under whatever name it is claimed', async () => {
    const hash = await sendTip(app)
    const before = await fed()
    const first = await claim({ transaction_hash: hash })
    expect(first.status).toBe(200)
    expect(first.body).toMatchObject({ kind: 'tip', transaction: hash, kibble: 10, network: 'eip155:8453' })
    expect(Object.keys(first.body).sort()).toEqual(await petKeys())
    for (const name of ['txHash', 'transaction_hash', 'transaction', 'hash'])
      expect(await claim({ [name]: hash })).toEqual(first)
    const crowd = await Promise.all(
      Array.from({ length: 10 }, () => claim({ transaction_hash: hash.toUpperCase().replace('0X', '0x') })),
    )
    for (const answer of crowd) expect(answer).toEqual(first)
    expect(await fed()).toBe(before + 1)
  })

  test('each thing that is wrong has its own answer, and none feeds the cat', async () => {
    const before = await fed()
    const stranger = `0x${'1'.repeat(40)}` as const
    expect((await claim({ transaction_hash: await sendTip(app, { amount: 99_999n }) })).body.detail).toMatch(
      /too little/,
    )
    expect((await claim({ tx_hash: await sendTip(app, { to: stranger }) })).body.detail).toMatch(
      /another recipient/,
    )
    expect(await claim({ transaction_hash: `0x${'0'.repeat(64)}` })).toMatchObject({ status: 404 })
    expect(await claim({ transaction_hash: 'nonsense' })).toMatchObject({ status: 422 })
    expect(await claim({})).toMatchObject({ status: 422, body: { issues: [{ path: 'transaction_hash' }] } })
    expect(await claim({ tx_hash: '0x1', hash: '0x2' })).toMatchObject({ status: 422 })
    expect(await claim({ transaction_hash: `0x${'0'.repeat(64)}` }, 'nobody')).toMatchObject({ status: 404 })
    expect(await fed()).toBe(before)
  })

  test('a transfer that nobody claims is found, and a claim that comes later gets its receipt', async () => {
    const before = await fed()
    const hash = await sendTip(app, { amount: 1_250_000n })
    await vi.waitFor(async () => expect(await fed()).toBe(before + 1), { interval: 250 })
    expect(await claim({ transaction_hash: hash })).toMatchObject({
      status: 200,
      body: { number: before + 1, transaction: hash },
    })
    expect(await fed()).toBe(before + 1)
    expect(await newest()).toMatchObject({ kind: 'tip', amount_usd: '1.25', transaction: hash })
  })

  test('claim_tip is a skill over A2A too, lists one name of the hash and takes the others; the bowl is there for a GET', async () => {
    const hash = await sendTip(app)
    const message = {
      role: 'user',
      messageId: '1',
      kind: 'message',
      parts: [{ kind: 'data', data: { skill: 'claim_tip', txHash: hash } }],
    }
    const response = await fetch(`${app.url}/cat/a2a`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } }),
    })
    expect(await response.text()).toContain(hash)
    const card = (await (await fetch(`${app.url}/cat/.well-known/agent-card.json`)).json()) as {
      skills: { id: string }[]
    }
    expect(card.skills.map(({ id }) => id)).toContain('claim_tip')
    expect(Object.keys(claimTip.input.shape)).toEqual(['partner', 'transaction_hash'])
    const bowl = (await (await fetch(`${app.url}/cat/api/bowl`)).json()) as object
    expect(bowl).toMatchObject({
      kibble: expect.any(Number),
      mood: expect.any(String),
      feedings: expect.any(Number),
    })
  })

  test('the payment of a feed is no tip', async () => {
    const { demo } = await openDevnetKeys(app.dir)
    const client = new x402Client().register('eip155:*', new ExactEvmScheme(privateKeyToAccount(demo)))
    const paid = await wrapFetchWithPayment(fetch, client)(`${app.url}/cat/api/feed`, { method: 'POST' })
    const purr = (await paid.json()) as { transaction: string }
    const { transaction } = purr
    expect(Object.keys(purr).sort()).toEqual(await petKeys())
    expect(purr).toMatchObject({ kind: 'feed', amount_usd: '0.10' })
    expect(await newest()).toMatchObject({ kind: 'feed', amount_usd: '0.10', transaction })
    const before = await fed()
    expect(await claim({ transaction_hash: transaction })).toMatchObject({ status: 409 })
    const mark = await sendTip(app)
    await vi.waitFor(async () => expect(await fed()).toBe(before + 1), { interval: 250 })
    expect(await claim({ transaction_hash: mark })).toMatchObject({ body: { number: before + 1 } })
  })
})
