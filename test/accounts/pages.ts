import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { AccountDeps } from '../../mcp/accounts/deps.ts'
import { takeRegistration } from '../../mcp/kernel/pipeline/daily.ts'
import { openLimits, overLimit } from '../../mcp/kernel/pipeline/limits.ts'
import { openLedger } from '../../mcp/payment/ledger/index.ts'
import { openKeys } from '../../mcp/ports/keys/keys.ts'
import type { Store } from '../../mcp/ports/store/port.ts'
import { openAccountPages } from '../../web/accounts/app.ts'
import { openShell } from '../../web/shell.ts'
import { openTestWorld } from '../world.ts'

/** A clock that stands a given time ahead of the real one. */
export const openClock = () => {
  let ahead = 0
  return {
    now: () => new Date(Date.now() + ahead),
    pass(seconds: number) {
      ahead += seconds * 1000
    },
  }
}

export type Faults = { at: string; cause: unknown }[]

/** The pages of accounts on `localhost`, over the embedded store unless another is given. */
export const openPages = async ({ store, ...more }: Partial<AccountDeps> & { store?: Store } = {}) => {
  const clock = openClock()
  const world = store ? undefined : await openTestWorld({ ports: { clock } })
  const faults: Faults = []
  let listener: RequestListener = (_, res) => res.end()
  const server = createServer((req, res) => listener(req, res))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const origin = `http://localhost:${port}`
  const limits = openLimits(() => clock.now().getTime())
  const keep = store ?? world?.ports.store
  if (!keep) throw new Error('no store')
  const deps: AccountDeps = {
    store: keep,
    clock,
    keys: openKeys(Buffer.alloc(32, 7)),
    take: async (key, quota, seconds) => (await limits.take(key, quota, 1, seconds)).ok,
    resources: [],
    ledger: openLedger(() => clock.now()),
    rates: undefined as never,
    fetch: undefined as never,
    origin: () => origin,
    url: () => `http://127.0.0.1:${port}`,
    report: (at, cause) => void faults.push({ at, cause }),
    takeLimit: async (what, address = '', perMinute) => {
      const standing = await limits.take(`${what}:${address}`, perMinute)
      if (!standing.ok) throw overLimit(what, standing)
    },
    countRegistration: (tx, address = '') => takeRegistration(tx, address, clock.now()),
    ...more,
  }
  listener = openAccountPages(deps, openShell({ site: deps.url, rooms: () => [] }))
  return {
    deps,
    clock,
    faults,
    origin: deps.origin(),
    /** Where this replica listens. */
    address: origin,
    /** Forgets what addresses have used up of their limits. */
    nextMinute: () => clock.pass(61),
    async stop() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      await world?.stop()
    },
  }
}

export type Pages = Awaited<ReturnType<typeof openPages>>

type Init = {
  method?: string
  body?: unknown
  form?: Record<string, string>
  headers?: Record<string, string>
}

/** A browser without a window: keeps cookies and sends what a browser sends. */
export const openBrowserless = (
  { origin, address }: Pick<Pages, 'origin' | 'address'>,
  cookies = new Map<string, string>(),
) => {
  const ask = async (path: string, { method, body, form, headers }: Init = {}) => {
    const posts = body !== undefined || form !== undefined || method === 'POST'
    const sent = form
      ? new URLSearchParams(form).toString()
      : body === undefined
        ? undefined
        : JSON.stringify(body)
    const response = await fetch(address + path, {
      method: method ?? (posts ? 'POST' : 'GET'),
      redirect: 'manual',
      headers: {
        ...(posts && { origin, 'sec-fetch-site': 'same-origin' }),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...headers,
      },
      ...(sent !== undefined && { body: sent }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=')
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      location: response.headers.get('location'),
      text,
      json: () => JSON.parse(text),
    }
  }
  return { cookies, ask }
}

export type Browserless = ReturnType<typeof openBrowserless>
export type Signer = { address: Hex; signMessage(message: { message: string }): Promise<Hex> }

export const newSigner = (): Signer => privateKeyToAccount(generatePrivateKey())

/** Begins with a wallet; the message is to be signed. */
export const beginWallet = async (
  { ask }: Browserless,
  { address }: Pick<Signer, 'address'>,
  { purpose = 'sign-in', chain_id = 8453 }: { purpose?: 'sign-in' | 'prove' | 'add'; chain_id?: number } = {},
) =>
  (await ask('/auth/wallet/start', { body: { purpose, address, chain_id } })).json() as {
    id: string
    message: string
  }

/** Signs in with a wallet; the answer of the last step. */
export const signInWith = async (browser: Browserless, signer: Signer, options = {}) => {
  const { id, message } = await beginWallet(browser, signer, options)
  const signature = await signer.signMessage({ message })
  return browser.ask('/auth/wallet/finish', { body: { id, signature } })
}
