import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lab } from './fixture.ts'
import { emptyWorld, type Served, serveMcp } from './serve.ts'
import { callTool, eras, type Result } from './wire.ts'

const world = emptyWorld({ perMinute: 60 })
let served: Served
let url: string
beforeAll(async () => {
  served = await serveMcp(world, [lab])
  url = `${served.url}/lab/mcp`
})
afterAll(() => served.stop())

const problemOf = (result: Result) => {
  expect(result.isError).toBe(true)
  expect(result.structuredContent).toBeUndefined()
  expect(result.content).toHaveLength(1)
  return JSON.parse(result.content[0]?.text ?? '')
}

describe.each(eras)('in the era of %s', era => {
  test('a refusal is a problem as text, without structure', async () => {
    const { status, result } = await callTool(url, era, 'refuses')
    expect(status).toBe(200)
    expect(problemOf(result)).toEqual({
      type: `${world.site.url}/problems/conflict`,
      title: 'The state does not allow this',
      status: 409,
      code: 'conflict',
      detail: 'The cat sleeps.',
      retryable: true,
      hint: 'Come back later.',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })

  test('wrong input is a tool error that names every field', async () => {
    const { result } = await callTool(url, era, 'echo', { text: '', times: 99, colour: 'red' })
    const problem = problemOf(result)
    expect(problem).toMatchObject({ code: 'invalid_input', status: 422 })
    expect(problem.issues.map(({ path }: { path: string }) => path).sort()).toEqual([
      'colour',
      'text',
      'times',
    ])
  })

  test('a bug tells nothing but a reference, which is in the log', async () => {
    const { result } = await callTool(url, era, 'breaks')
    const problem = problemOf(result)
    expect(problem).toMatchObject({ code: 'internal', status: 500, ref: expect.any(String) })
    expect(JSON.stringify(result)).not.toMatch(/hunter2|secret|\.ts/)
    expect(world.records.at(-1)).toMatchObject({ ref: problem.ref, cause: expect.any(Error), channel: 'mcp' })
  })

  test('a missing port is unavailable, and named', async () => {
    const { result } = await callTool(url, era, 'paid', { text: 'a' })
    expect(problemOf(result)).toMatchObject({
      code: 'unavailable',
      detail: expect.stringContaining('"store"'),
    })
  })

  test('a missing credential is asked for', async () => {
    const { result } = await callTool(url, era, 'whoami')
    expect(problemOf(result)).toMatchObject({
      code: 'unauthenticated',
      hint: expect.stringContaining('Bearer'),
    })
  })
})

test('a client over its limit is told when to come back', async () => {
  const answers = await Promise.all(
    Array.from({ length: 70 }, () => callTool(url, '2025', 'echo', { text: 'a' })),
  )
  const refused = answers.filter(({ result }) => result.isError)
  expect(refused.length).toBeGreaterThanOrEqual(10)
  expect(problemOf((refused[0] as (typeof refused)[0]).result)).toMatchObject({
    code: 'too_many_requests',
    retryable: true,
    hint: expect.stringMatching(/Retry in \d+ s/),
  })
})
