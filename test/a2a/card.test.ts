import { describe, expect, test } from 'vitest'
import { services } from '../../app/services.ts'
import { listSkills } from '../../mcp/kernel/help.ts'
import { isFree } from '../../mcp/kernel/tool.ts'
import { opened } from '../opened.ts'
import { facts } from './facts.ts'
import { fixture, fixtureGate } from './fixture.ts'
import { serve, v1 } from './serve.ts'

const served = opened(() => serve([...services, fixture], { gate: fixtureGate() }))

const card = async (slug: string, headers = {}, name = 'agent-card.json') =>
  (await served.get(`/${slug}/.well-known/${name}`, headers)).body

/** The proto spelling of a JSON name. */
const proto = (name: string) => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

const doubled = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(doubled)
  if (typeof value !== 'object' || value === null) return []
  const names = Object.keys(value).map(proto)
  const twice = names.filter((name, at) => names.indexOf(name) !== at)
  return [...twice, ...Object.values(value).flatMap(doubled)]
}

const texts = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : []
}

test('the walk over cards sees both spellings', () => {
  expect(doubled({ a: [{ pushNotifications: false, push_notifications: false }] })).toEqual([
    'push_notifications',
  ])
})

describe.each(facts)('the card of $label', row => {
  const base = () => `${served.url}/${row.slug}`
  const absolute = (uri: string) => (uri.startsWith('/') ? base() + uri : uri)

  test('says what the specification says', async () => {
    const found = await card(row.slug)
    const service = services.find(({ slug }) => slug === row.slug)
    expect(service?.label).toBe(row.label)
    expect(found).toMatchObject({
      name: service?.name,
      description: service?.description,
      agent_version: row.version,
      version: row.version,
      provider: { organization: 'Octagent', url: served.url },
      icon_url: null,
      interaction: {
        default_input_modes: service?.card.inputModes,
        default_output_modes: service?.card.outputModes,
        security_requirements: row.requirements,
      },
      protocolVersion: '0.3.0',
      preferredTransport: 'JSONRPC',
      supportsAuthenticatedExtendedCard: false,
    })
    expect(found.documentation_url).toBe(service?.documentation ? base() + service.documentation : null)
    expect(found.interfaces).toEqual(
      row.interfaces.map(([path, binding, version], preference) => ({
        protocol: 'a2a',
        binding,
        protocol_version: version,
        url: base() + path,
        tenant: null,
        preference,
      })),
    )
    expect(found.capabilities).toEqual({
      streaming: false,
      push_notifications: false,
      extended_agent_card: null,
      extensions: row.extensions.map(uri => expect.objectContaining({ uri: absolute(uri), required: false })),
    })
    const kinds = Object.entries(found.interaction.security_schemes).map(([name, scheme]) => [
      name,
      (scheme as { kind: string }).kind,
    ])
    expect(Object.fromEntries(kinds)).toEqual(row.schemes)
    expect(found.url).toBe(found.interfaces[0].url)
    expect(found.supportedInterfaces).toEqual(
      row.official.map(([path, protocolVersion]) => ({
        url: base() + path,
        protocolBinding: 'JSONRPC',
        protocolVersion,
      })),
    )
    expect(found.skills).toEqual(
      (service ? listSkills(service) : []).map(({ id, group, tools: [tool] }) => ({
        id,
        name: group?.name ?? tool?.title,
        description: (group ?? tool)?.description,
        tags: expect.any(Array),
        examples: expect.any(Array),
        input_modes: (group ?? tool?.a2a)?.inputModes ?? null,
        output_modes: (group ?? tool?.a2a)?.outputModes ?? null,
        security_requirements: null,
      })),
    )
    for (const { tags, examples } of found.skills)
      expect(Math.min(tags.length, examples.length)).toBeGreaterThan(0)
  })

  test('is the same at both well-known names', async () => {
    expect(await card(row.slug, {}, 'agent.json')).toEqual(await card(row.slug))
  })

  test('never spells one field twice in an object, in no view', async () => {
    for (const headers of [{}, v1, { 'a2a-version': '0.3' }])
      expect(doubled(await card(row.slug, headers))).toEqual([])
  })

  test('has absolute addresses only', async () => {
    for (const headers of [{}, v1, { 'a2a-version': '0.3' }])
      for (const text of texts(await card(row.slug, headers))) expect(text).not.toMatch(/^\//)
  })

  test('has nothing but A2A 1.0 in the view of 1.0', async () => {
    const found = await card(row.slug, v1)
    const known = [
      'name',
      'description',
      'supportedInterfaces',
      'provider',
      'version',
      'documentationUrl',
      'capabilities',
      'securitySchemes',
      'securityRequirements',
      'defaultInputModes',
      'defaultOutputModes',
      'skills',
      'signatures',
    ]
    expect(known).toEqual(expect.arrayContaining(Object.keys(found)))
    expect(found.capabilities).toMatchObject({ streaming: false, pushNotifications: false })
    for (const skill of found.skills)
      expect(['id', 'name', 'description', 'tags', 'examples', 'inputModes', 'outputModes']).toEqual(
        expect.arrayContaining(Object.keys(skill)),
      )
    expect(found.securityRequirements ?? []).toEqual(
      row.requirements.map(all => ({
        schemes: Object.fromEntries(Object.keys(all).map(name => [name, { list: [] }])),
      })),
    )
  })

  test('has nothing but A2A 0.3 in the view of 0.3', async () => {
    const found = await card(row.slug, { 'a2a-version': '0.3.0' })
    const known = [
      'protocolVersion',
      'name',
      'description',
      'url',
      'preferredTransport',
      'additionalInterfaces',
      'provider',
      'version',
      'documentationUrl',
      'capabilities',
      'securitySchemes',
      'security',
      'defaultInputModes',
      'defaultOutputModes',
      'skills',
      'supportsAuthenticatedExtendedCard',
      'signatures',
    ]
    expect(known).toEqual(expect.arrayContaining(Object.keys(found)))
    expect(found.security ?? []).toEqual(row.requirements)
    for (const scheme of Object.values(found.securitySchemes ?? {}))
      expect(['http', 'apiKey']).toContain((scheme as { type: string }).type)
  })

  test('is answered with 304 to who has it, per view', async () => {
    const path = `/${row.slug}/.well-known/agent-card.json`
    const etags = new Set<string>()
    for (const headers of [{}, v1, { 'a2a-version': '0.3' }]) {
      const full = await served.get(path, headers)
      const etag = full.headers.get('etag') ?? ''
      etags.add(etag)
      expect(etag).toMatch(/^"[\w-]+"$/)
      expect(full.headers.get('vary')).toContain('A2A-Version')
      expect(full.headers.get('cache-control')).toBe('public, max-age=300')
      const modified = full.headers.get('last-modified') ?? ''
      expect(Date.parse(modified)).toBeLessThanOrEqual(Date.now())
      const cached = await served.get(path, { ...headers, 'if-none-match': `"other", W/${etag}` })
      expect([cached.status, cached.body, cached.headers.get('etag')]).toEqual([304, undefined, etag])
      expect((await served.get(path, { ...headers, 'if-modified-since': modified })).status).toBe(304)
      expect(
        (await served.get(path, { ...headers, 'if-none-match': '"other"', 'if-modified-since': modified }))
          .status,
      ).toBe(200)
    }
    expect(etags.size).toBe(3)
  })
})

describe('a view', () => {
  test.each([
    ['1.0', false],
    ['1.2', false],
    ['1.0.3', false],
    ['0.3', false],
    ['9.9', true],
    ['', true],
  ])('for A2A-Version %j has the fields of §2.1: %s', async (version, seed) => {
    expect('agent_version' in (await card('cat', { 'a2a-version': version }))).toBe(seed)
  })

  test.each([
    [{}, ['supportedInterfaces']],
    [{ 'a2a-version': '9.9' }, ['supportedInterfaces']],
    [{ 'a2a-version': '0.3' }, ['protocolVersion']],
  ])(
    'can have another default, which a client that names a version does not get: %j',
    async (headers, has) => {
      const strict = await serve(services, {}, { cardView: 'v1' })
      const { body } = await strict.get('/cat/.well-known/agent-card.json', headers)
      const telling = ['agent_version', 'protocolVersion', 'supportedInterfaces']
      expect(telling.filter(name => name in body)).toEqual(has)
      await strict.stop()
    },
  )

  test('is asked for by the version even where the default is stated', async () => {
    const stated = await serve(services, {}, { cardView: 'superset' })
    const { body } = await stated.get('/cat/.well-known/agent-card.json', { 'a2a-version': '1.0' })
    expect(body).not.toHaveProperty('agent_version')
    await stated.stop()
  })
})

describe('paid skills', () => {
  const uris = async (slug: string, headers: object) =>
    ((await card(slug, headers)).capabilities.extensions ?? []).map(({ uri }: { uri: string }) => uri)

  test('put the x402 extensions into the strict views only', async () => {
    const own = `${served.url}/fixture/extensions/own/v1`
    expect(await uris('fixture', {})).toEqual([own])
    for (const headers of [v1, { 'a2a-version': '0.3' }])
      expect(await uris('fixture', headers)).toEqual([
        own,
        expect.stringContaining('v0.2'),
        expect.stringContaining('v0.1'),
      ])
  })

  test('without a payment rail do not', async () => {
    const poor = await serve([fixture])
    const { body } = await poor.get('/fixture/.well-known/agent-card.json', v1)
    expect(body.capabilities.extensions).toHaveLength(1)
    await poor.stop()
  })

  test('are not invented where everything is free', async () => {
    const tools = fixture.tools.filter(({ price }) => isFree(price))
    const gratis = await serve([{ ...fixture, tools }], { gate: fixtureGate() })
    const { body } = await gratis.get('/fixture/.well-known/agent-card.json', v1)
    expect(body.capabilities.extensions).toHaveLength(1)
    await gratis.stop()
  })
})

test('an example of each skill is a message that starts it', async () => {
  for (const { id, examples } of (await card('fixture')).skills)
    expect(examples[0], id).not.toContain('undefined')
  const { examples } = (await card('fixture')).skills.find(({ id }: { id: string }) => id === 'dns-lookup')
  expect(examples).toEqual(['dns-lookup a.example', 'dns-lookup b.example'])
})
