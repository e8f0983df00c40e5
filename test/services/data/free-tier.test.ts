import { describe, expect, test } from 'vitest'
import { startApp } from '../../app.ts'
import { opened } from '../../opened.ts'

const app = opened(startApp)

type Reply = { status: number; body: string; answer: Record<string, unknown> }

const post = async (path: string, body: object, headers: Record<string, string> = {}): Promise<Reply> => {
  const response = await fetch(`${app.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  const json = /^data: (.+)$/m.exec(text)?.[1] ?? text
  return { status: response.status, body: json, answer: JSON.parse(json) }
}

const overRest = (key?: string) =>
  post('/data/skills/json-repair', { json: '[1' }, key ? { 'x-api-key': key } : {})

const overMcp = () =>
  post('/data/mcp', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'json-repair', arguments: { json: '[1' } },
  })

const overA2a = () =>
  post('/data/a2a', {
    jsonrpc: '2.0',
    id: 1,
    method: 'message/send',
    params: {
      message: {
        kind: 'message',
        role: 'user',
        messageId: 'm1',
        parts: [{ kind: 'text', text: 'json-repair [1' }],
      },
    },
  })

const ways = 'It is free over A2A, over MCP, with free=1 over REST, 60 calls a minute'
const usedUp = /The free calls of this minute are used up; it is free again in \d+ s\. It is free over A2A/

describe('the quote of a skill that can be had for nothing', () => {
  test('says how, over REST', async () => {
    const quote = await overRest()
    expect([quote.status, quote.answer.hint]).toEqual([402, expect.stringContaining(ways)])
  })

  test('says when the day of an ally begins anew', async () => {
    const { answer } = await post('/data/ally/register', { name: 'Ada' })
    const key = String(answer.api_key)
    for (let n = 0; n < 100; n++) expect((await overRest(key)).status).toBe(200)
    const quote = await overRest(key)
    expect(quote.status).toBe(402)
    expect(quote.answer.hint).toMatch(
      /^The 100 free calls of this key are used up until \S+T00:00:00.000Z\. It is free/,
    )
    expect(Date.parse(String(quote.answer.freeAgainAt))).toBeGreaterThan(Date.now())
  })

  test('says over every protocol when it is free again, once the minute is used up', async () => {
    for (let n = 0; n < 60; n++) await overMcp()
    const [mcp, a2a] = [await overMcp(), await overA2a()]
    const rest = await post('/data/skills/json-repair?free=1', { json: '[1' })
    expect([rest.status, rest.answer]).toMatchObject([
      402,
      { hint: expect.stringMatching(usedUp), freeAgainAt: expect.stringMatching(/Z$/) },
    ])
    expect(mcp.body).toMatch(usedUp)
    expect(mcp.body).toMatch(/freeAgainAt/)
    expect(a2a.body).toMatch(usedUp)
    expect(a2a.body).toMatch(/freeAgainAt/)
  })
})
