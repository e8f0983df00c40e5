import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser } from '../../../ports/browser/has-browser.ts'
import { type BrowseApp, openBrowseApp } from './app.ts'

type Headers = Record<string, string>
type Body = Record<string, unknown>

let app: BrowseApp
let calls = 0
beforeAll(async () => {
  app = await openBrowseApp()
})
afterAll(() => app?.stop())

const post = async (path: string, body: object, headers: Headers = {}) => {
  const response = await fetch(`${app.url}/proof${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-forwarded-for': `198.51.100.${++calls}`,
      ...headers,
    },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Body }
}

const register = async (): Promise<Headers> => {
  const { body } = await post('/register', {})
  return { 'x-api-key': String(body.api_key) }
}

/** Asks for an artifact on every transport; resolves to what each says. */
const askEverywhere = async (sha256: string, headers: Headers) => {
  const file = await fetch(`${app.url}/proof/artifacts/${sha256}`, { headers })
  const rest = await post('/tools/get_artifact', { sha256 }, headers)
  const mcp = await post(
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_artifact', arguments: { sha256 } } },
    headers,
  )
  const data = { kind: 'data', data: { skill: 'get_artifact', arguments: { sha256 } } }
  const message = { kind: 'message', role: 'user', messageId: `m-${++calls}`, parts: [data] }
  const a2a = await post(
    '/a2a',
    { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } },
    headers,
  )
  return {
    file: file.status,
    rest: rest.status,
    mcp: (mcp.body.result as { isError?: boolean }).isError === true ? 'error' : 'answer',
    a2a: JSON.stringify(a2a.body).includes('"base64"') ? 'answer' : 'error',
    words: JSON.stringify([rest.body, mcp.body, a2a.body]),
  }
}

describe.skipIf(!hasBrowser)('a picture', () => {
  test('is had by who made it, on each transport, and by nobody else', async () => {
    const [maker, stranger] = [await register(), await register()]
    const look = { url: `${app.site.base}/plain`, action: 'screenshot', wait_ms: 0 }
    const { status, body } = await post('/web-act', look, maker)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.artifact_token).toBeNull()
    const [picture] = body.artifacts as { sha256: string }[]
    const sha256 = picture?.sha256 ?? ''
    expect(await askEverywhere(sha256, maker)).toMatchObject({
      file: 200,
      rest: 200,
      mcp: 'answer',
      a2a: 'answer',
    })
    for (const headers of [stranger, {} as Headers]) {
      const asked = await askEverywhere(sha256, headers)
      expect(asked).toMatchObject({ file: 404, rest: 404, mcp: 'error', a2a: 'error' })
      // The refusal is the same as for what was never there.
      const never = await askEverywhere('0'.repeat(64), headers)
      const plain = (words: string) =>
        words.replaceAll(/\\?"(?:id|messageId|contextId|timestamp|ref|requestId)\\?":\\?"[^"\\]*\\?"/g, '')
      expect(plain(asked.words).replaceAll(sha256, '')).toBe(
        plain(never.words).replaceAll('0'.repeat(64), ''),
      )
    }
    const removed = await fetch(`${app.url}/proof/artifacts/${sha256}`, {
      method: 'DELETE',
      headers: stranger,
    })
    expect(removed.status).toBe(404)

    // The same page looks the same to somebody else, who has a picture of their own: it outlives the first one.
    const other = await post('/web-act', look, stranger)
    expect((other.body.artifacts as { sha256: string }[])[0]?.sha256).toBe(sha256)
    expect(
      (await fetch(`${app.url}/proof/artifacts/${sha256}`, { method: 'DELETE', headers: maker })).status,
    ).toBe(200)
    expect((await askEverywhere(sha256, maker)).file).toBe(404)
    expect((await askEverywhere(sha256, stranger)).file).toBe(200)
  })

  test('is made over MCP and A2A as over REST', async () => {
    const maker = await register()
    const look = { url: `${app.site.base}/plain`, action: 'extract_text' }
    const mcp = await post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'browse', arguments: look } },
      maker,
    )
    expect(mcp.body).toMatchObject({ result: { structuredContent: { title: 'Hello', untrusted: true } } })
    const data = { kind: 'data', data: { skill: 'browse', arguments: look } }
    const message = { kind: 'message', role: 'user', messageId: 'm', parts: [data] }
    const a2a = await post(
      '/a2a',
      { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } },
      maker,
    )
    expect(JSON.stringify(a2a.body)).toContain('Text of the page.')
  })
})
