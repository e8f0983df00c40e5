import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { verifyTypedData } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { demoKey, folders, openClient } from './client.ts'
import {
  bought,
  offer,
  priced,
  type Received,
  reply,
  type ScriptedRemote,
  startRemote,
  transaction,
} from './remote.ts'

const account = privateKeyToAccount(demoKey as `0x${string}`)
const lookAlike = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02914'
const solana = {
  network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
}

let remote: ScriptedRemote | undefined
const clients: ReturnType<typeof openClient>[] = []
let answer: (received: Received) => unknown
const sells = ({ payment }: Received) => (payment ? bought : priced())

beforeEach(async () => {
  answer = sells
  remote = await startRemote(received => answer(received))
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map(client => client.close()))
  await remote?.stop()
})

const served = (): ScriptedRemote => {
  if (!remote) throw new Error('beforeEach starts it')
  return remote
}

const open = (more: Partial<Parameters<typeof openClient>[0]> = {}) => {
  const client = openClient({ url: served().url, ...more })
  clients.push(client)
  return client
}

const rowsIn = ({ wallet }: { wallet: string }) =>
  readFileSync(join(wallet, 'payments.jsonl'), 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Record<string, unknown>)

const eventsIn = (folder: { wallet: string }) => rowsIn(folder).map(({ event }) => event)

describe('a price', () => {
  test('is paid by a signature that the token takes, over what the offer says', async () => {
    const client = open()
    expect(await client.buy()).toMatchObject({ text: 'bought' })
    const { payment } = served().calls()[1] ?? {}
    const { authorization, signature } = payment?.payload ?? { authorization: {}, signature: '' }
    expect(payment).toMatchObject({ x402Version: 2, accepted: offer(), resource: { url: 'mcp://tool/buy' } })
    expect(authorization).toMatchObject({ from: account.address, to: offer().payTo, value: '10000' })
    const { validAfter = '', validBefore = '', nonce } = authorization
    expect(Number(validBefore) - Number(validAfter)).toBe(660)
    expect(
      await verifyTypedData({
        address: account.address,
        domain: {
          name: 'USD Coin',
          version: '2',
          chainId: 8453,
          verifyingContract: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
        },
        types: {
          TransferWithAuthorization: ['from', 'to', 'value', 'validAfter', 'validBefore', 'nonce'].map(
            (name, index) => ({
              name,
              type: ['address', 'address', 'uint256', 'uint256', 'uint256', 'bytes32'][index] ?? '',
            }),
          ),
        },
        primaryType: 'TransferWithAuthorization',
        message: { ...authorization, nonce },
        signature: signature as `0x${string}`,
      }),
    ).toBe(true)
    expect(rowsIn(client.folder)).toMatchObject([
      { event: 'claimed', micros: '10000', tool: 'buy' },
      { event: 'settled', transaction },
    ])
  })

  test('of version 1 is paid in the words of version 1', async () => {
    const { amount, ...rest } = offer({ network: 'base' })
    answer = ({ payment }) =>
      payment ? bought : priced([{ ...rest, maxAmountRequired: amount }], { x402Version: 1 })
    expect(await open().buy()).toMatchObject({ text: 'bought' })
    expect(served().calls()[1]?.payment).toMatchObject({ x402Version: 1, scheme: 'exact', network: 'base' })
  })

  test.each([
    ['as text alone', { ...priced(), structuredContent: undefined }],
    ['among other offers', priced([offer(solana), offer({ asset: lookAlike }), offer()])],
  ])('is found %s', async (_, result) => {
    answer = ({ payment }) => (payment ? bought : result)
    expect(await open().buy()).toMatchObject({ text: 'bought' })
  })

  test('is found in an error with code 402', async () => {
    answer = received => {
      if (received.payment) return bought
      const data = priced().structuredContent
      received.response.writeHead(200, { 'content-type': 'application/json' })
      received.response.end(
        JSON.stringify({ jsonrpc: '2.0', id: received.body.id, error: { code: 402, message: 'pay', data } }),
      )
      return undefined
    }
    expect(await open().buy()).toMatchObject({ text: 'bought' })
  })

  test('is left to a client that pays by itself', async () => {
    answer = () => priced()
    const result = await open().buy({}, { _meta: { 'x402/payment': { of: 'its own' } } })
    expect(result.isError).toBe(true)
    expect(served().calls()).toHaveLength(1)
  })

  test('of the cheapest offer is paid', async () => {
    answer = ({ payment }) =>
      payment ? bought : priced([offer({ amount: '20000' }), offer({ amount: '9000' })])
    await open().buy()
    expect(served().calls()[1]?.payment?.accepted).toMatchObject({ amount: '9000' })
  })
})

