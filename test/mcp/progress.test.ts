import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lab, lives } from './fixture.ts'
import { emptyWorld, type Served, serveMcp } from './serve.ts'
import { callTool, eras } from './wire.ts'

let served: Served
let url: string
beforeAll(async () => {
  served = await serveMcp(emptyWorld(), [lab])
  url = `${served.url}/lab/mcp`
})
afterAll(() => served.stop())

const until = async (what: () => boolean, ms: number): Promise<boolean> => {
  const end = Date.now() + ms
  while (!what() && Date.now() < end) await new Promise(resolve => setTimeout(resolve, 10))
  return what()
}

const newLife = async (before: number) => {
  expect(await until(() => lives.length > before && (lives[before]?.steps ?? 0) > 0, 5000)).toBe(true)
  const life = lives[before]
  if (!life) throw new Error('the handler never began')
  return life
}

describe.each(eras)('in the era of %s', era => {
  test('sends growing progress as events, and then the answer, to a client that gave a token', async () => {
    const { type, messages, result } = await callTool(
      url,
      era,
      'slow',
      { steps: 3 },
      { meta: { progressToken: 'p1' } },
    )
    expect(type).toMatch(/^text\/event-stream/)
    expect(messages.slice(0, -1)).toMatchObject(
      [1, 2, 3].map(progress => ({
        method: 'notifications/progress',
        params: { progressToken: 'p1', progress, total: 3, message: `step ${progress}` },
      })),
    )
    expect(result.structuredContent).toEqual({ steps: 3 })
  })

  test('answers with plain JSON when nobody waits for progress', async () => {
    const { type, messages } = await callTool(url, era, 'slow', { steps: 2 })
    expect(type).toMatch(/^application\/json/)
    expect(messages).toHaveLength(1)
  })

  test('loses no step of a tool that tells them all at its end', async () => {
    const { messages, result } = await callTool(url, era, 'burst', {}, { meta: { progressToken: 'p' } })
    expect(messages.slice(0, -1).map(({ params }) => params?.progress)).toEqual(
      Array.from({ length: 50 }, (_, at) => at + 1),
    )
    expect(result.structuredContent).toEqual({ steps: 50 })
  })

  test('takes a token of 0 for a token', async () => {
    const { messages } = await callTool(url, era, 'slow', { steps: 1 }, { meta: { progressToken: 0 } })
    expect(messages[0]?.params).toMatchObject({ progressToken: 0, progress: 1 })
  })

  test.each([
    ['waits for JSON', {}],
    ['reads events', { progressToken: 1 }],
  ])('aborts the handler of a client that %s and leaves', async (_, meta) => {
    const before = lives.length
    const leaving = new AbortController()
    const call = callTool(url, era, 'slow', { steps: 200 }, { meta, signal: leaving.signal }).catch(
      () => 'gone',
    )
    const life = await newLife(before)
    leaving.abort()
    expect(await call).toBe('gone')
    expect(await until(() => life.aborted, 1000)).toBe(true)
  })

  test('runs three slow calls at the same time', async () => {
    const before = lives.length
    const calls = [1, 2, 3].map(() => callTool(url, era, 'slow', { steps: 6 }))
    expect(await until(() => lives.length === before + 3, 5000)).toBe(true)
    expect(lives.slice(before).every(({ steps }) => steps < 6)).toBe(true)
    for (const { result } of await Promise.all(calls)) expect(result.structuredContent).toEqual({ steps: 6 })
  })

  test('gives a tool no more than its own time', async () => {
    const { result } = await callTool(url, era, 'stuck')
    expect(result.isError).toBe(true)
    expect(JSON.parse(result.content[0]?.text ?? '')).toMatchObject({
      code: 'timeout',
      status: 504,
      retryable: true,
    })
  })
})
