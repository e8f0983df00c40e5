import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp } from '../app.ts'
import { serviceRows } from '../spec/tables.ts'
import { loadClient, loadLegacy, loadSdk, type Sdk1 } from './a2a-client-1.ts'
import { card03, strangers } from './a2a-fields.ts'
import type { Fields } from './a2a-wire.ts'
import { describeJudged, loadJudge } from './judges.ts'

const sdks: readonly Sdk1[] = ['a2a-101', 'a2a-130']
const views = { superset: {}, v1: { 'A2A-Version': '1.0' }, v03: { 'A2A-Version': '0.3' } }

/** Names of fields that an object spells twice, as JSON and as proto name them. */
const findDuplicates = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return []
  const names = Object.keys(value).map(name => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`))
  return [
    ...names.filter((name, at) => names.indexOf(name) !== at),
    ...Object.values(value).flatMap(findDuplicates),
  ]
}

/** A card without what proto leaves out (empty lists, and `required` where it is false) and some fields. */
const without = (value: unknown, omit: readonly string[] = []): unknown => {
  if (Array.isArray(value)) return value.map(item => without(item, omit))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([name, inner]) => {
    const empty = (Array.isArray(inner) && inner.length === 0) || (name === 'required' && inner === false)
    return !empty && !omit.includes(name)
  })
  return Object.fromEntries(entries.map(([name, inner]) => [name, without(inner, omit)]))
}

describeJudged('clients', 'the cards as the SDKs of A2A parse them', () => {
  let app: Awaited<ReturnType<typeof startApp>>
  beforeAll(async () => {
    app = await startApp()
  })
  afterAll(() => app.stop())

  const fetchCard = async (slug: string, view: keyof typeof views, name = 'agent-card.json') =>
    (await (await fetch(`${app.url}/${slug}/.well-known/${name}`, { headers: views[view] })).json()) as Fields

  describe.each(serviceRows)('$slug', ({ slug, interfaces, version }) => {
    test('has the same card at both names, in every view', async () => {
      for (const view of Object.keys(views) as (keyof typeof views)[])
        expect(await fetchCard(slug, view, 'agent.json')).toEqual(await fetchCard(slug, view))
    })

    test('never spells one field of proto twice in an object, in no view', async () => {
      for (const view of Object.keys(views) as (keyof typeof views)[])
        expect(findDuplicates(await fetchCard(slug, view)), view).toEqual([])
    })

    test.each(sdks)('has a card of 1.0 that %s reads and writes without a change', async alias => {
      const { AgentCard } = await loadSdk(alias)
      const card = await fetchCard(slug, 'v1')
      const { securitySchemes, ...rest } = card
      const { securitySchemes: read, ...output } = AgentCard.toJSON(AgentCard.fromJSON(card)) as Fields
      expect(without(output)).toEqual(without(rest))
      // A signed card keeps the 0.3 keys of its schemes, without which the SDK verifies another card.
      const only10 = Object.entries((securitySchemes ?? {}) as Record<string, Fields>).map(
        ([name, scheme]) => [
          name,
          Object.fromEntries(Object.entries(scheme).filter(([key]) => key.endsWith('SecurityScheme'))),
        ],
      )
      expect(read ?? {}).toEqual(Object.fromEntries(only10))
    })

    test.each(sdks)('means the same in its default card as in that of 1.0, to %s', async alias => {
      const { AgentCard } = await loadSdk(alias)
      // The specification counts the extensions of the default card, so those of x402 stand in the strict views only.
      const read = async (view: keyof typeof views) => {
        const card = await fetchCard(slug, view)
        const { extensions = [], ...capabilities } = card.capabilities as { extensions?: { uri: string }[] }
        const own = extensions.filter(({ uri }) => !uri.includes('x402'))
        const plain = {
          ...card,
          capabilities: { ...capabilities, ...(own.length > 0 && { extensions: own }) },
        }
        return without(AgentCard.toJSON(AgentCard.fromJSON(plain)), ['signatures'])
      }
      expect(await read('superset')).toEqual(await read('v1'))
    })

    test.each(sdks)('means the same in 0.3 as in 1.0, to %s', async alias => {
      const { AgentCard } = await loadSdk(alias)
      const { isLegacyAgentCard, parseLegacyAgentCard } = await loadLegacy(alias)
      const old = await fetchCard(slug, 'v03')
      expect(isLegacyAgentCard(old)).toBe(true)
      expect(isLegacyAgentCard(await fetchCard(slug, 'v1'))).toBe(false)
      expect(isLegacyAgentCard(await fetchCard(slug, 'superset'))).toBe(false)
      const apart = ['signatures', 'supportedInterfaces', 'extendedAgentCard']
      const now = AgentCard.fromJSON(await fetchCard(slug, 'v1'))
      expect(without(AgentCard.toJSON(parseLegacyAgentCard(old)), apart)).toEqual(
        without(AgentCard.toJSON(now), apart),
      )
    })

    test('has a card of 0.3 with no field that 0.3 does not have', async () => {
      expect(strangers(card03, await fetchCard(slug, 'v03'))).toEqual([])
    })

    test('leads the SDK of 0.3 to its interfaces', async () => {
      const { DefaultAgentCardResolver } = await loadJudge<typeof import('a2a-03/client')>('a2a-03/client')
      const card = await new DefaultAgentCardResolver().resolve(`${app.url}/${slug}/`)
      const paths = interfaces.filter(([, binding]) => binding === 'JSONRPC').map(([path]) => path)
      expect(card.url).toBe(`${app.url}/${slug}${paths[0]}`)
      expect(card.additionalInterfaces?.map(({ url }) => url)).toEqual(
        paths.map(path => `${app.url}/${slug}${path}`),
      )
      expect(card).toMatchObject({ protocolVersion: '0.3.0', preferredTransport: 'JSONRPC', version })
    })

    test.each(sdks)('leads %s to its interfaces, each in the versions it speaks', async alias => {
      const { DefaultAgentCardResolver } = await loadClient(alias)
      const card = await new DefaultAgentCardResolver().resolve(`${app.url}/${slug}/`)
      const own = interfaces.filter(([, binding]) => binding === 'JSONRPC')
      const official = own.map(
        ([path, , version]) => [path, version?.startsWith('1.') ? '1.0' : '0.3'] as const,
      )
      const mirrors = official
        .filter(([, version]) => version === '1.0')
        .map(([path]) => [path, '0.3'] as const)
      expect(card.supportedInterfaces).toMatchObject(
        [...official, ...mirrors].map(([path, protocolVersion]) => ({
          url: `${app.url}/${slug}${path}`,
          protocolBinding: 'JSONRPC',
          protocolVersion,
        })),
      )
      expect(card.version).toBe(version)
    })
  })
})
