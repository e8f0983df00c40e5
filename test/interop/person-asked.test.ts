import type {
  Client as Client2,
  StreamableHTTPClientTransport as Transport2,
} from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newAccountId } from '../../mcp/accounts/account.ts'
import { coverFromBalance } from '../../mcp/accounts/payment-requests.ts'
import { openPurse, type Purse, toKey } from '../accounts/purse-world.ts'
import { type Served, serveMcp } from '../mcp/serve.ts'
import { ask, callTool } from '../mcp/wire.ts'
import { loadJudge } from './judges.ts'

let purse: Purse
let served: Served

beforeAll(async () => {
  purse = await openPurse({ waitMs: 1500 })
  served = await serveMcp(purse.world, [purse.service])
})

afterAll(async () => {
  await served.stop()
  await purse.stop()
})

/** A person with 1.00 USD whose client may spend nothing by itself. */
const openPerson = async () => {
  const account = newAccountId()
  const grant = `grant_${account}`
  await purse.topUp(account, 1_000_000n)
  await purse.setLimits(grant, { account, per_call: '0.00' })
  const cover = (id: string) =>
    purse.store.transaction(tx =>
      coverFromBalance(tx, { ledger: purse.ledger, clock: purse.clock }, account, id),
    )
  return { account, cover, headers: { authorization: `Bearer ${toKey(account, grant)}` } }
}

type Person = Awaited<ReturnType<typeof openPerson>>

const info = { name: 'asked', version: '1.0.0' }
const toId = (url: string): string => url.split('/').pop() ?? ''

const connect1 = async ({ headers }: Person, capabilities: object, path = '/shop/mcp') => {
  const client = new Client1(info, { capabilities })
  const transport = new Transport1(new URL(`${served.url}${path}`), { requestInit: { headers } })
  await client.connect(transport as Transport)
  return { client, sessionId: transport.sessionId }
}

type Ask = (url: string) => Promise<{ action: 'accept' | 'decline' }>

const connect2 = async ({ headers }: Person, capabilities: object, onAsk?: Ask, isModern = true) => {
  const { Client, StreamableHTTPClientTransport } = await loadJudge<{
    Client: typeof Client2
    StreamableHTTPClientTransport: typeof Transport2
  }>('@modelcontextprotocol/client')
  const client = new Client(info, { capabilities, ...(isModern && { versionNegotiation: { mode: 'auto' } }) })
  if (onAsk)
    client.setRequestHandler('elicitation/create', (request: { params: object }) =>
      onAsk('url' in request.params ? String(request.params.url) : ''),
    )
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${served.url}/shop/mcp`), { requestInit: { headers } }),
  )
  return client
}

const call = { name: 'dime', arguments: { text: 'a' } }

describe('2025-11-25', () => {
  const url = { elicitation: { form: {}, url: {} } }

  test.each([['/shop/mcp'], ['/mcp?services=shop']])(
    'at %s a client that opens pages is asked by -32042, and the same call runs once the person has covered it',
    async path => {
      const person = await openPerson()
      const { client, sessionId } = await connect1(person, url, path)
      expect(sessionId).toMatch(/^url\.[\w-]{16}\.[\w-]{43}$/)
      const name = path === '/mcp?services=shop' ? 'shop_dime' : 'dime'
      const asked = await client.callTool({ ...call, name }).catch(error => error)
      expect(asked).toMatchObject({
        code: -32042,
        data: { elicitations: [{ mode: 'url', message: 'Shop: Write dime, for 0.10 USD.' }] },
      })
      const [elicitation] = asked.data.elicitations
      expect(elicitation.url).toBe(`http://localhost:8402/auth/pay/${elicitation.elicitationId}`)
      await person.cover(elicitation.elicitationId)
      expect((await client.callTool({ ...call, name })).isError).toBeUndefined()
      await expect(client.callTool({ ...call, name })).rejects.toMatchObject({ code: -32042 })
      await client.close()
    },
  )

  test('through call_tool of the bundle it is asked just the same', async () => {
    const { client } = await connect1(await openPerson(), url, '/mcp')
    const inner = { name: 'call_tool', arguments: { name: 'shop_dime', arguments: { text: 'a' } } }
    await expect(client.callTool(inner)).rejects.toMatchObject({ code: -32042 })
    await client.close()
  })

  test.each([[{}], [{ elicitation: {} }], [{ elicitation: { form: {} } }]])(
    'a client with %j has no session id, and the link in the words of the x402 result',
    async capabilities => {
      const person = await openPerson()
      const { client, sessionId } = await connect1(person, capabilities)
      expect(sessionId).toBeUndefined()
      const result = (await client.callTool(call)) as { isError?: boolean; content: { text: string }[] }
      expect(result).toMatchObject({ isError: true, structuredContent: { x402Version: 2 } })
      expect(result.content[1]?.text).toMatch(
        /cover this call at http:\/\/localhost:8402\/auth\/pay\/[\w-]{22} /,
      )
      await client.close()
    },
  )

  test('a session id that is made up, or of no use, says nothing and is no fault', async () => {
    const { headers } = await openPerson()
    for (const id of ['url.AAAAAAAAAAAAAAAA.', `url.AAAAAAAAAAAAAAAA.${'A'.repeat(43)}`, 'x'.repeat(200)]) {
      const { result } = await callTool(
        `${served.url}/shop/mcp`,
        '2025',
        'dime',
        { text: 'a' },
        { headers: { ...headers, 'mcp-session-id': id } },
      )
      expect(result).toMatchObject({ isError: true, structuredContent: { x402Version: 2 } })
    }
  })

  test('SDK v2 in this era is asked in its form', async () => {
    const client = await connect2(await openPerson(), { elicitation: { url: {} } }, undefined, false)
    await expect(client.callTool(call)).rejects.toMatchObject({ code: -32042 })
    await client.close()
  })
})

