import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import canonicalize from 'canonicalize'
import { createLocalJWKSet, decodeProtectedHeader, flattenedVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import { canonicalCard } from '../../a2a-adapter/card/sign.ts'
import { a2aRoutes } from '../../a2a-adapter/index.ts'
import { makeSigningKey, openSign } from '../../mcp/ports/sign/sign.ts'
import broker from '../../mcp/services/broker/service.ts'
import { opened } from '../opened.ts'
import { openTestWorld } from '../world.ts'
import { fixtureGate, paid } from './fixture.ts'
import { serve, v1 } from './serve.ts'

const key = makeSigningKey()
const served = opened(() =>
  serve([{ ...broker, tools: [...broker.tools, paid] }], {
    ports: { sign: openSign(key) },
    gate: fixtureGate(),
  }),
)

type Signature = { protected: string; signature: string }

const card = async (headers = {}) => (await served.get('/broker/.well-known/agent-card.json', headers)).body
const keySet = async () => createLocalJWKSet((await served.get('/broker/.well-known/jwks.json')).body)
const verifies = async (signature: Signature, payload: string) =>
  flattenedVerify({ ...signature, payload: Buffer.from(payload).toString('base64url') }, await keySet()).then(
    () => true,
    () => false,
  )

/** What an SDK makes of the default card: the fields of 1.0 only, read by either spelling, without default values. */
const officialBytes = async () => {
  const {
    name,
    description,
    provider,
    version,
    documentation_url: documentationUrl,
    supportedInterfaces,
    defaultInputModes,
    defaultOutputModes,
    skills,
    capabilities,
  } = await card()
  return canonicalize({
    name,
    description,
    provider,
    version,
    documentationUrl,
    supportedInterfaces,
    defaultInputModes,
    defaultOutputModes,
    capabilities: {
      streaming: false,
      pushNotifications: false,
      extensions: capabilities.extensions.map(
        ({ required: _, ...extension }: { required: boolean }) => extension,
      ),
    },
    securitySchemes: { apiKey: { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } } },
    skills: skills.map(({ id, name, description, tags, examples }: Record<string, unknown>) => ({
      id,
      name,
      description,
      tags,
      examples,
    })),
  })
}

const raw = ({ signatures: _, ...rest }: Record<string, unknown>) => canonicalize(rest) ?? ''

describe('the signed card', () => {
  test('has a signature over the official 1.0 fields and one over the document', async () => {
    const found = await card()
    const [official, document] = found.signatures
    expect(await verifies(official, (await officialBytes()) ?? '')).toBe(true)
    expect(await verifies(document, raw(found))).toBe(true)
    expect(await verifies(official, raw(found))).toBe(false)
  })

  test('names algorithm, type, key and key set in the protected header', async () => {
    const { keys } = (await served.get('/broker/.well-known/jwks.json')).body
    for (const headers of [{}, v1, { 'a2a-version': '0.3' }])
      for (const signature of (await card(headers)).signatures)
        expect(decodeProtectedHeader(signature)).toEqual({
          alg: 'ES256',
          typ: 'JOSE',
          kid: keys[0].kid,
          jku: `${served.url}/broker/.well-known/jwks.json`,
        })
    expect(keys).toEqual([
      expect.objectContaining({ kty: 'EC' }),
      expect.objectContaining({ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' }),
    ])
    expect(keys.slice(0, 1)).toEqual([
      {
        kty: 'EC',
        crv: 'P-256',
        x: expect.any(String),
        y: expect.any(String),
        kid: expect.any(String),
        alg: 'ES256',
        use: 'sig',
      },
    ])
  })

  test('is signed in the view of 1.0 over what a verifier reads there', async () => {
    const found = await card(v1)
    expect(found.securitySchemes.apiKey).toMatchObject({
      type: 'apiKey',
      apiKeySecurityScheme: { name: 'X-API-Key' },
    })
    const { signatures: _, ...rest } = found
    const securitySchemes = { apiKey: { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } } }
    expect(await verifies(found.signatures[0], canonicalCard({ ...rest, securitySchemes }))).toBe(true)
    expect(await verifies(found.signatures[1], raw(found))).toBe(true)
  })

  test('names the x402 extensions in the strict view, under its signature', async () => {
    const { capabilities } = await card(v1)
    expect(capabilities.extensions).toHaveLength(3)
    expect((await card()).capabilities.extensions).toHaveLength(1)
  })

  test('is signed in the view of 0.3 over the document', async () => {
    const found = await card({ 'a2a-version': '0.3' })
    expect(found.signatures).toHaveLength(1)
    expect(await verifies(found.signatures[0], raw(found))).toBe(true)
  })

  test('no longer verifies when an official field is changed', async () => {
    const found = await card()
    const bytes = (await officialBytes()) ?? ''
    expect(await verifies(found.signatures[0], bytes.replace('v1.1.0', 'v1.1.1'))).toBe(false)
    expect(await verifies(found.signatures[1], raw({ ...found, agent_version: '9' }))).toBe(false)
  })

  test('is served unsigned, without a key set, where no key is configured', async () => {
    const bare = await serve([broker])
    expect((await bare.get('/broker/.well-known/agent-card.json')).body.signatures).toBeUndefined()
    const world = await openTestWorld()
    expect(a2aRoutes(world, broker).map(({ path }) => path)).not.toContain('/.well-known/jwks.json')
    await world.stop()
    await bare.stop()
  })

  test('with text outside ASCII is signed as it is, and for verifiers that escape it', async () => {
    const open = await serve([{ ...broker, description: 'A café.' }], { ports: { sign: openSign(key) } })
    const { signatures, ...rest } = (await open.get('/broker/.well-known/agent-card.json')).body
    expect(signatures).toHaveLength(4)
    const escaped = raw(rest).replaceAll('é', '\\u00e9')
    expect(escaped).toContain('A caf\\u00e9.')
    expect(await verifies(signatures[2], raw(rest))).toBe(true)
    expect(await verifies(signatures[3], escaped)).toBe(true)
    await open.stop()
  })
})

describe('the signing key', () => {
  test('as PEM and as JWK publishes one and the same key', async () => {
    const pem = createPrivateKey({ key: JSON.parse(key), format: 'jwk' }).export({
      format: 'pem',
      type: 'pkcs8',
    })
    expect(await openSign(String(pem)).jwks()).toEqual(await openSign(key).jwks())
    expect(makeSigningKey()).not.toBe(key)
    expect(JSON.stringify(await openSign(key).jwks())).not.toContain(JSON.parse(key).d)
  })

  test.each([
    ['text', 'secret'],
    ['broken JSON', '{"kty":'],
    [
      'another curve',
      generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ format: 'pem', type: 'pkcs8' }),
    ],
    ['another kind', JSON.stringify(generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }))],
  ])('that is %s is refused without being quoted', (_, text) => {
    expect(() => openSign(String(text))).toThrow(
      /^the signing key must be a P-256 private key, as PKCS8 PEM or as a JWK$/,
    )
  })
})
