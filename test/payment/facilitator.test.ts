import { generateKeyPairSync } from 'node:crypto'
import { HTTPFacilitatorClient } from '@x402/core/http'
import type { FacilitatorClient } from '@x402/core/server'
import { decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openLocalFacilitator } from '../../mcp/payment/methods/x402-evm/facilitator.ts'
import { openX402Evm } from '../../mcp/payment/methods/x402-evm/method.ts'
import type { Chain } from '../../mcp/ports/chain/port.ts'
import {
  type FacilitatorCredentials,
  openFacilitatorAuth,
  parseKeySecret,
  toCreateAuthHeaders,
} from '../../mcp/ports/facilitator/auth.ts'
import { openRemoteFacilitator } from '../../mcp/ports/facilitator/remote.ts'
import { balanceOf, makePayer, onAnvil, openTestDevnet, pay } from './evm-chain.ts'
import { serveFacilitator } from './facilitator-server.ts'
import { type Requirements as Offer, overX402, rates, toAttempt } from './x402.ts'

const now = () => new Date()

const ed25519 = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' })
  const keySecret = Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]).toString(
    'base64',
  )
  return { publicKey, credential: { keyId: 'ed-key', keySecret }, alg: 'EdDSA' }
}

const ec = (type: 'sec1' | 'pkcs8') => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const pem = String(privateKey.export({ type, format: 'pem' }))
  return { publicKey, credential: { keyId: 'ec-key', keySecret: pem.replaceAll('\n', '\\n') }, alg: 'ES256' }
}

const answers = {
  verify: async () => ({ isValid: true, invalidReason: null, payer: '0x1' }),
  settle: async () => ({ success: true, transaction: '0x2', errorReason: null }),
  supported: [{ network: 'eip155:8453' }, { network: 'base' }],
}

const payload = { x402Version: 2, payload: {} } as never
const requirements = { scheme: 'exact', network: 'eip155:8453', amount: '1' } as never

describe('what a facilitator elsewhere is asked', () => {
  let server: Awaited<ReturnType<typeof serveFacilitator>>
  afterEach(() => server?.close())

  test.each([
    ['an Ed25519 key', ed25519()],
    ['an EC key', ec('sec1')],
    ['an EC key in PKCS8', ec('pkcs8')],
  ])(
    'with %s each request has a token of two minutes for its own address',
    async (_, { publicKey, credential, alg }) => {
      const tokens = new Set<string>()
      server = await serveFacilitator(answers, async ({ headers, path }) => {
        const token = headers.authorization?.replace('Bearer ', '') ?? ''
        const { payload, protectedHeader } = await jwtVerify(token, publicKey, { issuer: 'cdp' })
        const method = path === '/supported' ? 'GET' : 'POST'
        expect(payload).toMatchObject({
          sub: credential.keyId,
          aud: ['cdp_service'],
          uris: [`${method} ${headers.host}${path}`],
        })
        expect(Number(payload.exp) - Number(payload.nbf)).toBe(120)
        expect(protectedHeader).toMatchObject({ alg, kid: credential.keyId, typ: 'JWT' })
        tokens.add(token)
        return true
      })
      const remote: FacilitatorClient = openRemoteFacilitator({ url: server.url, credential })
      const stock: FacilitatorClient = new HTTPFacilitatorClient({
        url: server.url,
        createAuthHeaders: toCreateAuthHeaders(openFacilitatorAuth(server.url, credential, now)),
      })
      for (const client of [remote, stock]) {
        expect(await client.verify(payload, requirements)).toEqual({ isValid: true, payer: '0x1' })
        expect(await client.settle(payload, requirements)).toMatchObject({
          success: true,
          transaction: '0x2',
        })
        expect((await client.getSupported()).kinds).toContainEqual({
          x402Version: 2,
          scheme: 'exact',
          network: 'eip155:8453',
        })
      }
      expect(tokens.size).toBe(6)
      for (const token of tokens) expect(decodeProtectedHeader(token).nonce).toMatch(/^[0-9a-f]{32}$/)
    },
  )

  test('the path of a facilitator is part of what its token is for', async () => {
    const { credential } = ed25519()
    const url = 'https://facilitator.example.net/platform/v2/x402'
    const { authorization = '' } = await openFacilitatorAuth(url, credential, now)('settle')
    expect(decodeJwt(authorization.slice('Bearer '.length)).uris).toEqual([
      'POST facilitator.example.net/platform/v2/x402/settle',
    ])
  })

  test('headers that stay go with each request', async () => {
    const credential: FacilitatorCredentials = { headers: { 'x-api-key': 'word' } }
    server = await serveFacilitator(answers, ({ headers }) => headers['x-api-key'] === 'word')
    expect(
      await openRemoteFacilitator({ url: server.url, credential }).verify(payload, requirements),
    ).toMatchObject({
      isValid: true,
    })
    await expect(openRemoteFacilitator({ url: server.url }).verify(payload, requirements)).rejects.toThrow(
      /401/,
    )
  })

  test('a credential goes to no other address', async () => {
    const stranger = await serveFacilitator(answers)
    server = await serveFacilitator(answers)
    server.knobs.instead = (path, response) => {
      response.writeHead(307, { location: stranger.url + path }).end()
      return true
    }
    const remote = openRemoteFacilitator({
      url: server.url,
      credential: { headers: { 'x-api-key': 'word' } },
    })
    await expect(remote.settle(payload, requirements)).rejects.toThrow(/307/)
    expect(stranger.requests).toEqual([])
    await stranger.close()
  })

  test('an endless answer is not read to its end', async () => {
    server = await serveFacilitator(answers)
    server.knobs.instead = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const write = () => {
        if (!response.destroyed) response.write('x'.repeat(1 << 16), write)
      }
      write()
      return true
    }
    await expect(openRemoteFacilitator({ url: server.url }).settle(payload, requirements)).rejects.toThrow(
      /too much/,
    )
  })

  test.each(['', 'word', 'AAAA', '-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----'])(
    '"%s" is no key',
    text => expect(parseKeySecret(text)).toBeUndefined(),
  )
})

