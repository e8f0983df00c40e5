import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { evmPayer, type Payer } from '../../../bench/payer.ts'
import { openChain } from '../../../mcp/ports/chain/chain.ts'
import { networks } from '../../../mcp/ports/chain/networks.ts'
import { openDevnetKeys } from '../../../mcp/ports/devnet/keys.ts'
import { startApp } from '../../app.ts'
import { abi, onAnvil } from '../../payment/evm-chain.ts'
import { signRequest } from './signing.ts'

let app: Awaited<ReturnType<typeof startApp>>
let payer: Payer
beforeAll(async () => {
  app = await startApp()
  payer = evmPayer((await openDevnetKeys(app.dir)).demo)
})
afterAll(() => app.stop())

type Body = Record<string, never>

/** Somebody with a wallet, who signs each request over REST, and has a key for what cannot sign. */
const person = async () => {
  const account = privateKeyToAccount(generatePrivateKey())
  const signed = async (method: string, path: string, body?: object) => {
    const url = `${app.url}/tasks${path}`
    const text = body && JSON.stringify(body)
    const signature = await signRequest(account, url, {
      method,
      ...(text && { body: text, contentType: 'application/json' }),
    })
    const response = await fetch(url, { method, headers: signature, ...(text && { body: text }) })
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body }
  }
  const { api_key } = (await signed('POST', '/api/v1/auth/keys', {})).body
  const json = { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' }
  const rpc = async (path: string, method: string, params: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { ...json, accept: 'application/json, text/event-stream' }
    return (await (
      await fetch(`${app.url}/tasks${path}`, { method: 'POST', headers, body })
    ).json()) as unknown
  }
  return {
    id: `eip155:8453:${account.address.toLowerCase()}`,
    address: account.address,
    signed,
    /** With the key, paying what is asked for. */
    paying: async (path: string, body: object) => {
      const response = await payer.fetch(`${app.url}/tasks${path}`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify(body),
      })
      return { status: response.status, body: (await response.json()) as Body }
    },
    /** By an MCP client. */
    mcp: async (name: string, input: object) =>
      (await rpc('/mcp', 'tools/call', { name, arguments: input })) as {
        result: { structuredContent: Body; isError?: boolean }
      },
    /** By another agent. */
    a2a: async (parts: object[]) =>
      (await rpc('/a2a/v1', 'message/send', {
        message: { kind: 'message', role: 'user', messageId: 'm', parts },
      })) as {
        result: { parts: { data?: Body }[] }
        error?: { data: { code?: string }[] }
      },
  }
}

const newTask = {
  title: 'Is the bakery open?',
  instructions: 'Go there, look at the door, and say if it is open.',
  category: 'physical_presence',
  bounty_usd: '0.50',
  deadline_hours: 24,
  evidence_required: ['text_response'],
}

