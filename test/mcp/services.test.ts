import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { services } from '../../app/services.ts'
import type { Service } from '../../mcp/kernel/service.ts'
import { isFree } from '../../mcp/kernel/tool.ts'
import { countToolBytes, listBudget, listedIn } from '../../mcp/server/boot-check.ts'
import { compileService, inListOrder } from '../../mcp/server/compile.ts'
import { maxOutputBytes } from '../../mcp/server/tool-list.ts'
import { openTestWorld, type TestWorld } from '../world.ts'
import { type Served, serveMcp } from './serve.ts'
import { ask, callTool, eras } from './wire.ts'

let world: TestWorld
let served: Served
beforeAll(async () => {
  world = await openTestWorld()
  served = await serveMcp(world, services)
})
afterAll(async () => {
  await served.stop()
  await world.stop()
})

const slugs = services.map(({ slug }) => slug)

test('prints what each list costs a model and a wire, and keeps to both limits', async () => {
  const rows = await Promise.all(
    ['', ...slugs].map(async slug => {
      const { result } = await ask(`${served.url}${slug && `/${slug}`}/mcp`, '2026', 'tools/list')
      const read = result.tools.reduce((sum, tool) => sum + countToolBytes(tool as never), 0)
      return {
        endpoint: `${slug || '(bundle)'}`,
        tools: result.tools.length,
        bytes: Buffer.byteLength(JSON.stringify(result.tools)),
        outputs: result.tools.reduce(
          (sum, tool) => sum + Buffer.byteLength(JSON.stringify(tool.outputSchema)),
          0,
        ),
        read,
        tokens: Math.round(read / 4),
      }
    }),
  )
  console.table(rows)
  expect(rows.filter(({ outputs, read }) => outputs > maxOutputBytes || read > listBudget)).toEqual([])
  expect(rows[0]).toMatchObject({ tools: 4 })
  expect(rows[0]?.read).toBeLessThan(3000)
})

type Json = { readonly [keyword: string]: unknown }

/** Where a schema says more than another: what it says at each place has to stand at the same place of that one. */
const findAdditions = (short: unknown, whole: unknown, at: string): string[] => {
  const own = short as Json
  const other = whole as Json
  return Object.entries(own).flatMap(([keyword, value]) => {
    const place = `${at}.${keyword}`
    const same = other[keyword] ?? (keyword === 'anyOf' ? other.oneOf : undefined)
    if (keyword === 'description' || JSON.stringify(value) === JSON.stringify(same)) return []
    if (keyword === 'additionalProperties' && value === true) return []
    if (keyword === 'properties')
      return Object.entries(value as Json).flatMap(([name, field]) =>
        findAdditions(field, (same as Json)[name] ?? {}, `${place}.${name}`),
      )
    if (keyword === 'anyOf' && Array.isArray(same) && (value as unknown[]).length === same.length)
      return (value as unknown[]).flatMap((one, nth) => findAdditions(one, same[nth], `${place}.${nth}`))
    if (keyword === 'items' || keyword === 'additionalProperties')
      return findAdditions(value, same ?? {}, place)
    return [place]
  })
}

