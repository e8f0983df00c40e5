import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { serviceLoaders } from '../app/service-loaders.ts'
import { services } from '../app/services.ts'
import { skillId } from '../mcp/kernel/tool.ts'
import { compileTool } from '../mcp/server/compile.ts'

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

describe.each(everyTool)('$id', ({ id, tool }) => {
  // Name, title, length of the description, described fields, examples that parse: what the server refuses at its start.
  test('passes the boot check, also where MCP does not list it', () => {
    expect(() => compileTool(id, tool)).not.toThrow()
  })
  test('has a description that says something and gives no orders', () => {
    expect(tool.description.length).toBeGreaterThan(20)
    expect(tool.description).not.toMatch(/\b(ALWAYS|MUST|IMPORTANT|NEVER)\b/)
  })
  test('states all four hints without contradiction', () => {
    expect(Object.keys(tool.hints).sort()).toEqual(['destructive', 'idempotent', 'openWorld', 'readOnly'])
    expect(tool.hints.readOnly && tool.hints.destructive).toBe(false)
  })
})

describe.each(services)('$slug', service => {
  test('names each tool, skill and route once', () => {
    const names = service.tools.map(({ name }) => name)
    const single = service.tools.filter(({ a2a }) => a2a?.group === undefined)
    const groups = (service.skillGroups ?? []).map(({ id }) => id)
    const skills = [...single.map(skillId).filter(skill => skill !== undefined), ...groups]
    const routes = service.tools.flatMap(({ rest }) => rest?.routes ?? [])
    for (const list of [names, skills, routes]) expect(new Set(list).size).toBe(list.length)
  })
  // A tool in the words of a hint would be named as MCP names it, whoever asks; `next` is named in the caller's transport.
  test('names the next call of a refusal by next, and each is one of its tools', () => {
    const folder = new URL(`../mcp/services/${service.slug}/`, import.meta.url)
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts'))
      .map(name => readFileSync(new URL(name, folder), 'utf8'))
    const names = service.tools.map(({ name }) => name)
    const steps = sources.flatMap(text =>
      [...text.matchAll(/\bnext: \[([^\]]*)\]/g)].flatMap(([, list = '']) =>
        [...list.matchAll(/'([\w-]+)'/g)].map(([, step]) => step),
      ),
    )
    expect(steps.filter(step => !names.includes(step ?? ''))).toEqual([])
    const compound = names.filter(name => /[_-]/.test(name)).join('|')
    const asCall = new RegExp(String.raw`\b(?:ask|call|use|with|see|read) (?:${compound})\b`, 'i')
    const hints = sources.flatMap(text =>
      [...text.matchAll(/\bhint: (['"`])(.*?)\1/g)].map(([, , hint = '']) => hint),
    )
    expect(compound === '' ? [] : hints.filter(hint => asCall.test(hint))).toEqual([])
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

test('each service is loaded by its own slug', () => {
  expect(serviceLoaders.map(({ slug }) => slug)).toEqual(services.map(({ slug }) => slug))
})
