import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { evmPayer } from '../../bench/payer.ts'
import { openChain } from '../../mcp/ports/chain/chain.ts'
import { networks } from '../../mcp/ports/chain/networks.ts'
import { openDevnetKeys } from '../../mcp/ports/devnet/keys.ts'
import { startApp } from '../app.ts'
import { balanceOf, canPay, makePayer } from '../payment/evm-chain.ts'
import { signRequest } from '../services/tasks/signing.ts'
import { describeJudged } from './judges.ts'
import { openMppxSession, readReceipt } from './mppx-session.ts'

type Body = Record<string, never>

describeJudged('clients', 'mppx, the stock client of the Payment scheme', () => {
  let app: Awaited<ReturnType<typeof startApp>>
  beforeAll(async () => {
    if (canPay) app = await startApp()
  })
  afterAll(() => app?.stop())

  const makeKey = async (account: PrivateKeyAccount): Promise<string> => {
    const url = `${app.url}/tasks/api/v1/auth/keys`
    const headers = await signRequest(account, url, {
      method: 'POST',
      body: '{}',
      contentType: 'application/json',
    })
    const response = await fetch(url, { method: 'POST', headers, body: '{}' })
    return ((await response.json()) as { api_key: string }).api_key
  }

  const ask = async (key: string, path: string, body?: object, by: typeof fetch = fetch) => {
    const response = await by(`${app.url}/tasks${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as Body }
  }

  const openTask = async (publisher: string, payer: typeof fetch) => {
    const worker = privateKeyToAccount(generatePrivateKey())
    const workerKey = await makeKey(worker)
    const published = await ask(publisher, '/api/v1/tasks', {
      title: 'Keep me company',
      instructions: 'Answer my questions about the town for as long as I pay.',
      category: 'knowledge_access',
      bounty_usd: '0.01',
      deadline_hours: 24,
      evidence_required: ['text_response'],
    })
    const { task_id } = published.body
    await ask(workerKey, '/api/v1/workers/register', { kind: 'human', name: 'Ada' })
    await ask(workerKey, `/api/v1/tasks/${task_id}/apply`, {})
    const executor_id = `eip155:8453:${worker.address.toLowerCase()}`
    await ask(publisher, `/api/v1/tasks/${task_id}/assign`, { executor_id }, payer)
    await ask(workerKey, `/api/v1/tasks/${task_id}/start`, {})
    return { task_id: String(task_id), workerKey }
  }

  test.skipIf(!canPay).each(['base', 'arbitrum'] as const)(
    'opens, pays, tops up and closes a session on %s',
    async network => {
      const { demo } = await openDevnetKeys(app.dir)
      const publisherKey = await makeKey(privateKeyToAccount(demo))
      const { task_id, workerKey } = await openTask(publisherKey, evmPayer(demo).fetch)
      const chain = openChain({
        network: networks[network],
        rpc: (await app.devnetRpc(network)) ?? '',
        devnet: true,
      })
      const { account, address } = await makePayer(chain, 5_000_000n)
      const mppx = await openMppxSession(account)
      const pay = (body = '', more: object = {}) =>
        mppx.fetch(`${app.url}/tasks/api/v1/streams/${task_id}/session`, {
          method: 'POST',
          headers: { 'x-api-key': publisherKey, 'content-type': 'application/json', ...more },
          body,
        })

      const terms = JSON.stringify({ rate_usd: '0.001', unit: 'second', cap_usdc: '1', network })
      mppx.next({ action: 'open' })
      const opened = await pay(terms)
      expect([opened.status, await opened.json()]).toMatchObject([
        200,
        { state: 'open', network, deposit_usdc: '1.00', price_usd: '0.00105', channel_id: mppx.channelId() },
      ])
      expect(readReceipt(opened)).toMatchObject({
        method: 'evm',
        intent: 'session',
        status: 'success',
        reference: mppx.channelId(),
        chainId: networks[network].chainId,
        acceptedCumulative: '0',
        spent: '0',
      })
      expect(await balanceOf(chain, address)).toBe(4_000_000n)

      const reader = await chain.reader()
      const { keys } = { keys: await openDevnetKeys(app.dir) }
      const relayer = privateKeyToAccount(keys.facilitator).address
      const sent = await reader.getTransactionCount({ address: relayer })
      for (let unit = 1n; unit <= 50n; unit++) {
        mppx.next({ action: 'voucher', cumulative: unit * 1_050n })
        const paid = await pay('', { 'idempotency-key': `${network}-${unit}` })
        expect([paid.status, readReceipt(paid).acceptedCumulative]).toEqual([200, String(unit * 1_050n)])
      }
      expect(await reader.getTransactionCount({ address: relayer })).toBe(sent)

      mppx.next({ action: 'voucher', cumulative: 5_000_000n })
      const tooMuch = await pay()
      expect([tooMuch.status, await tooMuch.json()]).toMatchObject([
        402,
        { type: 'https://paymentauth.org/problems/session/amount-exceeds-deposit', deposit: '1000000' },
      ])
      mppx.next({ action: 'topUp', amount: 500_000n })
      const more = await pay()
      expect([more.status, await more.json()]).toMatchObject([200, { deposit_usdc: '1.50' }])

      const { body } = await ask(workerKey, '/api/v1/streams?role=worker')
      const [session] = (body as unknown as { sessions: { session_id: string }[] }).sessions
      const following = fetch(`${app.url}/tasks/api/v1/streams/session/${session?.session_id}/events`, {
        headers: { 'x-api-key': workerKey },
      }).then(response => response.text())

      mppx.next({ action: 'close', cumulative: 52_500n })
      const closed = await pay()
      const settled = (await closed.json()) as { state: string; settled_usdc: string; refunded_usdc: string }
      expect([closed.status, settled]).toMatchObject([
        200,
        { state: 'settled', settled_usdc: '0.0525', refunded_usdc: '1.4475' },
      ])
      expect(readReceipt(closed)).toMatchObject({ txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
      expect(await balanceOf(chain, address)).toBe(5_000_000n - 52_500n)

      const events = await following
      expect(events).toContain('event: session_open')
      expect(events.match(/event: voucher_accepted/g)).toHaveLength(50)
      expect(events).toContain('event: settlement_complete')
      expect(events).toMatch(
        /event: payment-receipt\ndata: \{"method":"evm","intent":"session","status":"success"/,
      )

      // The stock client answers what ended with what it is told.
      mppx.next({ action: 'voucher', cumulative: 60_000n })
      const late = await pay(terms)
      expect([late.status, await late.json()]).toMatchObject([
        410,
        { type: 'https://paymentauth.org/problems/session/channel-finalized', channelId: mppx.channelId() },
      ])
    },
  )
})
