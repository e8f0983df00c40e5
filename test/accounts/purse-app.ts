import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { createApp } from '../../app/app.ts'
import { readConfig } from '../../app/config.ts'
import { accountsIn, newAccountId } from '../../mcp/accounts/account.ts'
import { credit, loadBook, toBook } from '../../mcp/accounts/books.ts'
import { limitsIn, type SpendingLimits } from '../../mcp/accounts/limits.ts'
import { openSession } from '../../mcp/accounts/session.ts'
import type { Service } from '../../mcp/kernel/service.ts'
import { formatUsd } from '../../mcp/lib/usd.ts'
import { openLedger } from '../../mcp/payment/ledger/index.ts'
import type { Fetch } from '../../mcp/ports/fetch/port.ts'
import { payDevelopmentInvoice } from '../../mcp/ports/lightning/devnet.ts'
import { openLightningKey } from '../../mcp/ports/lightning/key.ts'
import { openEmbedded } from '../../store/embedded/open.ts'
import type { Store } from '../../store/index.ts'
import { serviceWith } from '../call/fixture.ts'
import { anvilBinary } from '../payment/evm-chain.ts'
import { identifyPerson, type Knobs, openTools, toKey } from './purse-world.ts'

type Options = { store?: Store; fetch?: Fetch; environment?: Record<string, string> }

/** A shop of priced tools as it is served, on local chains, with the pages of accounts; a sat is worth 0.0006 USD. */
export const openPurseApp = async ({ store: given, fetch: ownFetch, environment = {} }: Options = {}) => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-purse-'))
  const store = given ?? (await openEmbedded({ dir: join(dir, 'store') }))
  const knobs: Knobs = { wait: undefined, enter: undefined, fail: false }
  const tools = openTools(knobs)
  const shop: Service = {
    ...serviceWith(tools.dime, tools.half, tools.coin),
    slug: 'shop',
    name: 'Shop',
    identify: { bearer: identifyPerson },
  }
  const config = readConfig(
    {
      PORT: '0',
      OCTAGENT_DATA: dir,
      OCTAGENT_LOG: 'silent',
      OCTAGENT_RATES: 'sat=0.0006',
      OCTAGENT_RATE_LIMIT: '100000',
      ...(anvilBinary && { ANVIL: anvilBinary }),
      ...environment,
    },
    [shop],
  )
  const app = await createApp({
    services: [shop],
    config,
    ports: { store, ...(ownFetch && { fetch: ownFetch }) },
  })
  const url = await app.listen()
  const origin = url.replace('127.0.0.1', 'localhost')
  const ledger = openLedger()
  let topUps = 0

  const setLimits = (account: string, limits: Partial<SpendingLimits> = {}) =>
    store.transaction(tx =>
      limitsIn(tx).put({
        id: `grant_${account}`,
        account,
        client: { id: 'client', name: 'Claude <b>' },
        per_call: '0.00',
        per_day: null,
        services: null,
        updated_at: new Date().toISOString(),
        ...limits,
      }),
    )

  /** Somebody who is signed in, with a client and dollars. */
  const openPerson = async (value = 0n) => {
    const account = newAccountId()
    const now = new Date()
    const token = await store.transaction(async tx => {
      const at = now.toISOString()
      await accountsIn(tx).insert({ id: account, name: 'Ada', created_at: at, last_used: at.slice(0, 10) })
      if (value > 0n)
        await credit(tx, ledger, {
          id: `topup:test-${account}-${++topUps}`,
          book: toBook(account),
          value,
          source: 'world:account-test',
          memo: 'test',
        })
      return openSession(tx, { account, key: 'passkey:test' }, now)
    })
    await setLimits(account)
    const cookie = { name: 'octagent_session', value: token }
    const headers = { cookie: `${cookie.name}=${token}` }
    const call = async (tool = 'dime', text = 'a') => {
      const response = await fetch(`${url}/shop/tools/${tool}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${toKey(account, `grant_${account}`)}`,
        },
        body: JSON.stringify({ text }),
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
    const get = (path: string) => fetch(origin + path, { headers, redirect: 'manual' })
    const post = (path: string, fields: Record<string, string>, more: Record<string, string> = {}) =>
      fetch(origin + path, {
        method: 'POST',
        headers: { ...headers, origin, ...more },
        body: new URLSearchParams(fields),
        redirect: 'manual',
      })
    const balance = async () => {
      const { available, debt } = await loadBook(store, ledger, toBook(account))
      return { available: formatUsd(available), debt: formatUsd(debt) }
    }
    /** The path of the page that a refused call names. */
    const openPage = async (tool = 'dime', text = 'a') => {
      const { status, body } = await call(tool, text)
      const pay_at = String(body.pay_at ?? '')
      if (status !== 402 || !pay_at.startsWith(`${origin}/auth/pay/`)) throw new Error(JSON.stringify(body))
      return new URL(pay_at).pathname
    }
    return {
      account,
      cookie,
      call,
      get,
      post,
      balance,
      openPage,
      setLimits: (limits: Partial<SpendingLimits>) => setLimits(account, limits),
    }
  }

  const demoKey = async () => {
    await app.devnetRpc('base')
    const { demo } = JSON.parse(await readFile(join(dir, 'devnet.json'), 'utf8')) as { demo: `0x${string}` }
    return demo
  }

  return {
    url,
    origin,
    store,
    knobs,
    openPerson,
    /** The wallet of the local chains that has money. */
    demoKey,
    demo: async () => privateKeyToAccount(await demoKey()),
    async payInvoice(invoice: string): Promise<string> {
      const result = payDevelopmentInvoice(invoice, await openLightningKey(dir), new Date())
      if (result.state === 'failed') throw new Error(result.detail)
      return result.preimage
    },
    async stop() {
      await app.close(true)
      if (!given) await store.close().catch(() => undefined)
      await rm(dir, { recursive: true, force: true })
    },
  }
}

export type PurseApp = Awaited<ReturnType<typeof openPurseApp>>
export type Person = Awaited<ReturnType<PurseApp['openPerson']>>
