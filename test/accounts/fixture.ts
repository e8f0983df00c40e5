import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AppOptions, createApp } from '../../app/app.ts'
import { readConfig } from '../../app/config.ts'
import { services as allServices } from '../../app/services.ts'
import { accountsIn, newAccountId } from '../../mcp/accounts/account.ts'
import { openSession } from '../../mcp/accounts/session.ts'
import type { Fetch, Fetched } from '../../mcp/ports/fetch/port.ts'
import type { Store } from '../../mcp/ports/store/port.ts'
import { openEmbedded } from '../../store/embedded/open.ts'

export type Documents = Record<string, object | string | (() => Partial<Fetched> | Promise<Partial<Fetched>>)>

/** Serves documents of clients as the guarded way out would, and remembers what was asked. */
export const documentFetch = (documents: Documents) => {
  const asked: string[] = []
  const fetch: Fetch = async (url, { maxBytes = 1 << 20, signal } = {}) => {
    asked.push(url)
    const entry = documents[url]
    const answer =
      typeof entry === 'function'
        ? await Promise.race([
            entry(),
            new Promise<never>((_, reject) =>
              signal?.addEventListener('abort', () => reject(signal.reason), { once: true }),
            ),
          ])
        : undefined
    const text = typeof entry === 'string' ? entry : JSON.stringify(entry ?? { error: 'not found' })
    const body = Buffer.from(answer?.body ?? text)
    return {
      url,
      status: entry === undefined ? 404 : 200,
      hops: [],
      headers: { 'content-type': 'application/json', 'cache-control': 'max-age=300' },
      text: () => ({ text: body.toString(), charset: 'utf-8', charsetSource: 'default' }),
      ...answer,
      body: body.subarray(0, maxBytes),
      truncated: body.length > maxBytes,
    }
  }
  return { fetch, asked }
}

const base = {
  redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}

/** The metadata document of a client, as Claude Code publishes one: no application type, addresses of this machine without a port. */
export const clientDocument = (name = 'cli', more: object = {}): Documents => {
  const client_id = `https://client.example/${name}`
  return { [client_id]: { client_id, client_name: 'A command line', ...base, ...more } }
}

export const clientId = 'https://client.example/cli'
export const callback = 'http://127.0.0.1:41999/callback'

export type Signing = {
  url: string
  issuer: string
  store: Store
  asked: string[]
  /** Lets time pass, as the installation sees it. */
  wait(seconds: number): void
  /** Makes an account that is signed in; the cookie of its browser. */
  person(): Promise<{ account: string; cookie: string }>
  stop(): Promise<void>
}

type Options = Pick<AppOptions, 'only' | 'url' | 'services'> & {
  documents?: Documents
  environment?: Record<string, string>
  store?: Store
  /** Goes out to the web by the guarded way. */
  realFetch?: boolean
}

export const personIn = async (store: Store): Promise<{ account: string; cookie: string }> => {
  const account = newAccountId()
  const now = new Date()
  const day = now.toISOString().slice(0, 10)
  await accountsIn(store).insert({ id: account, name: null, created_at: now.toISOString(), last_used: day })
  const token = await store.transaction(tx => openSession(tx, { account, key: 'passkey:test' }, now))
  return { account, cookie: `octagent_session=${token}` }
}

/** The whole program on a free port, with the documents of clients for the internet. */
export const startSigning = async ({
  documents = clientDocument(),
  environment = {},
  store: given,
  realFetch = false,
  ...options
}: Partial<Options> = {}): Promise<Signing> => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-sign-in-'))
  const { fetch, asked } = documentFetch(documents)
  const { services = allServices } = options
  let later = 0
  const clock = { now: () => new Date(Date.now() + later) }
  const store = given ?? (await openEmbedded({ dir: join(dir, 'store') }))
  const config = readConfig(
    { PORT: '0', OCTAGENT_DATA: dir, OCTAGENT_LOG: 'error', OCTAGENT_RATE_LIMIT: '1000000', ...environment },
    services,
  )
  const app = await createApp({
    ...options,
    services,
    config,
    ports: { ...(!realFetch && { fetch }), store, clock },
  })
  const url = await app.listen()
  return {
    url,
    issuer: `http://localhost:${new URL(url).port}/auth`,
    store,
    asked,
    wait: seconds => {
      later += seconds * 1000
    },
    person: () => personIn(store),
    async stop() {
      await app.close(true)
      await rm(dir, { recursive: true, force: true })
    },
  }
}

export const verifier = randomBytes(32).toString('base64url')
const challenge = createHash('sha256').update(verifier).digest('base64url')

/** The address that a client opens in a browser. Undefined parameters are left out. */
export const authorizeUrl = (
  { issuer, url }: Pick<Signing, 'issuer' | 'url'>,
  more: Record<string, string | undefined> = {},
): string => {
  const params = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: callback,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'a state',
    scope: 'use',
    resource: `${url}/cat/mcp`,
    ...more,
  }
  const present = Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return `${issuer}/authorize?${new URLSearchParams(present)}`
}

