import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { folder, octagent, type Running, serve } from '../program/run.ts'
import { authenticate, openAuthenticator, register } from './authenticator.ts'
import { type Browserless, newSigner, openBrowserless, signInWith } from './pages.ts'

const dir = folder()
let server: Running
let port: string
beforeAll(async () => {
  server = await serve({ OCTAGENT_DATA: dir, OCTAGENT_DEVNET: 'false' })
  port = new URL(server.url).port
})
afterAll(async () => {
  server?.child.kill('SIGKILL')
  await server?.exit
  await rm(dir, { recursive: true, force: true })
})

const at = () => ({ origin: `http://localhost:${port}`, address: `http://127.0.0.1:${port}` })
const here = () => ({ PORT: port, OCTAGENT_DATA: dir })

const newAccount = async (): Promise<{ browser: Browserless; account: string }> => {
  const browser = openBrowserless({ ...at(), address: at().origin })
  expect((await signInWith(browser, newSigner())).status).toBe(200)
  const { text } = await browser.ask('/auth/account')
  return { browser, account: /acct_[0-9a-f]{24}/.exec(text)?.[0] ?? '' }
}

test('the program signs people in on localhost, and leads there from its address', async () => {
  const away = await fetch(`${server.url}/auth/account`, { redirect: 'manual' })
  expect([away.status, away.headers.get('location')]).toEqual([307, `${at().origin}/auth/account`])
  const evil = await fetch(`${at().origin}/auth/sign-in`, { headers: { origin: 'http://evil.example' } })
  expect(evil.status).toBe(403)
  const { browser, account } = await newAccount()
  expect(account).not.toBe('')
  const cookie = `octagent_session=${browser.cookies.get('octagent_session')}`
  // A cookie opens nothing but the pages.
  expect((await fetch(`${at().origin}/proof/balance`, { headers: { cookie } })).status).toBe(401)
})

test('what was acknowledged is there after the process was killed: keys, sessions and challenges', async () => {
  const { browser } = await newAccount()
  const key = openAuthenticator(at().origin)
  expect((await register(browser, key, { purpose: 'add' })).status).toBe(200)
  server.child.kill('SIGKILL')
  await server.exit
  server = await serve({ ...here(), OCTAGENT_DEVNET: 'false' })
  expect((await browser.ask('/auth/account')).text).toContain('passkey of one device')
  const other = openBrowserless({ ...at(), address: at().origin })
  expect((await authenticate(other, key)).status).toBe(200)
})

test('the operator counts, exports and deletes accounts', async () => {
  const { browser, account } = await newAccount()
  const counted = await octagent(['accounts', '--json'], here())
  expect(JSON.parse(counted.stdout)).toMatchObject({ accounts: 3, keys: 4 })
  expect((await octagent(['accounts'], here())).stdout).toMatch(/^accounts +3\nkeys +4\nsessions +\d+\n/)
  const exported = await octagent(['accounts', 'export', account], here())
  expect([exported.code, JSON.parse(exported.stdout)]).toMatchObject([
    0,
    { account: { id: account }, keys: [{ kind: 'wallet' }], statement: [] },
  ])
  expect((await fetch(`${server.url}/operator/accounts/${account}`)).status).toBe(401)
  expect((await octagent(['accounts', 'delete', account], here())).stdout).toBe(`deleted ${account}\n`)
  expect((await browser.ask('/auth/account')).status).toBe(303)
  const gone = await octagent(['accounts', 'export', account], here())
  expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining('There is no such account.')])
  const misused = await octagent(['accounts', 'rob', account], here())
  expect([misused.code, misused.stderr]).toEqual([1, expect.stringContaining('accounts export <id>')])
})
