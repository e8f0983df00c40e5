import { describe, expect, test } from 'vitest'
import { opened } from '../opened.ts'
import { fixture } from './fixture.ts'
import { message03, message10, rpc, serve, v1 } from './serve.ts'

const served = opened(() => serve([fixture]))

const at = '/fixture/'
const withRole = (role: string) => ({ message: { messageId: 'm', role, parts: [{ text: 'help' }] } })

/** a2a.md §2, dispatch table: method, A2A-Version, parameters, version of the answer or code of the error. */
const table: [method: string, version: string | undefined, params: object, answer: '0.3' | '1.0' | number][] =
  [
    ['SendMessage', '1.0', message10(['help']), '1.0'],
    ['SendMessage', '1.0.0', message10(['help']), '1.0'],
    ['SendMessage', '1.0.7', message10(['help']), '1.0'],
    ['SendMessage', 'v1.0', message10(['help']), '1.0'],
    ['SendMessage', '1', message10(['help']), '1.0'],
    ['SendMessage', undefined, message10(['help']), '1.0'],
    ['SendMessage', '', message10(['help']), '1.0'],
    ['SendMessage', '0.3', message10(['help']), '0.3'],
    ['message/send', undefined, message03(['help']), '0.3'],
    ['message/send', '0.3', message03(['help']), '0.3'],
    ['message/send', '0.3.0', message03(['help']), '0.3'],
    ['message/send', undefined, withRole('ROLE_USER'), '1.0'],
    ['message/send', '0.3', withRole('ROLE_USER'), '1.0'],
    ['message/send', '1.0', message03(['help']), '1.0'],
    ['message/send', '1.0', message10(['help']), '1.0'],
    ['SendMessage', '9.9', message10(['help']), -32009],
    ['SendMessage', '1.1', message10(['help']), -32009],
    ['message/send', '0.2', message03(['help']), -32009],
    ['message/send', 'latest', message03(['help']), -32009],
    ['nothing/here', '9.9', {}, -32009],
    ['nothing/here', undefined, {}, -32601],
    ['NothingHere', '1.0', {}, -32601],
    ['tasks/list', undefined, {}, -32601],
  ]

describe('the dispatch table', () => {
  test.each(table)('%s under version %s with %j answers %s', async (method, version, params, answer) => {
    const { status, headers, body } = await served.post(
      at,
      rpc(method, params),
      version === undefined ? {} : { 'a2a-version': version },
    )
    expect(status).toBe(200)
    if (typeof answer === 'number') return expect(body.error.code).toBe(answer)
    expect(headers.get('a2a-version')).toBe(answer)
    const message = answer === '1.0' ? body.result.message : body.result
    expect(message.role).toBe(answer === '1.0' ? 'ROLE_AGENT' : 'agent')
    expect(message.kind).toBe(answer === '1.0' ? undefined : 'message')
  })

  test('takes the version from the query where there is no header, and the header where there are both', async () => {
    const query = `${at}?A2A-Version=1.0`
    expect(
      (await served.post(query, rpc('message/send', message03(['help'])))).body.result.message.role,
    ).toBe('ROLE_AGENT')
    const both = await served.post(query, rpc('message/send', message03(['help'])), { 'a2a-version': '0.3' })
    expect(both.body.result.role).toBe('agent')
  })
})

const missing = 'f'.repeat(32)

describe('the envelope', () => {
  const bad: [what: string, body: unknown, code: number, id: unknown][] = [
    ['text that is no JSON', '{"jsonrpc":', -32700, null],
    ['nothing', '', -32700, null],
    ['a batch', [rpc('SendMessage', message10(['help']))], -32600, null],
    ['an empty batch', [], -32600, null],
    ['a number', 5, -32600, null],
    ['null', 'null', -32600, null],
    ['no jsonrpc', { id: 7, method: 'SendMessage' }, -32600, 7],
    ['another jsonrpc', { jsonrpc: '1.0', id: 'x', method: 'SendMessage' }, -32600, 'x'],
    ['no method', { jsonrpc: '2.0', id: 0 }, -32600, 0],
    ['a method that is a number', { jsonrpc: '2.0', id: 1, method: 5 }, -32600, 1],
    ['an id that is an object', { jsonrpc: '2.0', id: { a: 1 }, method: 'SendMessage' }, -32600, null],
    ['an id that is a boolean', { jsonrpc: '2.0', id: true, method: 'SendMessage' }, -32600, null],
  ]
  test.each(bad)('refuses %s', async (_, body, code, id) => {
    const answer = await served.post(at, body)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toContain('application/json')
    expect(answer.body).toMatchObject({ jsonrpc: '2.0', id, error: { code } })
  })

  test.each([0, '', 'abc', -1, 1.5, null, "'; drop table tasks; --", '__proto__'])(
    'echoes the id %j',
    async id => {
      expect((await served.post(at, rpc('message/send', message03(['help']), id))).body.id).toBe(id)
    },
  )

  test('answers a request without an id with the id null', async () => {
    const { body } = await served.post(at, {
      jsonrpc: '2.0',
      method: 'message/send',
      params: message03(['help']),
    })
    expect(body).toMatchObject({ id: null, result: { kind: 'message' } })
  })

  test('refuses another content type with -32005, and takes JSON suffixes', async () => {
    const body = rpc('message/send', message03(['help']))
    const text = await served.post(at, JSON.stringify(body), { 'content-type': 'text/plain' })
    expect([text.status, text.body.error.code, text.body.id]).toEqual([200, -32005, null])
    const suffix = await served.post(at, JSON.stringify(body), {
      'content-type': 'application/a2a+json; charset=utf-8',
    })
    expect(suffix.body.result.kind).toBe('message')
  })

  test('refuses a body over 1 MiB with HTTP 413 and a JSON-RPC error', async () => {
    const answer = await served.post(at, rpc('message/send', message03(['x'.repeat(1 << 20)])))
    expect([answer.status, answer.body.error.code, answer.body.id]).toEqual([413, -31413, null])
  })

  test('counts reads of tasks against the limit of the server', async () => {
    const tight = await serve([fixture], { perMinute: 2 })
    const get = () => tight.post(at, rpc('GetTask', { id: missing }), v1)
    expect([(await get()).status, (await get()).status]).toEqual([200, 200])
    const third = await get()
    expect([third.status, third.body.error.code]).toEqual([429, -32000])
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0)
    await tight.stop()
  })
})