onAnvil('a person is hired, and paid', () => {
  test('from publishing to USDC in the wallet, over REST, MCP and A2A, by signatures, keys and x402', async () => {
    const [publisher, worker] = await Promise.all([person(), person()])
    const published = await publisher.signed('POST', '/api/v1/tasks', newTask)
    expect(published).toMatchObject({
      status: 201,
      body: { status: 'published', publisher_id: publisher.id },
    })
    const { task_id } = published.body

    const search = await worker.mcp('search_tasks', { query: 'bakery' })
    expect(search.result.structuredContent).toMatchObject({ tasks: [{ task_id }] })
    await worker.mcp('register_worker', { kind: 'human', name: 'Ada' })
    const applied = await worker.a2a([
      { kind: 'data', data: { skill: 'worker-management', operation: 'apply_to_task', task_id } },
    ])
    expect(applied.result.parts.find(part => part.data)?.data).toMatchObject({ state: 'pending' })

    const assign = { executor_id: worker.id }
    const quoted = await publisher.signed('POST', `/api/v1/tasks/${task_id}/assign`, assign)
    expect(quoted).toMatchObject({
      status: 402,
      body: { reason: 'escrow_required', paymentRequired: { accepts: [{ amount: '525000' }] } },
    })
    const assigned = await publisher.paying(`/api/v1/tasks/${task_id}/assign`, assign)
    expect(assigned).toMatchObject({
      status: 200,
      body: { status: 'accepted', payment: { in_escrow_usd: '0.525' } },
    })

    await worker.signed('POST', `/api/v1/tasks/${task_id}/start`, {})
    const evidence = [{ type: 'text_response', value: 'It is open.' }]
    const submitted = await worker.signed('POST', `/api/v1/tasks/${task_id}/submit`, { evidence })
    const { submission_id } = submitted.body
    const approved = await publisher.a2a([
      { kind: 'data', data: { skill: 'review-submissions', operation: 'approve_submission', submission_id } },
    ])
    expect(approved.result.parts.find(part => part.data)?.data).toMatchObject({ status: 'completed' })

    const withdrawal = await worker.signed('POST', '/api/v1/payments/withdraw', {})
    expect(withdrawal).toMatchObject({
      status: 201,
      body: { amount_usd: '0.50', to: worker.address.toLowerCase() },
    })
    const chain = openChain({
      network: networks.base,
      rpc: (await app.devnetRpc('base')) ?? '',
      devnet: true,
    })
    const reader = await chain.reader()
    await vi.waitFor(
      async () => {
        const { address } = chain.network.token
        const balance = await reader.readContract({
          address,
          abi,
          functionName: 'balanceOf',
          args: [worker.address],
        })
        expect(balance).toBe(500_000n)
      },
      { timeout: 60_000, interval: 500 },
    )
  })

  test('a payment for a task that was taken meanwhile stays with who paid', async () => {
    const [publisher, worker, other] = await Promise.all([person(), person(), person()])
    const { task_id } = (await publisher.signed('POST', '/api/v1/tasks', newTask)).body
    for (const one of [worker, other]) {
      await one.signed('POST', '/api/v1/workers/register', { kind: 'human', name: 'Ada' })
      await one.signed('POST', `/api/v1/tasks/${task_id}/apply`, {})
    }
    const paths = [worker, other].map(({ id }) =>
      publisher.paying(`/api/v1/tasks/${task_id}/assign`, { executor_id: id }),
    )
    const answers = await Promise.all(paths)
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    const { body } = await publisher.signed('GET', '/api/v1/payments/balance')
    expect(['0.525', '0.00']).toContain(body.available_usd)
    const lost = answers.find(({ status }) => status === 409)?.body as unknown as {
      detail: string
      charged?: boolean
    }
    // Whoever lost before paying was not charged; whoever lost after it has the money on the balance.
    expect(body.available_usd === '0.525').toBe(lost.charged === true)
  })
})

test('a signature that is sent again, or is for another host, is refused over every transport', async () => {
  const account = privateKeyToAccount(generatePrivateKey())
  for (const path of ['/api/v1/tasks', '/tools/list_tasks', '/mcp', '/a2a/v1']) {
    const url = `${app.url}/tasks${path}`
    const isRpc = path === '/mcp' || path === '/a2a/v1'
    const method = path === '/api/v1/tasks' ? 'GET' : 'POST'
    const message = {
      kind: 'message',
      role: 'user',
      messageId: 'm',
      parts: [{ kind: 'data', data: { skill: 'list_tasks' } }],
    }
    const call =
      path === '/mcp'
        ? { method: 'tools/call', params: { name: 'list_tasks', arguments: {} } }
        : { method: 'message/send', params: { message } }
    const body =
      method === 'GET' ? undefined : JSON.stringify(isRpc ? { jsonrpc: '2.0', id: 1, ...call } : {})
    const signed = await signRequest(account, url, {
      method,
      ...(body && { body, contentType: 'application/json' }),
    })
    const headers = { ...signed, accept: 'application/json, text/event-stream' }
    const send = async (to = url) => (await fetch(to, { method, headers, ...(body && { body }) })).text()
    expect([path, await send()]).toEqual([path, expect.stringContaining('tasks')])
    expect([path, await send()]).toEqual([path, expect.stringContaining('nonce_reused')])
    const elsewhere = url.replace('127.0.0.1', 'localhost')
    expect([path, await send(elsewhere)]).toEqual([path, expect.stringContaining('bad_signature')])
  }
})

test('without a signature or key, writing is refused with how to sign', async () => {
  const response = await fetch(`${app.url}/tasks/api/v1/tasks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(newTask),
  })
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toContain('ERC8128')
  expect(response.headers.get('accept-signature')).toContain('"@authority"')
})
