import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { services } from '../../app/services.ts'
import { isFree } from '../../mcp/kernel/tool.ts'
import { serviceWith } from '../call/fixture.ts'
import { expectDescribed, openApiAt } from './conformance.ts'
import { echo } from './fixture.ts'
import { json, post, type Served, serve } from './server.ts'

let served: Served
let base: string
beforeAll(async () => {
  served = await serve([...services, serviceWith(echo)])
  base = `${served.url}/fixture`
})
afterAll(() => served.stop())

const problem = async (response: Response, method = 'POST') => {
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  expect(response.headers.get('cache-control')).toBe('no-store')
  return (await expectDescribed(await openApiAt(base), method, response)) as {
    code: string
    detail: string
    hint?: string
    issues?: { path: string }[]
  }
}

// With every port, and over every way in, the examples of every tool are asked in test/contract.
describe('an example of a paid tool', () => {
  const paid = services.flatMap(service =>
    service.tools
      .filter(({ price, free }) => !isFree(price) && !free)
      .map(tool => ({ place: `${service.slug}.${tool.name}`, service, tool })),
  )

  test.each(paid)(
    '$place is unavailable, as described, where nothing can be paid',
    async ({ service, tool }) => {
      const root = `${served.url}/${service.slug}`
      const response = await post(`${root}/tools/${tool.name}`, tool.examples[0] ?? {})
      await expectDescribed(await openApiAt(root), 'POST', response)
      // A tool may refuse for what its input lacks before it says what this installation lacks.
      expect(response.status).toBe(tool.withoutNeeds ? 422 : 503)
    },
  )
})

test('a success carries its limits and is not cached', async () => {
  const { headers } = await fetch(`${served.url}/cat/api/pet`)
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('ratelimit-policy')).toBe('"default";q=1000000;w=60')
  expect(headers.get('ratelimit')).toMatch(/^"default";r=99\d{4};t=\d+$/)
})

test('answers with JSON whose length is told, HEAD without it', async () => {
  const got = await fetch(`${base}/echo?text=%C3%A4`)
  expect(got.headers.get('content-length')).toBe(String(Buffer.byteLength('{"text":"ä"}')))
  expect(await got.text()).toBe('{"text":"ä"}')
  const head = await fetch(`${base}/echo?text=%C3%A4`, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
})

describe('the input of a GET is read by its schema', () => {
  test.each([
    ['id=7', { id: 7 }],
    ['ratio=1.5e-3', { ratio: 0.0015 }],
    ['on=true', { on: true }],
    ['on=0', { on: false }],
    ['words=a,b', { words: ['a', 'b'] }],
    ['words=a,b&words=c', { words: ['a,b', 'c'] }],
    ['words=a', { words: ['a'] }],
    ['words=', { words: [] }],
    ['sizes=1,2', { sizes: [1, 2] }],
    ['sizes=1&sizes=2', { sizes: [1, 2] }],
    ['size=m', { size: 'm' }],
    ['text=7', { text: '7' }],
    ['text=a+b%2B', { text: 'a b+' }],
    ['either=7', { either: '7' }],
    ['maybe=null', { maybe: null }],
    ['maybe=2', { maybe: 2 }],
    [`box=${encodeURIComponent('{"x":1}')}`, { box: { x: 1 } }],
    ['at=2026-11-21T12:00:00Z', { at: '2026-11-21T12:00:00Z' }],
    ['id=7&free=1', { id: 7 }],
  ])('%s', async (query, input) => {
    expect(await (await fetch(`${base}/echo?${query}`)).json()).toEqual(input)
  })

  test.each([
    ['id=seven', ['id']],
    ['id=1&id=2', ['id']],
    ['id=0x10', ['id']],
    ['id=12345678901234567890', ['id']],
    ['on=maybe', ['on']],
    ['sizes=1,x', ['sizes.1']],
    ['size=xl', ['size']],
    ['box={', ['box']],
    ['at=yesterday&ratio=much', ['at', 'ratio']],
    ['nothing=1', ['nothing']],
    ['__proto__=1', ['__proto__']],
    ['words[]=a', ['words[]']],
  ])('%s is refused by the name of its field', async (query, paths) => {
    const response = await fetch(`${base}/echo?${query}`)
    expect(response.status).toBe(422)
    const { code, issues, detail } = await problem(response, 'GET')
    expect(code).toBe('invalid_input')
    expect(issues?.map(({ path }) => path).sort()).toEqual(paths)
    for (const path of paths) expect(detail).toContain(path)
  })

  test('from the path too', async () => {
    expect(await (await fetch(`${base}/echo/7?on=1`)).json()).toEqual({ id: 7, on: true })
    expect(await (await fetch(`${base}/pair/m-5%2D`)).json()).toEqual({ size: 'm', text: '5-' })
    expect(await (await fetch(`${base}/echo/7?id=8`)).json()).toEqual({ id: 7 })
  })
})

describe('the input of anything else is its body and path', () => {
  const put = (id: string, body: unknown) =>
    fetch(`${base}/echo/${id}`, { method: 'PUT', headers: json, body: JSON.stringify(body) })

  test('together', async () => {
    expect(await (await put('7', { text: 'x' })).json()).toEqual({ id: 7, text: 'x' })
    expect(await (await put('7', { id: 7 })).json()).toEqual({ id: 7 })
  })

  test('which must not say different things', async () => {
    const { code, issues } = await problem(await put('7', { id: 8 }), 'PUT')
    expect([code, issues?.map(({ path }) => path)]).toEqual(['invalid_input', ['id']])
  })

  test('and no body is no fields', async () => {
    expect(await (await fetch(`${base}/tools/echo`, { method: 'POST' })).json()).toEqual({})
  })

  test.each([
    ['{"id":"7"}', ['id']],
    ['{"id":7,"nothing":1}', ['nothing']],
    ['{"constructor":1,"words":[1]}', ['constructor', 'words.0']],
    ['{"__proto__":{"id":1}}', ['__proto__']],
    ['{"free":"1"}', ['free']],
  ])('%s is refused by the name of its field', async (body, paths) => {
    const { code, issues } = await problem(await post(`${base}/tools/echo`, body))
    expect([code, issues?.map(({ path }) => path).sort()]).toEqual(['invalid_input', paths])
  })
})

describe('a body that is no JSON object', () => {
  test.each([
    ['{', 'The body is not valid JSON.'],
    ['[1]', 'The body is an array; a JSON object'],
    ['null', 'The body is null; a JSON object'],
    ['"x"', 'The body is a string; a JSON object'],
    ['7', 'The body is a number; a JSON object'],
  ])('%s is malformed', async (body, detail) => {
    const response = await post(`${base}/tools/echo`, body)
    expect(response.status).toBe(400)
    expect(await problem(response)).toMatchObject({
      code: 'malformed',
      detail: expect.stringContaining(detail),
    })
  })

  test('is too large over 1 MiB', async () => {
    const response = await post(`${base}/tools/echo`, { text: 'x'.repeat(1 << 20) })
    expect([response.status, (await problem(response)).code]).toEqual([413, 'too_large'])
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded'])('is not taken as %s', async type => {
    const response = await post(`${base}/tools/echo`, '{}', { 'content-type': type })
    expect([response.status, (await problem(response)).code]).toEqual([415, 'unsupported_media'])
  })
})

test('nothing that was not foreseen happened', () => expect(served.errors).toEqual([]))
