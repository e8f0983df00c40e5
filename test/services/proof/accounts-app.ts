import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../../../app/app.ts'
import { readConfig } from '../../../app/config.ts'
import { audit } from '../../../mcp/payment/ledger/audit.ts'
import type { Fetch } from '../../../mcp/ports/fetch/port.ts'
import { payDevelopmentInvoice } from '../../../mcp/ports/lightning/devnet.ts'
import { openLightningKey } from '../../../mcp/ports/lightning/key.ts'
import proof from '../../../mcp/services/proof/service.ts'
import { openEmbedded } from '../../../store/embedded/open.ts'
import type { Store } from '../../../store/index.ts'
import { anvilBinary } from '../../payment/evm-chain.ts'

type Headers = Record<string, string>
type Body = Record<string, unknown>

type Options = { store?: Store; fetch?: Fetch; environment?: Record<string, string> }

/** The verification service as it is served, on local chains and a Lightning node for development; a sat is worth 0.0006 USD. */
export const openAccountsApp = async ({ store: given, fetch: ownFetch, environment = {} }: Options = {}) => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-accounts-'))
  const store = given ?? (await openEmbedded({ dir: join(dir, 'store') }))
  const config = readConfig(
    {
      PORT: '0',
      OCTAGENT_DATA: dir,
      OCTAGENT_LOG: 'silent',
      OCTAGENT_RATES: 'sat=0.0006',
      OCTAGENT_RATE_LIMIT: '100000',
      ...(anvilBinary && { ANVIL: anvilBinary }),
      TRUST_PROXY: '1',
      ...environment,
    },
    [proof],
  )
  const ports = { store, ...(ownFetch && { fetch: ownFetch }) }
  const app = await createApp({ services: [proof], config, ports })
  const site = await app.listen()
  const url = `${site}/proof`
  let addresses = 0
  let ids = 0

  const newAddress = () => `198.51.100.${++addresses % 250}`

  const readAnswer = async (response: Response) => ({
    status: response.status,
    response,
    body: (await response.json()) as Body,
  })
  const post = async (path: string, body: object, headers: Headers = {}) =>
    readAnswer(
      await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': newAddress(), ...headers },
        body: JSON.stringify(body),
      }),
    )
  const get = async (path: string, headers: Headers = {}) =>
    readAnswer(await fetch(`${url}${path}`, { headers: { 'x-forwarded-for': newAddress(), ...headers } }))

  const payInvoice = async (invoice: string): Promise<string> => {
    const result = payDevelopmentInvoice(invoice, await openLightningKey(dir), new Date())
    if (result.state === 'failed') throw new Error(result.detail)
    return result.preimage
  }

  /** Pays the invoice of a call; resolves to the header that shows it. */
  const buyCredential = async (path: string, body: object, headers: Headers = {}) => {
    const refusal = await post(path, body, headers)
    const challenge = refusal.response.headers.get('www-authenticate') ?? ''
    const [, token = ''] = / token="([^"]+)"/.exec(challenge) ?? []
    const [, invoice = ''] = /invoice="([^"]+)"/.exec(challenge) ?? []
    if (invoice === '') throw new Error(`no invoice: ${JSON.stringify(refusal.body)}`)
    return { authorization: `L402 ${token}:${await payInvoice(invoice)}` }
  }

  const payByLightning = async (path: string, body: object, headers: Headers = {}) => {
    const credential = await buyCredential(path, body, headers)
    return { ...(await post(path, body, { ...headers, ...credential })), credential }
  }

  const register = async (address = newAddress()) => {
    const { body } = await post('/register', {}, { 'x-forwarded-for': address })
    const key = String(body.api_key)
    return { key, id: String(body.account_id), headers: { 'x-api-key': key, 'x-forwarded-for': address } }
  }

  const useFreeCalls = (account: string, used: number) =>
    store.collection<{ id: string; used: number }>('first-calls').put({ id: `proof:${account}`, used })

  return {
    dir,
    url,
    site,
    store,
    post,
    get,
    newAddress,
    payInvoice,
    buyCredential,
    payByLightning,
    register,
    useFreeCalls,
    /** An account whose free calls are over, with sats on it. */
    async funded(sats: number) {
      const account = await register()
      await useFreeCalls(account.id, 5)
      if (sats > 0) await payByLightning('/topup', { sats }, account.headers)
      return account
    },
    async callMcp(name: string, args: object, headers: Headers): Promise<Body> {
      const response = await fetch(`${url}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: ++ids,
          method: 'tools/call',
          params: { name, arguments: args },
        }),
      })
      // Who needs an account and has none gets an error of the protocol, with HTTP 401.
      const { result, error } = (await response.json()) as { result?: Body; error?: Body }
      return result ?? { isError: true, error }
    },
    async sendA2a(skill: string, args: object, headers: Headers): Promise<Body> {
      const data = { kind: 'data', data: { skill, arguments: args } }
      const message = { kind: 'message', role: 'user', messageId: String(++ids), parts: [data] }
      const response = await fetch(`${url}/a2a`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: ids, method: 'message/send', params: { message } }),
      })
      return (await response.json()) as Body
    },
    audit: () => audit(store),
    async stop() {
      await app.close(true)
      if (!given) await store.close().catch(() => undefined)
      await rm(dir, { recursive: true, force: true })
    },
  }
}

export type AccountsApp = Awaited<ReturnType<typeof openAccountsApp>>