describe('what is not paid', () => {
  const real = { extra: { name: 'USD Coin', version: '2' } }
  test.each([
    ['a look-alike of the token', offer({ asset: lookAlike }), 'is not its USDC'],
    ['another token', offer({ asset: '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2' }), 'USDT on Base'],
    ['Solana', offer(solana), 'Solana, where connect has no wallet'],
    ['a chain that nobody knows', offer({ network: 'eip155:424242' }), 'whose USDC connect does not know'],
    ['real money without leave', offer(real), 'Base, which nobody has allowed'],
    ['another scheme', offer({ scheme: 'upto' }), 'by the scheme upto'],
    ['Permit2', offer({ extra: { devnet: true, assetTransferMethod: 'permit2' } }), 'by permit2'],
    [
      'a payment that is valid for a year',
      offer({ maxTimeoutSeconds: 31_536_000 }),
      'valid for 31536000 seconds',
    ],
    ['nobody', offer({ payTo: `0x${'0'.repeat(40)}` }), 'nobody who is paid'],
    ['nothing', offer({ amount: '0' }), 'its amount cannot be read'],
    ['a negative amount', offer({ amount: '-1' }), 'its amount cannot be read'],
    ['more than there is', offer({ amount: '9'.repeat(40) }), 'its amount cannot be read'],
    ['an offer without end', offer({ extra: { devnet: true, words: 'x'.repeat(10_000) } }), 'too large'],
    ['an empty list', undefined, 'it makes no offer'],
  ])('%s', async (_, one, reason) => {
    answer = () => priced(one ? [one] : [])
    const client = open()
    const { isError, text } = await client.buy()
    expect(isError).toBe(true)
    expect(text).toContain(reason)
    expect(served().payments()).toEqual([])
    // Nothing was needed of the wallet, so there is none.
    expect(() => rowsIn(client.folder)).toThrow('ENOENT')
  })

  test('more than one call may cost, with the price in words', async () => {
    answer = () => priced([offer({ amount: '60000' })])
    const { text, structuredContent } = await open().buy()
    expect(text).toContain(
      'buy costs 0.06 USDC on Base (a local chain) and was not paid: a call may cost 0.05 USD at most.',
    )
    expect(structuredContent).toMatchObject({ x402Version: 2 })
    const inner = await open().buy({ name: 'cat_feed', arguments: {} }, { name: 'call_tool' })
    expect(inner.text).toMatch(/^cat_feed costs 0\.06 USDC/)
  })

  test('more than the budget', async () => {
    const client = open({ limits: { budget: '0.025' } })
    for (const _ of [1, 2]) expect(await client.buy()).toMatchObject({ text: 'bought' })
    expect((await client.buy()).text).toContain('0.02 of 0.025 USD for 24 hours are spent')
    expect(served().payments()).toHaveLength(2)
  })

  test('more than the total, whatever the day is', async () => {
    const day = { now: Date.parse('2026-11-23') }
    const client = open({ limits: { total: '0.01' }, now: () => day.now })
    await client.buy()
    day.now += 10 * 86_400_000
    expect((await client.buy()).text).toContain('0.01 of 0.01 USD in total are spent')
  })

  test.each([
    [{ description: 'Buys. Costs 0.005 USDC on Base.' }],
    [{ description: 'Buys. It costs $0.005 per call.' }],
    [{ _meta: { 'agents-x402/priceUSD': 0.005 } }],
    [{ annotations: { paymentPriceUSD: '0.005' } }],
  ])('more than the list of tools says: %j', async more => {
    const tools = [{ name: 'buy', inputSchema: { type: 'object' }, ...more }]
    await remote?.stop()
    remote = await startRemote(sells, ({ body }) => (body.method === 'tools/list' ? { tools } : undefined))
    const client = open()
    await client.request('tools/list')
    expect((await client.buy()).text).toContain('the list of tools says that it costs 0.005 USD')
    expect(served().payments()).toEqual([])
  })

  test('a local chain of a server elsewhere', async () => {
    const { chooseFor } = await import('./elsewhere.ts')
    expect(await chooseFor('https://tools.example.com/mcp', priced())).toContain(
      'a server that is not on this machine',
    )
  })

  test('real money over an unencrypted way', async () => {
    const { chooseFor } = await import('./elsewhere.ts')
    const refused = await chooseFor('http://tools.example.com/mcp', priced([offer(real)]), {
      network: 'base',
    })
    expect(refused).toContain('not encrypted')
  })

  test('a local chain whose demo wallet is not here', async () => {
    const folder = { ...folders(), data: '/nonexistent' }
    const client = open({ folder })
    expect((await client.buy()).text).toContain('the demo wallet of the local chains was not found')
    expect(client.reports.join()).toContain('OCTAGENT_DATA')
  })

  test('what cannot be recorded', async () => {
    const folder = { ...folders(), wallet: '/dev/null/wallet' }
    const client = open({ folder })
    expect((await client.buy()).text).toContain('what is not recorded is not signed')
    expect(served().payments()).toEqual([])
  })
})

