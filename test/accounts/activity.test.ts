import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountsIn, newAccountId } from '../../mcp/accounts/account.ts'
import { openActivity } from '../../mcp/accounts/activity.ts'
import { accountKeysIn } from '../../mcp/kernel/person.ts'
import { openTestWorld, type TestWorld } from '../world.ts'
import { openPurseApp, type PurseApp } from './purse-app.ts'

let app: PurseApp
let world: TestWorld
beforeAll(async () => {
  app = await openPurseApp()
  world = await openTestWorld()
})
afterAll(async () => {
  await app.stop()
  await world.stop()
})

const text = async (response: Promise<Response>) => (await response).text()

/** Makes a key for all services on the page of the account; resolves to calls with it. */
const openKey = async (person: Awaited<ReturnType<PurseApp['openPerson']>>, per_call: string) => {
  const limits = { per_call, per_day: '', all_services: '1' }
  const page = await text(
    person.post('/auth/account/api-keys', { name: 'My <b> key', access: 'write', ...limits }),
  )
  const [, key = ''] = /<code>([^<]+)<\/code>/.exec(page) ?? []
  return async (tool = 'dime', words = 'a') =>
    (
      await fetch(`${app.url}/shop/tools/${tool}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key },
        body: JSON.stringify({ text: words }),
      })
    ).status
}

test('shows a person the last calls, paid with the receipt and refused with the reason, and to nobody else', async () => {
  const person = await app.openPerson(1_000_000n)
  const call = await openKey(person, '0.20')
  expect(await call('dime', 'what is secret')).toBe(200)
  expect(await call('half', 'what is secret')).toBe(402)
  const page = await text(person.get('/auth/activity'))
  expect(page).toContain('shop.dime')
  expect(page).toContain('0.50 USD, not paid')
  expect(page).toContain('My &lt;b&gt; key')
  expect(page).toMatch(/href="[^"]*\/receipts\/[0-9a-f]{32}"[^>]*>0\.10 USD</)
  expect(page).toContain('limit per call')
  expect(page).not.toContain('what is secret')
  const paid = await text(person.get('/auth/activity?state=paid'))
  expect(paid.match(/<tr>\n<td/g)).toHaveLength(1)
  expect(paid).not.toContain('not paid')
  const stranger = await app.openPerson()
  expect(await text(stranger.get('/auth/activity'))).toContain('No call was made for you yet.')
  expect((await fetch(`${app.origin}/auth/activity`, { redirect: 'manual' })).status).toBe(303)
  expect((await person.get('/auth/activity?state=strange')).status).toBe(422)
})

test('has calls over MCP and A2A too', async () => {
  const person = await app.openPerson(1_000_000n)
  const page = await text(
    person.post('/auth/account/api-keys', { name: 'K', access: 'write', per_call: '1', all_services: '1' }),
  )
  const [, key = ''] = /<code>([^<]+)<\/code>/.exec(page) ?? []
  const post = (path: string, method: string, params: object) =>
    fetch(app.url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'x-api-key': key,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    }).then(response => response.text())
  await post('/shop/mcp', 'tools/call', { name: 'dime', arguments: { text: 'a' } })
  await post('/mcp', 'tools/call', {
    name: 'call_tool',
    arguments: { name: 'shop_dime', arguments: { text: 'a' } },
  })
  const message = {
    kind: 'message',
    role: 'user',
    messageId: '1',
    parts: [{ kind: 'text', text: 'dime text=a' }],
  }
  await post('/shop/a2a', 'message/send', { message })
  const activity = await text(person.get('/auth/activity'))
  expect(activity.match(/K · MCP/g)).toHaveLength(2)
  expect(activity.match(/K · A2A/g)).toHaveLength(1)
})

test('has what a wallet paid that signs in to the account', async () => {
  const person = await app.openPerson()
  const account = await openAccount()
  const wallet = `0x${'ab'.repeat(20)}`
  const key = { kind: 'wallet', name: 'Wallet', created_at: '', last_used: '' } as const
  await accountKeysIn(requireStore()).insert({ id: `wallet:${wallet}`, account, ...key })
  const { note, list } = openNotes()
  const paid = { ...call(account, 'feed'), person: undefined, caller: undefined }
  note({ ...paid, payer: `eip155:8453:${wallet}`, receipt: 'a'.repeat(32) })
  note({ ...paid, payer: `eip155:8453:0x${'cd'.repeat(20)}` })
  expect(await list(account)).toEqual([expect.objectContaining({ tool: 'feed', receipt: 'a'.repeat(32) })])
  expect(await list(person.account)).toEqual([])
})

test('keeps nothing of whoever deleted the account while calls waited', async () => {
  const { note, list } = openNotes()
  const account = newAccountId()
  note(call(account, 'feed'))
  expect(await list(account)).toEqual([])
})

test('is in the export of the account', async () => {
  const person = await app.openPerson(1_000_000n)
  await (await openKey(person, '1'))()
  const { calls } = (await (await person.get('/auth/account/export')).json()) as { calls: object[] }
  expect(calls).toEqual([expect.objectContaining({ service: 'shop', tool: 'dime' })])
})

const requireStore = () => {
  if (world.ports.store) return world.ports.store
  throw new Error('a world has a store')
}

const openAccount = async (): Promise<string> => {
  const id = newAccountId()
  await accountsIn(requireStore()).insert({ id, name: null, created_at: '', last_used: '' })
  return id
}

const openNotes = () => openActivity({ store: requireStore(), now: () => new Date(), prefixOf: () => 'x' })

const call = (account: string, tool: string) => ({
  service: 'shop',
  tool,
  channel: 'mcp',
  caller: account,
  person: { account, client: 'Claude' },
  address: '192.0.2.1',
  price: undefined,
  receipt: undefined,
  ms: 1,
  code: 'ok',
})

test('keeps the last 200 of each account, in order, over many writes', async () => {
  const { note, list } = openNotes()
  const account = await openAccount()
  for (let batch = 0; batch < 9; batch++) {
    for (let at = 0; at < 50; at++) note(call(account, `t${batch * 50 + at}`))
    await list(account)
  }
  const tools = (await list(account)).map(({ tool }) => tool)
  expect(tools).toEqual(Array.from({ length: 200 }, (_, at) => `t${449 - at}`))
})

test('writes calls of one person together, and none by itself', async () => {
  const { note, list } = openNotes()
  const account = await openAccount()
  const store = requireStore()
  let commits = 0
  const counting = openActivity({
    store: {
      ...store,
      transaction: work => {
        commits++
        return store.transaction(work)
      },
    },
    now: () => new Date(),
    prefixOf: () => 'x',
  })
  for (let at = 0; at < 30; at++) counting.note(call(account, `t${at}`))
  await Promise.resolve()
  expect(commits).toBe(0)
  expect(await counting.list(account)).toHaveLength(30)
  expect(commits).toBe(1)
  note({ ...call(account, 'nobody'), person: undefined, caller: undefined })
  expect(await list(account)).toHaveLength(30)
})
