// Costs: packs the package, and compiles and serves a foreign program with it.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveFacilitator } from '../express/facilitator-server.ts'
import { type Market, openBuyer, openMarket, receiptIn } from '../express/shop.ts'
import { canPay, onAnvil } from '../payment/evm-chain.ts'
import { compile, openForeignFolder, runForeign } from './foreign.ts'

let home: string
let complaints: string[]
let market: Market | undefined
let facilitator: Awaited<ReturnType<typeof serveFacilitator>>
let app: Awaited<ReturnType<typeof runForeign>>
beforeAll(async () => {
  home = openForeignFolder()
  complaints = compile(home)
  if (canPay) market = await openMarket()
  facilitator = await serveFacilitator(market?.facilitator)
  app = await runForeign(home, facilitator.url)
})
afterAll(async () => {
  await facilitator?.stop()
  await market?.close()
  app?.child.kill('SIGKILL')
  await app?.exit
  if (home) rmSync(home, { recursive: true, force: true })
})

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

const send = (text: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'message/send',
  params: { message: { kind: 'message', role: 'user', messageId: '1', parts: [{ kind: 'text', text }] } },
})

test('the packed declarations are sound in a strict program of somebody else', () => {
  expect(complaints).toEqual([])
})

describe('create-octagent', () => {
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, args, { cwd: args[0] === '--test' ? join(home, 'my-agent') : home })
  const create = 'node_modules/octagent/dist/create.js'

  test('starts a service whose own test passes, and that answers', async () => {
    const { stdout } = await run(create, 'my-agent', '--package', 'file:../octagent.tgz')
    expect(stdout).toContain('npm install')
    const manifest = JSON.parse(readFileSync(join(home, 'my-agent/package.json'), 'utf8'))
    expect(manifest).toMatchObject({
      name: 'my-agent',
      dependencies: { octagent: 'file:../octagent.tgz' },
    })
    expect((await run('--test')).stdout).toMatch(/# pass 1$/m)
    const server = spawn(process.execPath, ['server.js'], {
      cwd: join(home, 'my-agent'),
      env: { PATH: process.env.PATH ?? '', PORT: '0', OCTAGENT_DATA: join(home, 'my-data') },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exit = once(server, 'exit')
    let url: string | undefined
    for await (const line of createInterface(server.stdout)) {
      url = /^Serving at (\S+)$/.exec(line)?.[1]
      if (url) break
    }
    const answer = await fetch(`${url}/greeter/api/greeting?name=Ada`)
    expect([answer.status, await answer.json()]).toEqual([200, { greeting: 'Hello, Ada.' }])
    server.kill('SIGTERM')
    expect((await exit)[0]).toBe(0)
  })

  test('writes over nothing', async () => {
    await expect(run(create, 'my-agent')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not empty'),
    })
    await expect(run(create)).rejects.toMatchObject({ stderr: expect.stringContaining('octagent create') })
  })
})

describe.each([
  ['mounted first', 0],
  ['behind a body parser', 1],
] as const)('an Express application with the package, %s', (_, index) => {
  const own = () => app.urls[index]
  const agents = () => `${own()}/agents`
  const agentFolder = () => join(home, 'data', index === 0 ? 'first' : 'second')

  test('answers a tool over REST, and refuses wrong input by field', async () => {
    const greeted = await post(`${agents()}/inn/tools/greet`, { name: 'Ada' })
    expect([greeted.status, await greeted.json()]).toEqual([200, { greeting: 'Hello, Ada.' }])
    expect(greeted.headers.has('x-powered-by')).toBe(false)
    const wrong = await post(`${agents()}/inn/tools/greet`, { nom: 'Ada' })
    expect(wrong.status).toBe(422)
    expect(await wrong.json()).toMatchObject({ code: 'invalid_input' })
    const missing = await post(`${agents()}/inn/tools/greet`, { name: 'Nobody' })
    expect([missing.status, await missing.json()]).toMatchObject([404, { detail: 'Nobody is here.' }])
  })

  test('answers a stock MCP client', async () => {
    const mcp = new Client({ name: 'door', version: '1.0.0' })
    await mcp.connect(new StreamableHTTPClientTransport(new URL(`${agents()}/inn/mcp`)))
    const { tools } = await mcp.listTools()
    expect(tools.map(({ name }) => name).sort()).toEqual(['greet', 'help', 'toast'])
    const greeted = await mcp.callTool({ name: 'greet', arguments: { name: 'Ada' } })
    expect(greeted.structuredContent).toEqual({ greeting: 'Hello, Ada.' })
    await mcp.close()
  })

  test('has an A2A card whose addresses lie under the mount path, and answers there', async () => {
    const card = await fetch(`${agents()}/inn/.well-known/agent-card.json`)
    const text = await card.text()
    expect(card.status).toBe(200)
    const addresses = [...text.matchAll(/http:\/\/127\.0\.0\.1:\d+[^"\\ ]*/g)].map(([address]) => address)
    expect(addresses).toContain(`${agents()}/inn/a2a`)
    for (const address of addresses) expect(address.startsWith(`${agents()}`), address).toBe(true)
    const answer = await post(`${agents()}/inn/a2a`, send('greet Ada'))
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('Hello, Ada.')
  })

  test('has a page at the mount path that links to what is there', async () => {
    for (const path of ['', '/', '/inn', '/inn/', '/problems', '/problems/gone']) {
      const page = await fetch(agents() + path, { headers: { accept: 'text/html' } })
      expect([path, page.status]).toEqual([path, 200])
      const links = [...(await page.text()).matchAll(/href="((?:http:\/\/127|\/)[^"]*)"/g)].map(
        ([, link = '']) => new URL(link, own()).href,
      )
      expect(links.length, path).toBeGreaterThan(0)
      for (const link of links) expect(link.startsWith(agents()), `${path}: ${link}`).toBe(true)
    }
    for (const path of ['/registry.json', '/llms.txt', '/inn/openapi.json', '/inn/llms.txt']) {
      const document = await fetch(agents() + path)
      expect([path, document.status]).toEqual([path, 200])
      expect(await document.text()).toContain(`${agents()}/inn`)
    }
  })

  test('says of a problem where it is explained, under the mount path, over REST, MCP and A2A', async () => {
    const rest = await post(`${agents()}/inn/tools/greet`, { name: 'Nobody' })
    const mcp = await post(
      `${agents()}/inn/mcp`,
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'greet', arguments: { name: 'Nobody' } },
      },
      { accept: 'application/json, text/event-stream' },
    )
    const task = { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id: 'nobody' } }
    const unparsed = await post(`${agents()}/inn/a2a`, task)
    const type = `${agents()}/problems/not_found`
    expect(await rest.json()).toMatchObject({ type })
    for (const answer of [mcp, unparsed]) expect(await answer.text()).toContain(type)
    for (const path of ['/problems/not_found', '/problems']) {
      const page = await fetch(agents() + path, { headers: { accept: 'text/markdown' } })
      expect([path, page.status]).toEqual([path, 200])
    }
    const list = await (await fetch(`${agents()}/problems`)).text()
    expect(list).toContain(`](${type})`)
  })

  test('leaves the other routes of the application alone', async () => {
    expect(await (await fetch(`${own()}/own`)).json()).toEqual({ path: '/own', powered: 'Express' })
    expect(await (await post(`${own()}/own`, { a: 1 })).json()).toEqual({ a: 1 })
    const nothing = await fetch(`${own()}/inn/tools/greet`)
    expect([nothing.status, await nothing.text()]).toEqual([404, 'nothing of mine'])
    const unknown = await fetch(`${agents()}/nowhere`)
    expect([unknown.status, await unknown.json()]).toMatchObject([
      404,
      { code: 'not_found', type: `${agents()}/problems/not_found` },
    ])
  })

  test('refuses a foreign Host under the mount path only', async () => {
    const statusFor = (path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        request(own() + path, { headers: { host: 'rebound.example' } }, answer => {
          answer.resume()
          resolve(answer.statusCode)
        })
          .on('error', reject)
          .end()
      })
    expect([await statusFor('/agents/'), await statusFor('/own')]).toEqual([403, 200])
  })

  test('refuses a body that is no JSON with a clear status', async () => {
    expect((await post(`${agents()}/inn/tools/greet`, '{ "name": ')).status).toBe(400)
    const text = await post(`${agents()}/inn/tools/greet`, 'name=Ada', { 'content-type': 'text/plain' })
    expect(text.status).toBe(415)
  })

  onAnvil('on a local chain', () => {
    test('sells a route of its own to the stock buyer, once for one payment', async () => {
      if (!market) throw new Error('no chain')
      const { account, signFor } = await openBuyer(market)
      const client = new x402Client().register('eip155:*', new ExactEvmScheme(account))
      const bought = await wrapFetchWithPayment(fetch, client)(`${own()}/report`)
      const { report } = (await bought.json()) as { report: number }
      expect([bought.status, receiptIn(bought)]).toMatchObject([
        200,
        { success: true, network: 'eip155:84532' },
      ])
      const headers = { 'payment-signature': await signFor(`${own()}/report`) }
      for (const replayed of [null, 'true', 'true']) {
        const answer = await fetch(`${own()}/report`, { headers })
        expect([answer.status, await answer.json()]).toEqual([200, { report: report + 1 }])
        expect(answer.headers.get('idempotency-replayed')).toBe(replayed)
      }
      const receipt = await fetch(`${own()}/receipts/${receiptIn(bought)?.receipt}`)
      expect(await receipt.json()).toMatchObject({ service: 'express', tool: 'GET /report', state: 'done' })
      const page = await fetch(`${own()}/report`, {
        headers: { accept: 'text/html', 'user-agent': 'Mozilla/5.0' },
      })
      expect([page.status, await page.text()]).toEqual([402, expect.stringContaining('0.01 USDC')])
    })

    test('quotes what a tool costs under the mount path, and the stock client pays it', async () => {
      const quote = await post(`${agents()}/inn/toasts`, { name: 'Ada' })
      expect(quote.status).toBe(402)
      const header = quote.headers.get('payment-required') ?? ''
      expect(JSON.parse(Buffer.from(header, 'base64').toString())).toMatchObject({
        resource: { url: `${agents()}/inn/toasts` },
        accepts: [{ scheme: 'exact', network: 'eip155:8453', amount: '100000' }],
      })
      const { demo } = JSON.parse(readFileSync(join(agentFolder(), 'devnet.json'), 'utf8')) as { demo: Hex }
      const client = new x402Client().register('eip155:*', new ExactEvmScheme(privateKeyToAccount(demo)))
      const paid = await wrapFetchWithPayment(fetch, client)(`${agents()}/inn/toasts`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"name":"Ada"}',
      })
      expect(paid.status).toBe(200)
      expect(await paid.json()).toEqual({
        toast: 'To Ada!',
        transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      })
    })
  })
})

test('ends when its application does', async () => {
  app.child.kill('SIGTERM')
  expect(await app.exit, app.output()).toBe(0)
})