describe('real money', () => {
  const real = offer({ extra: { name: 'A lie', version: '9' } })
  const walletKey = `0x${'77'.repeat(32)}`

  test('is paid where the operator allowed the network, from the own wallet', async () => {
    answer = ({ payment }) => (payment ? bought : priced([real]))
    await open({ limits: { network: 'base' }, walletKey }).buy()
    const { authorization } = served().calls()[1]?.payment?.payload ?? {}
    expect(authorization?.from).toBe(privateKeyToAccount(walletKey as `0x${string}`).address)
  })

  test('never comes from the demo wallet, nor the demo from the own wallet', async () => {
    answer = ({ payment, body }) => {
      if (payment) return bought
      return priced([JSON.stringify(body.params).includes('"real":true') ? real : offer()])
    }
    const client = open({ limits: { network: 'base' } })
    await client.buy({ real: true })
    await client.buy({ real: false })
    const [own, demo] = served()
      .calls()
      .flatMap(({ payment }) => payment?.payload.authorization.from ?? [])
    expect(own).not.toBe(account.address)
    expect(demo).toBe(account.address)
  })
})

describe('a payment that was signed', () => {
  test.each([
    ['a connection that is cut', ({ response }: Received) => void response.destroy()],
    [
      'an answer that is cut',
      ({ response }: Received) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' })
        response.write('{"jsonrpc":')
        response.destroy()
      },
    ],
    ['an answer that is no JSON', ({ response }: Received) => void response.writeHead(200).end('<html>')],
    ['a failing gateway', ({ response }: Received) => void response.writeHead(502).end('bad gateway')],
    [
      'an answer to somebody else',
      ({ response }: Received) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ jsonrpc: '2.0', id: 'other', result: {} }))
      },
    ],
    [
      'a stream that ends early',
      ({ response }: Received) => {
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end('data: {"jsonrpc":"2.0","method":"x"}\n\n')
      },
    ],
  ])('is sent again, the same, after %s', async (_, breaks) => {
    let paid = 0
    answer = received => {
      if (!received.payment) return priced()
      paid += 1
      return paid < 3 ? breaks(received) : bought
    }
    const client = open()
    expect(await client.buy()).toMatchObject({ text: 'bought' })
    expect(paid).toBe(3)
    expect(served().payments()).toHaveLength(1)
    expect(eventsIn(client.folder)).toEqual(['claimed', 'settled'])
  })

  test('is sent again after an answer that never comes', async () => {
    let paid = 0
    answer = received => {
      if (!received.payment) return priced()
      paid += 1
      return paid < 2 ? undefined : bought
    }
    expect(await open({ silenceMs: 200 }).buy()).toMatchObject({ text: 'bought' })
    expect(served().payments()).toHaveLength(1)
  })

  test('is sent again while it is being confirmed', async () => {
    let paid = 0
    answer = ({ payment }) => {
      if (!payment) return priced()
      paid += 1
      const pending = { 'x402/payment-response': { success: false, errorReason: 'settlement_pending' } }
      return paid < 3 ? { isError: true, content: [], _meta: pending } : bought
    }
    expect(await open().buy()).toMatchObject({ text: 'bought' })
    expect(served().payments()).toHaveLength(1)
  })

  test('pays the same call that is made again after no answer came, also by another process later', async () => {
    answer = received => (received.payment ? received.response.destroy() : priced())
    const client = open()
    const { text, isError } = await client.buy({ of: 'one' })
    expect(isError).toBe(true)
    expect(text).toContain('The money may have moved.')
    expect(eventsIn(client.folder)).toEqual(['claimed', 'unanswered'])
    answer = sells
    const later = open({ folder: client.folder })
    expect(await later.buy({ of: 'one' })).toMatchObject({ text: 'bought' })
    expect(served().payments()).toHaveLength(1)
    // Another call, and the same once more, are payments of their own.
    await later.buy({ of: 'two' })
    await later.buy({ of: 'one' })
    expect(served().payments()).toHaveLength(3)
  })

  test('has the work done that failed after the money moved', async () => {
    let paid = 0
    answer = ({ payment }) => {
      if (!payment) return priced()
      paid += 1
      const problem = { code: 'upstream', retryable: true, charged: true }
      return paid > 1
        ? bought
        : { ...bought, isError: true, content: [{ type: 'text', text: JSON.stringify(problem) }] }
    }
    const client = open()
    expect((await client.buy()).isError).toBe(true)
    expect(await client.buy()).toMatchObject({ text: 'bought' })
    expect(served().payments()).toHaveLength(1)
    expect(eventsIn(client.folder)).toEqual(['claimed', 'owed', 'settled'])
    await client.buy()
    expect(served().payments()).toHaveLength(2)
  })

  test('is the only one where the server asks again for ever, and counts', async () => {
    answer = () => priced()
    const client = open({ limits: { budget: '0.015' } })
    const { text } = await client.buy()
    expect(text).toContain('the server did not take it: Payment required')
    expect(text).toContain('0.01 USD count as spent')
    expect(served().calls()).toHaveLength(2)
    expect(served().payments()).toHaveLength(1)
    expect((await client.buy()).text).toContain('0.01 of 0.015 USD')
    expect(served().payments()).toHaveLength(1)
  })

  test('is not signed for a call that was cancelled before', async () => {
    await remote?.stop()
    // The price comes while the server has not yet heard of the cancellation to its end.
    remote = await startRemote(
      () => undefined,
      async ({ body }) => {
        if (body.method !== 'notifications/cancelled') return
        const [call] = served().calls()
        if (call) reply(call, priced())
        await new Promise(later => setTimeout(later, 200))
      },
    )
    const client = open()
    client.send({ id: 'c', method: 'tools/call', params: { name: 'buy' } })
    await expect.poll(() => served().calls()).toHaveLength(1)
    client.send({ method: 'notifications/cancelled', params: { requestId: 'c' } })
    await expect.poll(() => served().received).toHaveLength(2)
    await client.close()
    expect(served().payments()).toEqual([])
    expect(client.messages).toEqual([])
  })

  test('is settled when the client cancels while it is being signed', async () => {
    const client = open({
      beforePaying: async () => {
        client.send({ method: 'notifications/cancelled', params: { requestId: 'c' } })
        const isHeard = () => served().received.some(({ body }) => body.method === 'notifications/cancelled')
        await expect.poll(isHeard).toBe(true)
        await new Promise(later => setTimeout(later, 50))
      },
    })
    client.send({ id: 'c', method: 'tools/call', params: { name: 'buy' } })
    await expect.poll(() => served().payments()).toHaveLength(1)
    await client.close()
    expect(eventsIn(client.folder)).toEqual(['claimed', 'settled'])
  })

  test.each([
    [
      'cancels',
      (client: ReturnType<typeof open>) =>
        client.send({ method: 'notifications/cancelled', params: { requestId: 'c' } }),
    ],
    ['leaves', (client: ReturnType<typeof open>) => void client.close()],
  ])('is settled when the client %s', async (_, leave) => {
    const client = open()
    answer = received => {
      if (!received.payment) return priced()
      leave(client)
      setTimeout(() => reply(received, bought), 100)
      return undefined
    }
    client.send({ id: 'c', method: 'tools/call', params: { name: 'buy' } })
    await expect.poll(() => served().payments()).toHaveLength(1)
    await client.close()
    expect(eventsIn(client.folder)).toEqual(['claimed', 'settled'])
    // Nobody tells the server to stop what was paid for.
    expect(served().received.map(({ body }) => body.method)).toEqual(['tools/call', 'tools/call'])
  })

  test('is one for each of the same calls at once', async () => {
    const client = open()
    await Promise.all([1, 2, 3].map(() => client.buy()))
    expect(served().payments()).toHaveLength(3)
  })
})