test('every tool is listed with an output schema that is true, and the whole of it is a resource', async () => {
  for (const service of services) {
    const url = `${served.url}/${service.slug}/mcp`
    const { result } = await ask(url, '2025', 'tools/list')
    const whole = inListOrder(listedIn(compileService(service))).map(({ listed }) => listed)
    const outputOf = new Map(whole.map(({ name, outputSchema }) => [name, outputSchema]))
    expect(
      result.tools.flatMap(({ name, outputSchema }) =>
        findAdditions(outputSchema, outputOf.get(name), `${service.slug}.${name}`),
      ),
    ).toEqual([])
    expect(
      result.tools.filter(({ outputSchema }) => !/"(?:properties|anyOf)"/.test(JSON.stringify(outputSchema))),
    ).toEqual([])
    expect(result.tools.map(({ outputSchema: _, icons: _marks, ...tool }) => tool)).toEqual(
      whole.map(({ outputSchema: _, ...tool }) => tool),
    )
    const abridged = result.tools
      .filter(({ name, outputSchema }) => JSON.stringify(outputSchema) !== JSON.stringify(outputOf.get(name)))
      .map(({ name }) => name)
    // Some clients try the first tool of a list.
    const reads = listedIn(compileService(service))
      .filter(({ tool }) => tool.hints.readOnly && isFree(tool.price) && !tool.quote)
      .map(({ tool }) => tool.name)
    if (reads.length > 0) expect(reads).toContain(result.tools[0]?.name)
    if (abridged.length === 0) continue
    const { result: list } = await ask(url, '2025', 'resources/list')
    const uris = (list.resources as { uri: string }[]).map(({ uri }) => uri)
    for (const name of abridged)
      expect(uris).toContain(`octagent://${service.slug}/tools/${name}/output-schema`)
  }
})

describe.each(slugs)('%s', slug => {
  test('lists all of its tools, or says which others answer by name', async () => {
    const entries = compileService(services.find(service => service.slug === slug) as Service)
    const { result: list } = await ask(`${served.url}/${slug}/mcp`, '2026', 'tools/list')
    const { result } = await ask(`${served.url}/${slug}/mcp`, '2026', 'server/discover')
    const names = new Set(list.tools.map(({ name }) => name))
    const others = entries.map(({ listed }) => listed.name).filter(name => !names.has(name))
    // The contract of the gateway fixes its list at two tools, that of the money tools at 26.
    expect(others.length > 0).toBe(slug === 'gateway')
    expect(String(result.instructions)).toContain(
      others.length > 0
        ? `these answer by name, too: ${others.join(', ')}.`
        : `The list has all ${names.size} tools of this service.`,
    )
  })

  test('lists the same tools in both eras, each with a title and all four hints', async () => {
    const [old, now] = await Promise.all(eras.map(era => ask(`${served.url}/${slug}/mcp`, era, 'tools/list')))
    expect(old?.result.tools).toEqual(now?.result.tools)
    for (const { title, annotations } of now?.result.tools ?? []) {
      expect(title).toBeTruthy()
      expect(Object.values(annotations as object)).toEqual(Array(4).fill(expect.any(Boolean)))
    }
  })

  test('has instructions that no client cuts', async () => {
    const { result } = await ask(`${served.url}/${slug}/mcp`, '2026', 'server/discover')
    expect(Buffer.byteLength(String(result.instructions))).toBeLessThanOrEqual(2048)
  })
})

test('the cat answers over MCP, and remembers who signed', async () => {
  const url = `${served.url}/cat/mcp`
  const signed = await callTool(url, '2026', 'sign', { name: 'Ada', note: 'over MCP' })
  expect(signed.result.structuredContent).toMatchObject({ number: 1, name: 'Ada' })
  const book = await callTool(url, '2025', 'guestbook')
  expect(book.result.structuredContent).toMatchObject({ count: 1 })
  expect(book.result.content[0]?.text).toBe(JSON.stringify(book.result.structuredContent))
})

test('a call under an idempotency key runs once, by header or by _meta', async () => {
  const url = `${served.url}/cat/mcp`
  const input = { name: 'Bob', note: 'once' }
  const byMeta = { meta: { 'idempotency-key': 'k1' } }
  const first = await callTool(url, '2025', 'sign', input, byMeta)
  const again = await callTool(url, '2026', 'sign', input, { headers: { 'idempotency-key': 'k1' } })
  expect(again.result.structuredContent).toEqual(first.result.structuredContent)
  const other = await callTool(url, '2025', 'sign', { ...input, note: 'twice' }, byMeta)
  expect(JSON.parse(other.result.content[0]?.text ?? '')).toMatchObject({ code: 'conflict' })
})
