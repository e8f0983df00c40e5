import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lab, lives } from './fixture.ts'
import { emptyWorld, type Served, serveMcp } from './serve.ts'
import { type EraName, eras, post, requestOf } from './wire.ts'

let served: Served
let url: string
beforeAll(async () => {
  served = await serveMcp(emptyWorld(), [lab])
  url = `${served.url}/lab/mcp`
})
afterAll(() => served.stop())

/** The same request in a form that only the SDK's own transport reads. */
const dressed = (era: EraName, { body, headers }: ReturnType<typeof requestOf>) => {
  const { params } = body
  if (era === '2025') return { body: [body], headers }
  if (body.method === 'tools/list') return { body: { ...body, params: { ...params, cursor: '' } }, headers }
  const name = `=?base64?${Buffer.from(String(headers['mcp-name'])).toString('base64')}?=`
  return { body, headers: { ...headers, 'mcp-name': name } }
}

const answerTo = async ({ body, headers }: { body: unknown; headers: Record<string, string> }) => {
  const { status, type, message } = await post(url, body, { ...headers, 'x-request-id': 'same' })
  return { status, type, message }
}

const requests: [string, string, Record<string, unknown>][] = [
  ['a call', 'tools/call', { name: 'echo', arguments: { text: 'one' } }],
  ['a call that fails', 'tools/call', { name: 'refuses', arguments: {} }],
  ['a call that breaks the input schema', 'tools/call', { name: 'echo', arguments: { text: 7 } }],
  ['a call of a tool that nobody knows', 'tools/call', { name: 'nobody', arguments: {} }],
  ['a call whose arguments are text', 'tools/call', { name: 'echo', arguments: 'text' }],
  ['a call without a name', 'tools/call', {}],
  ['a list', 'tools/list', {}],
]

describe.each(eras)('the server that stays, in the era of %s,', era => {
  test.each(requests)('answers %s as the server of one request does', async (_, method, params) => {
    const request = requestOf(era, method, params)
    const kept = await answerTo(request)
    expect(kept).toEqual(await answerTo(dressed(era, request)))
    expect(await answerTo(request)).toEqual(kept)
  })

  test('gives each of many callers that count from the same number its own answer', async () => {
    const texts = Array.from({ length: 60 }, (_, n) => `text ${n}`)
    const answers = await Promise.all(
      texts.map(async text => {
        const { body, headers } = requestOf(era, 'tools/call', { name: 'echo', arguments: { text } })
        return post(url, body, headers)
      }),
    )
    expect(answers.map(({ message }) => message.id)).toEqual(texts.map(() => 7))
    for (const [n, { result }] of answers.entries())
      expect(JSON.stringify(result.structuredContent)).toContain(`"${texts[n]}"`)
  })

  test('repeats the id of each list, whatever it is', async () => {
    const { body, headers } = requestOf(era, 'tools/list')
    for (const id of [1, 'a "quoted" id', '\u0000', 0, -3]) {
      const { message } = await post(url, { ...body, id }, headers)
      expect(message.id).toBe(id)
      expect(message.result?.tools.length).toBeGreaterThan(3)
    }
  })

  test('ends the call of a client that leaves, and nobody else’s', async () => {
    const before = lives.length
    const leaving = new AbortController()
    const long = requestOf(era, 'tools/call', { name: 'slow', arguments: { steps: 200 } })
    const left = post(url, long.body, long.headers, leaving.signal).catch(() => 'gone')
    await expect.poll(() => lives.length).toBeGreaterThan(before)
    const short = requestOf(era, 'tools/call', { name: 'slow', arguments: { steps: 20 } })
    const other = post(url, short.body, short.headers)
    leaving.abort()
    expect(await left).toBe('gone')
    await expect.poll(() => lives[before]?.aborted).toBe(true)
    expect((await other).result.structuredContent).toEqual({ steps: 20 })
  })

  test('lets no stranger cancel a call by the number that it has here', async () => {
    const request = requestOf(era, 'tools/call', { name: 'slow', arguments: { steps: 30 } })
    const call = post(url, request.body, request.headers)
    for (let requestId = 0; requestId < 200; requestId += 1) {
      const { body, headers } = requestOf(era, 'notifications/cancelled', { requestId })
      const { id: _, ...notification } = body
      await post(url, notification, headers)
    }
    expect((await call).result.structuredContent).toEqual({ steps: 30 })
  })
})
