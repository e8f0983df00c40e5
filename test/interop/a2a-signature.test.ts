import { generateKeyPairSync } from 'node:crypto'
import type { AgentCard } from 'a2a-130'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { services } from '../../app/services.ts'
import { startApp } from '../app.ts'
import { loadFactory, loadSdk, type Sdk1 } from './a2a-client-1.ts'
import type { Fields } from './a2a-wire.ts'
import { describeJudged } from './judges.ts'

type Key = { kid: string }

const sdks: readonly [Sdk1, boolean][] = [
  ['a2a-101', false],
  ['a2a-101', true],
  ['a2a-130', false],
  ['a2a-130', true],
]

/** Changes that a verifier must not miss. */
const forgeries: Record<string, (card: Fields) => Fields> = {
  'another name': card => ({ ...card, name: 'Another broker' }),
  'another address': card => ({
    ...card,
    supportedInterfaces: (card.supportedInterfaces as Fields[]).map(face => ({
      ...face,
      url: 'https://evil.example/a2a',
    })),
  }),
  'another skill': card => ({
    ...card,
    skills: [...(card.skills as Fields[]), { id: 'extra', name: 'Extra', description: 'Extra', tags: [] }],
  }),
  'an open door': card => ({ ...card, securitySchemes: {} }),
  'no signature': card => ({ ...card, signatures: [] }),
}

describeJudged('clients', 'signed cards', () => {
  let app: Awaited<ReturnType<typeof startApp>>
  beforeAll(async () => {
    app = await startApp()
  })
  afterAll(() => app.stop())
  // The SDK tells of every signature that does not fit.
  beforeEach(() => void vi.spyOn(console, 'debug').mockImplementation(() => {}))
  afterEach(() => vi.restoreAllMocks())

  const base = (slug = 'broker') => `${app.url}/${slug}/`
  const load = async (headers: Record<string, string> = {}) =>
    (await (await fetch(`${base()}.well-known/agent-card.json`, { headers })).json()) as Fields

  /** Finds a key as a careful client does: by its id, and only at the origin of the card. */
  const loadKey = async (kid: string, jku?: string) => {
    if (!jku?.startsWith(`${app.url}/`)) throw new Error(`the keys are elsewhere: ${jku}`)
    const { keys } = (await (await fetch(jku)).json()) as { keys: Key[] }
    const match = keys.find(key => key.kid === kid)
    if (!match) throw new Error(`no key ${kid}`)
    return match
  }
  const loadVerifier = async (alias: Sdk1) => (await loadSdk(alias)).verifyAgentCardSignature(loadKey)

  describe.each(sdks)('%s (legacyCompat: %s)', (alias, compat) => {
    test.each(services)('$slug is verified by the client that discovers it', async ({ slug, name }) => {
      const client = await (await loadFactory(alias, compat)).createFromUrl(base(slug))
      const card = await client.getAgentCard(undefined, await loadVerifier(alias))
      expect(card.name).toBe(name)
    })
  })

  describe.each(sdks.filter(([, compat]) => !compat))('%s', alias => {
    test.each([
      ['the default card', {}],
      ['the card of 1.0', { 'A2A-Version': '1.0' }],
    ] as const)('verifies %s by its first signature', async (_, headers) => {
      const verify = await loadVerifier(alias)
      const card = await load(headers)
      const [first] = card.signatures as Fields[]
      await verify({ ...card, signatures: [first] } as unknown as AgentCard)
      await verify(card as unknown as AgentCard)
    })

    test.each(Object.entries(forgeries))('rejects a card with %s', async (_, forge) => {
      const verify = await loadVerifier(alias)
      for (const headers of [{}, { 'A2A-Version': '1.0' }] as Record<string, string>[]) {
        const forgery = forge(await load(headers)) as unknown as AgentCard
        await expect(verify(forgery)).rejects.toThrow(/signature/i)
      }
    })

    test('rejects the card under a key of somebody else', async () => {
      const { verifyAgentCardSignature } = await loadSdk(alias)
      const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const verify = verifyAgentCardSignature(async () => publicKey)
      await expect(verify((await load()) as unknown as AgentCard)).rejects.toThrow(/signature/i)
    })
  })

  test('is signed with ES256 by a key that the program shows', async () => {
    const { signatures } = (await load()) as { signatures: { protected: string }[] }
    for (const entry of signatures) {
      const header = JSON.parse(Buffer.from(entry.protected, 'base64url').toString())
      expect(header).toMatchObject({ alg: 'ES256', typ: 'JOSE' })
      expect(await loadKey(header.kid, header.jku)).toMatchObject({ kty: 'EC', crv: 'P-256' })
    }
  })
})
