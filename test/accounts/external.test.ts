import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bearer, callMcp, type Signing, startSigning } from './fixture.ts'

type Pair = Awaited<ReturnType<typeof generateKeyPair>>

let signing: Signing
let server: Server
let issuer: string
let pair: Pair
let published: object[]
const asked: string[] = []

beforeAll(async () => {
  pair = await generateKeyPair('ES256')
  published = [{ ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'ES256' }]
  server = createServer((req, res) => {
    asked.push(req.url ?? '')
    const document: Record<string, object> = {
      '/.well-known/openid-configuration/realm': { issuer, jwks_uri: `${issuer}/keys` },
      '/realm/keys': { keys: published },
    }
    const body = document[req.url ?? '']
    res.writeHead(body ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}))
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/realm`
  signing = await startSigning({
    environment: { OIDC_ISSUER: issuer, OIDC_AUDIENCE: 'agents', OIDC_SCOPE: 'openid' },
  })
})
afterAll(async () => {
  await signing.stop()
  server.closeAllConnections()
  server.close()
})

type Claims = { iss?: string; aud?: string; sub?: string; exp?: number | string; kid?: string; key?: Pair }

const make = ({
  iss = issuer,
  aud = 'agents',
  sub = 'ada',
  exp = '5m',
  kid = 'one',
  key = pair,
}: Claims = {}) =>
  new SignJWT({ client_id: 'a-client' })
    .setProtectedHeader({ alg: 'ES256', kid })
    .setIssuer(iss)
    .setAudience(aud)
    .setSubject(sub)
    .setIssuedAt()
    .setExpirationTime(exp)
    .sign(key.privateKey)

const account = async (token: string) => {
  const { status, body } = await callMcp(
    `${signing.url}/broker/mcp`,
    'tools/call',
    { name: 'get_account', arguments: {} },
    bearer(token),
  )
  return { status, id: body.result?.structuredContent?.account_id as string | undefined }
}

test('documents name the other server, and ours is not there', async () => {
  const answer = await fetch(`${signing.url}/.well-known/oauth-protected-resource/cat/mcp`)
  expect(await answer.json()).toMatchObject({ authorization_servers: [issuer], scopes_supported: ['openid'] })
  expect((await fetch(`${signing.issuer}/authorize`)).status).toBe(404)
  expect((await fetch(`${signing.url}/.well-known/oauth-authorization-server/auth`)).status).toBe(404)
})

test('a person is the same with each of their tokens, and the signature of each is checked once', async () => {
  const [first, second, other] = [
    await make(),
    await make({ aud: `${signing.url}/broker/mcp` }),
    await make({ sub: 'bob' }),
  ]
  const answers = await Promise.all([account(first), account(second), account(first)])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
  expect((await account(other)).id).not.toBe(answers[0]?.id)
  expect(asked.filter(path => path === '/realm/keys')).toHaveLength(1)
})

test('a token of another issuer, audience, key or time, or without a signature, is 401', async () => {
  const stranger = await generateKeyPair('ES256')
  const [header = '', payload = ''] = (await make()).split('.')
  const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')
  const tokens = [
    await make({ iss: 'https://other.example' }),
    await make({ aud: 'somebody-else' }),
    await make({ aud: `${signing.url}/cat/mcp` }),
    await make({ key: stranger }),
    await make({ exp: Math.floor(Date.now() / 1000) - 60 }),
    `${none}.${payload}.x`,
    `${header}.${payload}.AAAA`,
  ]
  for (const token of tokens) expect(await account(token)).toMatchObject({ status: 401 })
})

test('a token is over with its time, also where it was checked before; new keys are found', async () => {
  const token = await make({ exp: '1m' })
  expect((await account(token)).status).toBe(200)
  signing.wait(70)
  expect((await account(token)).status).toBe(401)
  const next = await generateKeyPair('ES256')
  published.push({ ...(await exportJWK(next.publicKey)), kid: 'two', alg: 'ES256' })
  expect((await account(await make({ kid: 'two', key: next }))).status).toBe(200)
})

test('a server that is away makes a token unknown to nobody: 503', async () => {
  const away = await startSigning({ environment: { OIDC_ISSUER: 'http://127.0.0.1:1/realm' } })
  try {
    const token = await make({ iss: 'http://127.0.0.1:1/realm' })
    const { status, headers } = await callMcp(`${away.url}/cat/mcp`, 'tools/list', {}, bearer(token))
    expect(status).toBe(503)
    expect(headers.get('retry-after')).not.toBeNull()
    expect((await callMcp(`${away.url}/cat/mcp`, 'tools/list')).status).toBe(200)
  } finally {
    await away.stop()
  }
})
