import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { createApp } from '../../app/app.ts'
import { readConfig } from '../../app/config.ts'
import { services } from '../../app/services.ts'
import type { Fetch } from '../../mcp/ports/fetch/port.ts'
import { payDevelopmentInvoice } from '../../mcp/ports/lightning/devnet.ts'
import { openLightningKey } from '../../mcp/ports/lightning/key.ts'
import { makeSigningKey } from '../../mcp/ports/sign/sign.ts'
import { openEmbedded } from '../../store/embedded/open.ts'
import { signRequest } from '../services/tasks/signing.ts'
import { startStripe } from '../stripe.ts'
import { callMcp, clientDocument, documentFetch, personIn, signIn } from './fixture.ts'

type Body = Record<string, unknown>
type Headers = Record<string, string>

/**
 * Fills a data folder by calls over HTTP as the program answers them now, and writes it with what its keys and payments are to `folder`:
 * accounts of every service with keys that were used and rotated, a person at three services, and payments by card that were paid,
 * taken back, owed and not made yet.
 */
export const makeBefore = async (folder: string): Promise<void> => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-before-'))
  const secrets = {
    OCTAGENT_PEPPER: randomBytes(32).toString('base64url'),
    OCTAGENT_SIGNING_KEY: makeSigningKey(),
  }
  const stripe = await startStripe()
  const documents = documentFetch(clientDocument())
  const fetchAny: Fetch = (url, options) =>
    (url.startsWith('https://client.example/') ? documents.fetch : stripe.fetch)(url, options)
  const store = await openEmbedded({ dir: join(dir, 'store') })
  const environment = {
    PORT: '0',
    OCTAGENT_DATA: dir,
    OCTAGENT_LOG: 'silent',
    OCTAGENT_RATES: 'sat=0.0006',
    OCTAGENT_RATE_LIMIT: '100000',
    ...secrets,
    ...stripe.environment,
  }
  const app = await createApp({
    services,
    config: readConfig(environment, services),
    ports: { store, fetch: fetchAny },
  })
  const url = await app.listen()
  const issuer = `http://localhost:${new URL(url).port}/auth`

  const post = async (path: string, body: object, headers: Headers = {}) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    return { response, body: (await response.json()) as Body }
  }
  const key = (value: unknown): Headers => ({ 'x-api-key': String(value) })
  const tell = async (path: string, event: string) => {
    const headers = { 'content-type': 'application/json', 'stripe-signature': stripe.sign(event) }
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: event })
    if (!response.ok) throw new Error(await response.text())
  }
  const lastSession = () => {
    const session = stripe.sessions().at(-1)
    if (!session) throw new Error('no page of the processor')
    return session
  }

  const openProof = async () => {
    const { body } = await post('/proof/register', { label: 'before' })
    const id = String(body.account_id)
    await store.collection<{ id: string; used: number }>('first-calls').put({ id: `proof:${id}`, used: 5 })
    return { id, key: String(body.api_key) }
  }
  const openProofCard = async (account: { key: string }) => {
    await post('/proof/topup/card', { sats: 10_000 }, key(account.key))
    return lastSession()
  }

  const proofEvents = '/proof/topup/card/events'
  const rich = await openProof()
  const rotated = await post('/proof/keys/rotate', {}, key(rich.key))
  const proof = { id: rich.id, key: String(rotated.body.api_key), old: rich.key }
  const paid = await openProofCard(proof)
  await tell(proofEvents, stripe.completed(paid))
  await tell(proofEvents, stripe.refunded(paid, 150))
  const waiting = await openProofCard(proof)
  const early = await openProofCard(proof)
  await tell(proofEvents, stripe.refunded(early, 100))
  const quote = await post('/proof/topup', { sats: 20_000 }, key(proof.key))
  const challenge = quote.response.headers.get('www-authenticate') ?? ''
  const [, token = ''] = / token="([^"]+)"/.exec(challenge) ?? []
  const [, invoice = ''] = /invoice="([^"]+)"/.exec(challenge) ?? []
  const payment = payDevelopmentInvoice(invoice, await openLightningKey(dir), new Date())
  if (payment.state === 'failed') throw new Error(payment.detail)
  const authorization = `L402 ${token}:${payment.preimage}`
  await post('/proof/topup', { sats: 20_000 }, { ...key(proof.key), authorization })

  const debtor = await openProof()
  const spent = await openProofCard(debtor)
  await tell(proofEvents, stripe.completed(spent))
  await post('/proof/review', { artifact: 'ls' }, key(debtor.key))
  await tell(proofEvents, stripe.refunded(spent, 600))

  const opened = await post('/broker/v1/account/register', { accepted_terms: true })
  const replaced = await post('/broker/v1/account/keys/rotate', {}, key(opened.body.api_key))
  const broker = {
    id: String(opened.body.account_id),
    key: String(replaced.body.api_key),
    old: String(opened.body.api_key),
  }
  const joined = await post('/gateway/agents', {
    external_id: 'before.example.com',
    name: 'Ada',
    capabilities: ['translation'],
  })
  const allied = await post('/data/tools/ally_register', { name: 'Ada' })
  const wallet = privateKeyToAccount(generatePrivateKey())
  const made = async () => {
    const path = `${url}/tasks/api/v1/auth/keys`
    const signed = await signRequest(wallet, path, {
      method: 'POST',
      body: '{}',
      contentType: 'application/json',
    })
    const headers = { 'content-type': 'application/json', ...signed }
    return (await (await fetch(path, { method: 'POST', headers, body: '{}' })).json()) as Body
  }
  const formerTask = await made()
  const task = await made()

  const { account, cookie } = await personIn(store)
  const person: Record<string, string> = { account, cookie }
  for (const slug of ['broker', 'proof', 'gateway']) {
    const tokens = await signIn({ url, issuer }, cookie, { resource: `${url}/${slug}/mcp` })
    const tool = { broker: 'get_account', proof: 'get_balance' }[slug] ?? 'help'
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    const { body } = await callMcp(`${url}/${slug}/mcp`, 'tools/call', { name: tool, arguments: {} }, headers)
    person[slug] = String(body.result?.structuredContent?.account_id ?? '')
    if (tokens.status !== 200) throw new Error(`no token for ${slug}`)
  }
  const openCard = async (usd: string) => {
    await fetch(`${issuer}/balance/top-up`, {
      method: 'POST',
      headers: { cookie, origin: new URL(issuer).origin, 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ by: 'card', usd }),
      redirect: 'manual',
    })
    return lastSession()
  }
  const dollars = await openCard('5.00')
  await tell('/account/card/events', stripe.completed(dollars))
  await tell('/account/card/events', stripe.refunded(dollars, 125))
  const dollarsWaiting = await openCard('3.00')

  await app.close(true)
  await stripe.stop()
  await rm(folder, { recursive: true, force: true })
  await cp(join(dir, 'store'), join(folder, 'store'), { recursive: true, filter: path => !/lock/.test(path) })
  const facts = {
    made_at: new Date().toISOString(),
    secrets,
    proof,
    debtor,
    broker,
    gateway: { id: joined.body.agent_id, key: joined.body.agent_key },
    data: { id: allied.body.ally_id, key: allied.body.api_key },
    tasks: { id: task.account_id, key: task.api_key, old: formerTask.api_key },
    person,
    sessions: { paid, waiting, early, spent, dollars, dollarsWaiting },
  }
  await writeFile(join(folder, 'facts.json'), `${JSON.stringify(facts, null, 2)}\n`)
  await rm(dir, { recursive: true, force: true })
}
