import { describe, expect, test } from 'vitest'
import { services } from '../../app/services.ts'
import { skillId } from '../../mcp/kernel/tool.ts'
import { startApp } from '../app.ts'
import { opened } from '../opened.ts'
import { builtDataSkills, dataSkills, mcpCounts, routeRows, serviceRows, skillRows } from './tables.ts'

const app = opened(startApp)

type CardJson = {
  agent_version: string
  capabilities: {
    streaming: boolean
    push_notifications: boolean
    extensions: { uri: string; required: boolean }[]
  }
  interfaces: object[]
  interaction: {
    default_input_modes: string[]
    default_output_modes: string[]
    security_schemes: Record<string, { kind: string }>
    security_requirements: object[]
  }
  signatures: object[]
}

const cardOf = async (slug: string, path: string) =>
  (await (await fetch(`${app.url}/${slug}${path}`)).json()) as CardJson

const said = (slug: string, text: string) => ({
  jsonrpc: '2.0',
  id: slug,
  method: 'message/send',
  params: { message: { kind: 'message', role: 'user', messageId: 'm', parts: [{ kind: 'text', text }] } },
})

describe.each(serviceRows)('service $label', row => {
  test('has the card the specification describes, at both well-known names', async () => {
    const card = await cardOf(row.slug, row.card)
    expect(await cardOf(row.slug, '/.well-known/agent-card.json')).toEqual(card)
    expect(await cardOf(row.slug, '/.well-known/agent.json')).toEqual(card)
    expect(card.agent_version).toBe(row.version)
    expect(card.capabilities).toMatchObject({ streaming: false, push_notifications: false })
    expect(card.capabilities.extensions).toHaveLength(row.extensions)
    for (const extension of card.capabilities.extensions) expect(extension.required).toBe(false)
    expect(card.interfaces).toEqual(
      row.interfaces.map(([path, binding, protocol_version], preference) => ({
        protocol: 'a2a',
        binding,
        protocol_version,
        url: `${app.url}/${row.slug}${path}`,
        tenant: null,
        preference,
      })),
    )
    const kinds = Object.entries(card.interaction.security_schemes)
    expect(Object.fromEntries(kinds.map(([name, { kind }]) => [name, kind]))).toEqual(row.schemes)
    expect(card.interaction.security_requirements.flatMap(Object.keys)).toEqual(row.requirements)
  })

  test('answers message/send at each of its A2A paths', async () => {
    for (const [path, binding] of row.interfaces) {
      if (binding !== 'JSONRPC') continue
      const response = await fetch(`${app.url}/${row.slug}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(said(row.slug, 'help')),
      })
      const { id, result } = (await response.json()) as { id: string; result: { parts: { kind: string }[] } }
      expect(id).toBe(row.slug)
      expect(result.parts.map(({ kind }) => kind)).toEqual(['text', 'data'])
    }
  })
})

test('the broker declares problem documents among its output modes', async () => {
  const card = await cardOf('broker', '/.well-known/agent-card.json')
  expect(card.interaction.default_output_modes).toContain('application/problem+json')
  expect(card.signatures.length).toBeGreaterThan(0)
})

test('the forecasting service declares the agent registry of ERC-8004', async () => {
  const card = await cardOf('forecast', '/.well-known/agent.json')
  const uris = card.capabilities.extensions.map(({ uri }) => uri)
  expect(uris).toContain('urn:erc8004:agent-registry:v1')
})

test('the task marketplace takes JSON and text, and its other interfaces answer', async () => {
  const card = await cardOf('tasks', '/.well-known/agent.json')
  expect([...card.interaction.default_input_modes].sort()).toEqual(['application/json', 'text/plain'])
  expect((await fetch(`${app.url}/tasks/api/v1`)).status).toBe(200)
  const listed = await fetch(`${app.url}/tasks/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  expect(((await listed.json()) as { result: object }).result).toHaveProperty('tools')
})

describe('methods and paths', () => {
  for (const [slug, route, built] of routeRows) {
    const title = `${slug} ${route}`
    if (!built) {
      test.todo(title)
      continue
    }
    test(title, async () => {
      const [method, path] = route.split(' ')
      const response = await fetch(`${app.url}/${slug}${path}`, {
        ...(method && { method }),
        ...(method === 'POST' && { headers: { 'content-type': 'application/json' }, body: '{}' }),
      })
      // A route of an account asks for its key first; what a market tells is not sold where none answers.
      const isMarket = path?.startsWith('/v1/predmkt') === true
      expect([200, 401, 402, 422, 428, ...(isMarket ? [503] : [])]).toContain(response.status)
    })
  }
})

const skillIds = (slug: string) =>
  services
    .find(service => service.slug === slug)
    ?.tools.map(skillId)
    .filter(skill => skill !== undefined) ?? []

describe('skills', () => {
  test('there are 29 data skills in the specification', () => expect(dataSkills).toHaveLength(29))
  for (const skill of dataSkills) {
    if (builtDataSkills.includes(skill))
      test(`data ${skill}`, () => expect(skillIds('data')).toContain(skill))
    else test.todo(`data ${skill}`)
  }
  for (const [slug, skills] of Object.entries(skillRows))
    for (const skill of skills) {
      if (skillIds(slug).includes(skill))
        test(`${slug} ${skill}`, () => expect(skillIds(slug)).toContain(skill))
      else test.todo(`${slug} ${skill}`)
    }
})

describe('counts of MCP tools', () => {
  for (const [slug, count] of Object.entries(mcpCounts)) {
    const listed = services.find(service => service.slug === slug)?.tools.filter(({ mcp }) => mcp !== false)
    if (slug !== 'money') test.todo(`${slug} lists exactly ${count}`)
    else test(`${slug} lists exactly ${count}`, () => expect(listed).toHaveLength(count))
  }
})