/** Where a request goes; itself, or a server behind a load balancer. */
export type Via = (url: URL) => URL

/** A browser by plain HTTP: keeps cookies by name and path, follows redirects until a callback or a page. */
export const openBrowser = (origin: string, cookie?: string, via: Via = url => url) => {
  const jar = new Map<string, { value: string; path: string }>()
  if (cookie !== undefined) {
    const [name = '', value = ''] = cookie.split('=')
    jar.set(name, { value, path: '/' })
  }
  const cookies = ({ pathname }: URL): string =>
    [...jar]
      .filter(([, { path }]) => pathname.startsWith(path))
      .map(([name, { value }]) => `${name.split(' ')[0]}=${value}`)
      .join('; ')

  const ask = async (address: string | URL, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(address)
    const response = await fetch(via(url), {
      ...init,
      redirect: 'manual',
      headers: { cookie: cookies(url), ...(init.headers as Record<string, string>) },
    })
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';').map(part => part.trim())
      const [name = '', value = ''] = pair.split(/=(.*)/s)
      const path = attributes.find(part => /^path=/i.test(part))?.slice(5) ?? '/'
      if (value === '') jar.delete(`${name} ${path}`)
      else jar.set(`${name} ${path}`, { value, path })
    }
    return response
  }

  /** Follows redirects of ours. Ends at a page, or at an address of the client's. */
  const open = async (address: string | URL): Promise<{ url: URL; response: Response | undefined }> => {
    let url = new URL(address)
    for (let hop = 0; hop < 10; hop += 1) {
      if (url.host !== new URL(origin).host) return { url, response: undefined }
      const response = await ask(url)
      const next = response.headers.get('location')
      if (next === null) return { url, response }
      await response.arrayBuffer()
      url = new URL(next, url)
    }
    throw new Error('too many redirects')
  }

  const post = (
    url: string | URL,
    fields: Record<string, string> | [string, string][],
    headers: Record<string, string> = {},
  ) =>
    ask(url, {
      method: 'POST',
      headers: { origin, 'sec-fetch-site': 'same-origin', ...headers },
      body: new URLSearchParams(fields),
    })

  return { ask, open, post }
}

/** The services that a page has ticked, as a browser would send them. */
const tickedIn = (page: string): [string, string][] =>
  [...page.matchAll(/name="services" value="(\w+)" checked/g)].map(([, slug = '']) => ['services', slug])

export const allowed = { decision: 'allow', spend: 'some', per_call: '0.10', per_day: '1.00' }

/** A whole visit to the browser: signs in and allows. The parameters that the client's callback gets. */
export const visit = async (
  signing: Pick<Signing, 'issuer' | 'url'>,
  cookie: string,
  more: Record<string, string | undefined> = {},
  fields: Record<string, string> = allowed,
  via?: Via,
): Promise<URLSearchParams> => {
  const { origin } = new URL(signing.issuer)
  const browser = openBrowser(origin, cookie, via)
  const { url, response } = await browser.open(authorizeUrl(signing, more))
  if (!response) return url.searchParams
  const page = await response.text()
  if (response.status !== 200) throw new Error(`${response.status} ${url.pathname} ${page}`)
  const answer = await browser.post(url, [...Object.entries(fields), ...tickedIn(page)])
  const next = answer.headers.get('location')
  if (next === null) throw new Error(`${answer.status} ${await answer.text()}`)
  const { url: end } = await browser.open(new URL(next, url))
  return end.searchParams
}

export type Tokens = {
  status: number
  access_token?: string
  refresh_token?: string
  token_type?: string
  expires_in?: number
  scope?: string
  error?: string
  error_description?: string
}

/** Asks the token endpoint. */
export const askToken = async (
  { issuer }: Pick<Signing, 'issuer'>,
  fields: Record<string, string>,
): Promise<Tokens> => {
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: clientId, ...fields }),
  })
  return { status: response.status, ...((await response.json()) as object) }
}

export const redeem = (signing: Pick<Signing, 'issuer'>, code: string, more: Record<string, string> = {}) =>
  askToken(signing, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: callback,
    code_verifier: verifier,
    ...more,
  })

export const refresh = (signing: Pick<Signing, 'issuer'>, token = '') =>
  askToken(signing, { grant_type: 'refresh_token', refresh_token: token })

/** Signs in and redeems the code. */
export const signIn = async (
  signing: Pick<Signing, 'issuer' | 'url'>,
  cookie: string,
  more: Record<string, string | undefined> = {},
): Promise<Tokens> => {
  const params = await visit(signing, cookie, more)
  return redeem(signing, params.get('code') ?? '')
}

/** One MCP call by plain HTTP, in the older era. */
export const callMcp = async (
  url: string,
  method: string,
  params: object = {},
  headers: Record<string, string> = {},
) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
  })
  const text = await response.text()
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text
  return { status: response.status, headers: response.headers, body: JSON.parse(data || 'null') }
}

export const bearer = (token = ''): Record<string, string> => ({ authorization: `Bearer ${token}` })