onAnvil('several facilitators elsewhere', () => {
  let net: Awaited<ReturnType<typeof openTestDevnet>>
  let chain: Chain
  let offer: Offer
  let servers: Awaited<ReturnType<typeof serveFacilitator>>[]

  beforeAll(async () => {
    net = await openTestDevnet()
    chain = net.devnet.chain('base')
    const { address } = await chain.wallet((await net.devnet.keys()).payTo)
    const method = openX402Evm({
      chain,
      payTo: async () => address,
      facilitator: { key: async () => (await net.devnet.keys()).facilitator },
    })
    offer = await overX402(method).offer('0.10', 'before')
  })
  afterAll(() => net.close())
  beforeEach(async () => {
    const local = await openLocalFacilitator(chain, (await net.devnet.keys()).facilitator, 2_000)
    const facilitating = { ...local, supported: [{ network: chain.network.id }] }
    servers = [await serveFacilitator(facilitating), await serveFacilitator(facilitating)]
  })
  afterEach(async () => {
    for (const server of servers) await server.close()
  })

  const openMethod = () =>
    openX402Evm({
      chain,
      payTo: async () => offer.payTo as `0x${string}`,
      facilitator: { remotes: servers.map(({ url }) => ({ url, timeoutMs: 1_000 })) },
      confirmMs: 2_000,
    })
  const readRevenue = () => balanceOf(chain, offer.payTo)
  const payment = async () => pay((await makePayer(chain, 100_000n)).account, offer)
  const countRequests = (number: number, path = '/settle') =>
    servers[number]?.requests.filter(one => one.path === path).length
  const toHost = (number: number) => new URL(servers[number]?.url ?? '').host

  test('the first one settles, the second one hears nothing, and the answer says which', async () => {
    const before = await readRevenue()
    const method = overX402(openMethod())
    const one = await payment()
    expect(await method.verify(one, offer)).toMatchObject({ ok: true })
    expect(await method.settle(one, offer)).toMatchObject({ state: 'settled', facilitator: toHost(0) })
    expect([countRequests(0), countRequests(1)]).toEqual([1, 0])
    expect((await readRevenue()) - before).toBe(100_000n)
  })

  test.each<[string, (response: import('node:http').ServerResponse) => unknown]>([
    ['says 503', response => response.writeHead(503).end('down')],
    ['wants other credentials', response => response.writeHead(401).end('{}')],
    ['answers in junk', response => response.writeHead(200).end('<html>')],
    ['breaks off', response => response.destroy()],
    ['says nothing in time', () => undefined],
    [
      'fails without a reason of the payment',
      response =>
        response
          .writeHead(200)
          .end(JSON.stringify({ success: false, errorReason: 'unexpected_settle_error', transaction: '' })),
    ],
  ])('where the first one %s, the second one settles, once', async (_, misbehave) => {
    const before = await readRevenue()
    const [first] = servers
    if (first)
      first.knobs.instead = (path, response) => {
        if (path !== '/settle') return false
        misbehave(response)
        return true
      }
    const method = overX402(openMethod())
    expect(await method.settle(await payment(), offer)).toMatchObject({
      state: 'settled',
      facilitator: toHost(1),
    })
    expect((await readRevenue()) - before).toBe(100_000n)
    // It comes last for a while.
    expect(await method.settle(await payment(), offer)).toMatchObject({ state: 'settled' })
    expect((await readRevenue()) - before).toBe(200_000n)
  })

  test('one that settles and loses its answer has settled: the second one moves nothing more', async () => {
    const before = await readRevenue()
    const local = await openLocalFacilitator(chain, (await net.devnet.keys()).facilitator, 2_000)
    const [first] = servers
    if (first)
      first.knobs.instead = async (path, response) => {
        const { body } = first.requests.at(-1) ?? {}
        if (path !== '/settle' || !body) return false
        await local.settle(body.paymentPayload, body.paymentRequirements)
        response.destroy()
        return true
      }
    expect(await overX402(openMethod()).settle(await payment(), offer)).toMatchObject({ state: 'settled' })
    expect((await readRevenue()) - before).toBe(100_000n)
  })

  test('a reason of the payment is final: nobody else is asked', async () => {
    const [one, other] = [await payment(), await payment()]
    const forgedPayment = { ...one, payload: { ...one.payload, signature: other.payload.signature } }
    const method = overX402(openMethod())
    expect(await method.verify(forgedPayment, offer)).toEqual({ ok: false, reason: 'invalid_signature' })
    expect(countRequests(1, '/verify')).toBe(0)
  })

  test('one that calls a good payment bad and has it carried out is found out by our own look', async () => {
    const before = await readRevenue()
    const local = await openLocalFacilitator(chain, (await net.devnet.keys()).facilitator, 2_000)
    const [first] = servers
    if (!first) throw new Error('no server')
    first.knobs.instead = (path, response) => {
      if (path === '/verify')
        response.writeHead(200).end(JSON.stringify({ isValid: false, invalidReason: 'invalid_signature' }))
      return path === '/verify'
    }
    const own = openMethod()
    const method = overX402(own)
    const [good, other] = [await payment(), await payment()]
    expect(await method.verify(good, offer)).toEqual({ ok: false, reason: 'invalid_signature' })
    const { scheme: _, ...terms } = offer
    const inspect = (payload: typeof good) =>
      own.inspect?.(toAttempt(payload), { method: own.id, kind: own.kind, words: '', ...terms })
    expect(await inspect(good)).toMatchObject({ ok: true })
    const forgedPayment = { ...good, payload: { ...good.payload, signature: other.payload.signature } }
    expect(await inspect(forgedPayment)).toEqual({ ok: false, reason: 'invalid_signature' })
    const { body } = first.requests.at(-1) ?? {}
    if (!body) throw new Error('nothing was asked')
    await local.settle(body.paymentPayload, body.paymentRequirements)
    expect(await method.find(good, offer)).toMatchObject({ state: 'settled' })
    expect(await inspect(good)).toEqual({ ok: false, reason: 'already_used' })
    expect((await readRevenue()) - before).toBe(100_000n)
  })

  test('where none says anything, the payment stays open: one of them may have it', async () => {
    for (const { knobs } of servers)
      knobs.instead = (path, response) => {
        response.destroy()
        return path === '/settle'
      }
    const open = { state: 'pending', transaction: '' }
    expect(await overX402(openMethod()).settle(await payment(), offer)).toEqual(open)
    for (const server of servers) await server.close()
    expect(await overX402(openMethod()).settle(await payment(), offer)).toEqual(open)
  })

  test('a settlement says what was paid for, in our words, so that catalogues list it', async () => {
    const { extractDiscoveryInfo } = await import('@x402/extensions/bazaar')
    const { toListing } = await import('../../mcp/payment/dialects/x402/listing.ts')
    const { default: cat } = await import('../../mcp/services/cat/service.ts')
    const { default: feed } = await import('../../mcp/services/cat/feed.ts')
    const listing = toListing({
      service: cat,
      tool: feed,
      address: 'https://agents.example.org/cat/tools/feed',
    })
    if (!listing) throw new Error('no listing')
    const method = openMethod()
    const payload = await payment()
    const terms = await method.offer(
      { request: null, price: feed.price, settle: 'before', asker: '', client: '', title: '' },
      rates,
    )
    expect(await method.settle(toAttempt(payload), terms, listing)).toMatchObject({ state: 'settled' })
    const { body } = servers[0]?.requests.find(({ path }) => path === '/settle') ?? {}
    if (!body) throw new Error('not settled')
    expect(extractDiscoveryInfo(body.paymentPayload, body.paymentRequirements)).toMatchObject({
      resourceUrl: 'https://agents.example.org/cat/tools/feed',
      description: feed.description,
      mimeType: 'application/json',
      method: 'POST',
    })
    // Nothing of what the client wrote around its signature.
    expect(JSON.stringify(body)).not.toContain('mcp://')
  })

  test('what is not on the open web is listed nowhere', async () => {
    const { toListing } = await import('../../mcp/payment/dialects/x402/listing.ts')
    const { default: cat } = await import('../../mcp/services/cat/service.ts')
    const { default: feed } = await import('../../mcp/services/cat/feed.ts')
    const at = (address: string | undefined) => toListing({ service: cat, tool: feed, address })
    expect([at(undefined), at('http://127.0.0.1:8402/cat/tools/feed')]).toEqual([undefined, undefined])
  })
})
