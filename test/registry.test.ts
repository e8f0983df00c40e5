import { describe, expect, test } from 'vitest'
import { skillOf } from '../mcp/kernel/tool.ts'
import { services } from '../services.ts'

const everyTool = services.flatMap(service =>
  service.tools.map(tool => ({ service, tool, id: `${service.slug}.${tool.name}` })),
)

test('the eight services are there, in order', () => {
  expect(services.map(({ label, slug }) => `${label} ${slug}`)).toEqual([
    'A gateway',
    'B broker',
    'C cat',
    'D data',
    'E money',
    'F proof',
    'G tasks',
    'H forecast',
  ])
})

describe.each(everyTool)('$id', ({ tool }) => {
  test('has a name that every client takes', () => expect(tool.name).toMatch(/^[a-z][a-z0-9_-]{0,47}$/))
  test('has a description of at most 400 characters that gives no orders', () => {
    expect(tool.description.length).toBeGreaterThan(20)
    expect(tool.description.length).toBeLessThanOrEqual(400)
    expect(tool.description).not.toMatch(/\b(ALWAYS|MUST|IMPORTANT|NEVER)\b/)
  })
  test('states all four hints without contradiction', () => {
    expect(Object.keys(tool.hints).sort()).toEqual(['destructive', 'idempotent', 'openWorld', 'readOnly'])
    expect(tool.hints.readOnly && tool.hints.destructive).toBe(false)
  })
  test('has examples that parse', () => {
    for (const example of tool.examples) expect(tool.input.safeParse(example).error).toBeUndefined()
  })
  test('describes every input field', () => {
    for (const [name, field] of Object.entries(tool.input.shape))
      expect((field as { description?: string }).description, name).toBeTruthy()
  })
})

describe.each(services)('$slug', service => {
  test('names each tool, skill and route once', () => {
    const names = service.tools.map(({ name }) => name)
    const skills = service.tools.map(skillOf).filter(skill => skill !== undefined)
    const routes = service.tools.flatMap(({ rest }) => rest?.routes ?? [])
    for (const list of [names, skills, routes]) expect(new Set(list).size).toBe(list.length)
  })
  test('has a fallback that is one of its tools', () => {
    expect(service.tools.map(({ name }) => name)).toContain(service.fallback)
  })
  test('documents what its card points to', () => {
    const paths = (service.documents ?? []).map(({ path }) => path)
    if (service.documentation) expect(paths).toContain(service.documentation)
    for (const { uri } of service.card.extensions ?? []) if (uri.startsWith('/')) expect(paths).toContain(uri)
  })
})