describe('2026-07-28', () => {
  const url = { elicitation: { url: {} } }

  test('a client that opens pages goes on with its call once the person has covered it', async () => {
    const person = await openPerson()
    let asks = 0
    const client = await connect2(person, url, async page => {
      asks++
      setTimeout(() => void person.cover(toId(page)), 300)
      return { action: 'accept' }
    })
    const result = await client.callTool(call)
    expect([result.isError, asks]).toEqual([undefined, 1])
    expect(await purse.balance(person.account)).toMatchObject({ available: '0.90' })
    await client.close()
  })

  test('a person who declines is asked once, and the client reads the plain refusal', async () => {
    let asks = 0
    const client = await connect2(await openPerson(), url, async () => {
      asks++
      return { action: 'decline' }
    })
    const result = await client.callTool(call)
    expect([result.isError, asks]).toEqual([true, 1])
    expect(result.content).toMatchObject([{}, { text: expect.stringContaining('/auth/pay/') }])
    await client.close()
  })

  test('a person who never pays is waited for, and asked no second time', async () => {
    let asks = 0
    const client = await connect2(await openPerson(), url, async () => {
      asks++
      return { action: 'accept' }
    })
    const result = await client.callTool(call)
    expect([result.isError, asks]).toEqual([true, 1])
    await client.close()
  })

  test('a client without pages has the link in the words of the x402 result', async () => {
    const client = await connect2(await openPerson(), { elicitation: { form: {} } })
    const result = await client.callTool(call)
    expect(result.isError).toBe(true)
    expect(result.content).toMatchObject([{}, { text: expect.stringContaining('/auth/pay/') }])
    await client.close()
  })

  const capable = { 'io.modelcontextprotocol/clientCapabilities': url }
  const readState = async ({ headers }: Person) => {
    const { result } = await callTool(
      `${served.url}/shop/mcp`,
      '2026',
      'dime',
      { text: 'a' },
      { headers, meta: capable },
    )
    expect(result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { pay: { method: 'elicitation/create' } },
    })
    expect(result.structuredContent).toBeUndefined()
    return String(result.requestState)
  }
  const comeBack = ({ headers }: Person, requestState: string, text: string) =>
    ask(
      `${served.url}/shop/mcp`,
      '2026',
      'tools/call',
      { name: 'dime', arguments: { text }, requestState, inputResponses: { pay: { action: 'accept' } } },
      { headers, meta: capable },
    )

  test('a state is good for its own call: not for another input, not changed, and worth nothing to another account', async () => {
    const person = await openPerson()
    const state = await readState(person)
    for (const [text, changed] of [
      ['b', state],
      ['a', `${state.slice(0, -2)}AA`],
      ['a', 'v1.e30.AAAA'],
    ] as const)
      expect((await comeBack(person, changed, text)).message.error).toMatchObject({ code: -32602 })
    const other = await comeBack(await openPerson(), state, 'a')
    expect(other.result).toMatchObject({ isError: true, structuredContent: { x402Version: 2 } })
    expect(JSON.stringify(other.result)).not.toContain('input_required')
  })
})