describe('a person who can be asked', () => {
  const initialize = {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
    clientInfo: { name: 't', version: '1' },
  }
  const expensive = ({ payment }: Received) => (payment ? bought : priced([offer({ amount: '60000' })]))

  test.each([
    ['agrees', { action: 'accept', content: { pay: true } }, 'bought'],
    ['says no', { action: 'decline' }, 'a call may cost 0.05 USD at most'],
    [
      'leaves the box empty',
      { action: 'accept', content: { pay: false } },
      'a call may cost 0.05 USD at most',
    ],
  ])('%s, in the era of sessions', async (_, result, text) => {
    answer = expensive
    const client = open()
    await client.request('initialize', initialize)
    const buying = client.buy()
    const question = await client.waitFor(({ method }) => method === 'elicitation/create')
    expect(question.params).toMatchObject({
      message: expect.stringContaining('Pay 0.06 USD for this one call?'),
      requestedSchema: { properties: { pay: { type: 'boolean' } } },
    })
    client.send({ id: question.id, result })
    expect((await buying).text).toContain(text)
    // The answer is ours; the server never sees it.
    expect(served().received.filter(({ body }) => body.method === undefined)).toEqual([])
  })

  test('and says nothing is asked once, and the call is refused', async () => {
    answer = expensive
    const client = open({ questionMs: 50 })
    await client.request('initialize', initialize)
    expect((await client.buy()).text).toContain('a call may cost 0.05 USD at most')
    await client.buy()
    expect(client.messages.filter(({ method }) => method === 'elicitation/create')).toHaveLength(1)
    expect(client.messages.filter(({ method }) => method === 'notifications/cancelled')).toHaveLength(1)
  })

  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  }

  test('agrees to one amount of one call, in the stateless era', async () => {
    answer = expensive
    const client = open()
    const first = await client.buy({ n: 1 }, { _meta })
    expect(first).toMatchObject({
      resultType: 'input_required',
      inputRequests: { pay: { method: 'elicitation/create', params: { mode: 'form' } } },
    })
    const { requestState } = first as unknown as { requestState: string }
    const agreed = { inputResponses: { pay: { action: 'accept', content: { pay: true } } }, requestState }
    const other = await client.buy({ n: 2 }, { _meta, ...agreed })
    expect(other.text).toContain('a call may cost')
    expect(served().payments()).toEqual([])
    const again = await client.buy({ n: 1 }, { _meta })
    const { requestState: next } = again as unknown as { requestState: string }
    expect(await client.buy({ n: 1 }, { _meta, ...agreed, requestState: next })).toMatchObject({
      text: 'bought',
    })
    // What is ours did not reach the server.
    expect(
      JSON.stringify(
        served()
          .calls()
          .map(({ body }) => body.params),
      ),
    ).not.toContain('octagent-connect')
  })

  test('is not bound by an agreement when the price rises', async () => {
    let amount = 60_000
    answer = ({ payment }) => (payment ? bought : priced([offer({ amount: String(amount) })]))
    const client = open()
    const { requestState } = (await client.buy({}, { _meta })) as unknown as { requestState: string }
    amount = 70_000
    const agreed = { inputResponses: { pay: { action: 'accept', content: { pay: true } } }, requestState }
    expect((await client.buy({}, { _meta, ...agreed })).text).toContain('0.07 USDC')
    expect(served().payments()).toEqual([])
  })

  test('cannot be made to agree by a question of the server', async () => {
    answer = received => {
      if (received.payment) return bought
      const { response, body } = received
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const write = (message: object) =>
        response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
      for (const id of ['octagent-connect:1', 'octagent-connect:2', 'q'])
        write({ id, method: 'elicitation/create', params: { message: 'Do you like cats?' } })
      write({ id: body.id, result: priced([offer({ amount: '60000' })]) })
      response.end()
      return undefined
    }
    const client = open({ questionMs: 300 })
    await client.request('initialize', initialize)
    const buying = client.buy()
    const isAsked = ({ method }: { method?: string }) => method === 'elicitation/create'
    await client.waitFor(({ id }) => id === 'q')
    for (const id of ['octagent-connect:1', 'octagent-connect:2', 'q'])
      client.send({ id, result: { action: 'accept', content: { pay: true } } })
    expect((await buying).isError).toBe(true)
    expect(client.messages.filter(isAsked).map(({ id }) => id)).not.toContain('octagent-connect:1')
    expect(served().payments()).toEqual([])
  })

  test('is not asked by a client that shows no forms', async () => {
    answer = expensive
    const client = open()
    await client.request('initialize', { ...initialize, capabilities: { elicitation: { url: {} } } })
    expect((await client.buy()).isError).toBe(true)
    expect(client.messages.filter(({ method }) => method === 'elicitation/create')).toEqual([])
  })
})
