import { describe, expect, test } from 'vitest'
import { opened } from '../opened.ts'
import { fixture } from './fixture.ts'
import { message03, message10, rpc, serve, v1 } from './serve.ts'

const served = opened(() => serve([fixture]))

const at = '/fixture/'
const withRole = (role: string) => ({ message: { messageId: 'm', role, parts: [{ text: 'help' }] } })

const missing = 'f'.repeat(32)

/** a2a.md §2, operation and error table. `reason` is that of the ErrorInfo in 1.0, null for a BadRequest. */
const failures: [what: string, method: string, params: unknown, code: number, reason?: string | null][] = [
  ['no message', 'SendMessage', {}, -32602, null],
  ['params that are a list', 'SendMessage', [1], -32602, null],
  ['params with a nameless field', 'SendMessage', { '': 1 }, -32602, null],
  ['no parts', 'SendMessage', { message: { messageId: 'm', role: 'ROLE_USER', parts: [] } }, -32602, null],
  ['no messageId', 'SendMessage', { message: { role: 'ROLE_USER', parts: [{ text: 'x' }] } }, -32602, null],
  ['no role', 'SendMessage', { message: { messageId: 'm', parts: [{ text: 'x' }] } }, -32602, null],
  ['a role of no prototype', 'SendMessage', withRole('constructor'), -32602, null],
  [
    'an empty part',
    'SendMessage',
    { message: { messageId: 'm', role: 'ROLE_USER', parts: [{}] } },
    -32602,
    null,
  ],
  [
    'a part that is text',
    'SendMessage',
    { message: { messageId: 'm', role: 'ROLE_USER', parts: ['x'] } },
    -32602,
    null,
  ],
  [
    'a bad historyLength',
    'SendMessage',
    { ...message10(['help']), configuration: { historyLength: -1 } },
    -32602,
    null,
  ],
  ['a messageId with NUL', 'SendMessage', message10(['help'], { messageId: 'a\0' }), -32602, null],
  [
    'a url part',
    'SendMessage',
    { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ url: 'http://x' }] } },
    -32005,
    'CONTENT_TYPE_NOT_SUPPORTED',
  ],
  [
    'a raw part',
    'SendMessage',
    { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ raw: 'aGk=' }] } },
    -32005,
    'CONTENT_TYPE_NOT_SUPPORTED',
  ],
  [
    'a file part',
    'message/send',
    { message: { messageId: 'm', role: 'user', parts: [{ kind: 'file', file: { uri: 'http://x' } }] } },
    -32005,
    'CONTENT_TYPE_NOT_SUPPORTED',
  ],
  ['an unknown method', 'DoIt', {}, -32601],
  ['streaming', 'SendStreamingMessage', message10(['help']), -32004, 'UNSUPPORTED_OPERATION'],
  ['streaming in 0.3', 'message/stream', message03(['help']), -32004, 'UNSUPPORTED_OPERATION'],
  ['subscribing', 'SubscribeToTask', { id: missing }, -32004, 'UNSUPPORTED_OPERATION'],
  ['resubscribing', 'tasks/resubscribe', { id: missing }, -32004, 'UNSUPPORTED_OPERATION'],
  ['a push config', 'CreateTaskPushNotificationConfig', {}, -32003, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
  ['a push config to read', 'GetTaskPushNotificationConfig', {}, -32003, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
  ['push configs to list', 'ListTaskPushNotificationConfigs', {}, -32003, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
  [
    'a push config to delete',
    'DeleteTaskPushNotificationConfig',
    {},
    -32003,
    'PUSH_NOTIFICATION_NOT_SUPPORTED',
  ],
  ['a push config in 0.3', 'tasks/pushNotificationConfig/set', {}, -32003, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
  ['the extended card', 'GetExtendedAgentCard', {}, -32004, 'UNSUPPORTED_OPERATION'],
  ['the extended card in 0.3', 'agent/getAuthenticatedExtendedCard', {}, -32004, 'UNSUPPORTED_OPERATION'],
  ['an unknown task', 'GetTask', { id: missing }, -32001, 'TASK_NOT_FOUND'],
  ['a task id of another form', 'GetTask', { id: 'x' }, -32001, 'TASK_NOT_FOUND'],
  ['no task id', 'GetTask', {}, -32602, null],
  ['a task id that is a number', 'GetTask', { id: 5 }, -32602, null],
  ['an unknown task to cancel', 'CancelTask', { id: missing }, -32001, 'TASK_NOT_FOUND'],
  [
    'a message to an unknown task',
    'SendMessage',
    message10(['help'], { taskId: missing }),
    -32001,
    'TASK_NOT_FOUND',
  ],
  ['an unknown skill', 'SendMessage', message10([{ skill: 'nope' }]), -32602, null],
  ['input that does not fit', 'SendMessage', message10([{ skill: 'dns-lookup' }]), -32602, null],
  ['a bad state', 'ListTasks', { status: 'DONE' }, -32602, null],
]

test.each([
  ['data', 80, { code: -32602, message: expect.stringContaining('64 levels') }],
  ['metadata', 80, { code: -32602, message: expect.stringContaining('64 levels') }],
  // Nobody parses what no schema allows.
  ['data', 60_000, { code: -31413, message: expect.stringContaining('within each other') }],
])('%s of %i levels is refused, not run into the ground', async (where, levels, refusal) => {
  const deep = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
  const part = where === 'data' ? `{"data":${deep}}` : '{"text":"help"}'
  const metadata = where === 'metadata' ? deep : '{}'
  const message = `{"messageId":"m","role":"ROLE_USER","parts":[${part}],"metadata":${metadata}}`
  const body = `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":${message}}}`
  const answer = await served.post(at, body, v1)
  expect(answer.body.error).toMatchObject(refusal)
})

describe('the error table', () => {
  test.each(failures)('%s: %s', async (_, method, params, code, reason) => {
    const modern = await served.post(at, rpc(method, params, 'q'), v1)
    expect(modern.status).toBe(200)
    expect(modern.body).toMatchObject({
      jsonrpc: '2.0',
      id: 'q',
      error: { code, message: expect.any(String) },
    })
    const { data } = modern.body.error
    const problem = data.at(-1)
    expect(problem['@type']).toMatch(/^http.*\/problems\/\w+$/)
    expect(problem).toMatchObject({ code: expect.any(String), detail: modern.body.error.message })
    if (reason === null) {
      expect(data[0]['@type']).toBe('type.googleapis.com/google.rpc.BadRequest')
      expect(data[0].fieldViolations[0].description).toEqual(expect.any(String))
    }
    if (reason)
      expect(data[0]).toMatchObject({
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason,
        domain: 'a2a-protocol.org',
      })
    const plain = await served.post(at, rpc(method, params), { 'a2a-version': '0.3' })
    expect(plain.body.error.code).toBe(code)
    if (plain.headers.get('a2a-version') === '0.3')
      expect(plain.body.error.data).toEqual([expect.objectContaining({ status: expect.any(Number) })])
  })

  test('names the skills when an unknown one is asked for', async () => {
    const { body } = await served.post(at, rpc('SendMessage', message10([{ skill: 'nope' }])), v1)
    expect(body.error.data.at(-1).hint).toContain('dns-lookup')
  })

  const own: [code: string, rpcCode: number, status: number][] = [
    ['not_found', -31404, 200],
    ['conflict', -31409, 200],
    ['forbidden', -31403, 200],
    ['gone', -31410, 200],
    ['upstream', -31502, 200],
    ['unavailable', -31503, 200],
    ['timeout', -31504, 200],
    ['precondition_required', -31428, 200],
    ['invalid_input', -32602, 200],
    ['unsupported_media', -32005, 200],
    ['unauthenticated', -32000, 401],
    ['too_many_requests', -32000, 429],
    ['too_large', -31413, 413],
  ]
  test.each(own)('a tool that fails with %s answers %i over HTTP %i', async (code, rpcCode, status) => {
    const answer = await served.post(at, rpc('message/send', message03([{ skill: 'fail', code }])))
    expect(answer.status).toBe(status)
    expect(answer.body.error.code).toBe(rpcCode)
    expect(answer.body.error.data[0].code).toBe(code)
    if (status === 429) expect(answer.headers.get('retry-after')).toBe('7')
    if (status === 401) expect(answer.headers.get('www-authenticate')).toContain('Bearer')
  })

  test("says nothing about a stranger's exception but where it is in the log", async () => {
    const { body } = await served.post(
      at,
      rpc('SendMessage', message10([{ skill: 'fail', code: 'stranger' }])),
      v1,
    )
    expect(body.error.code).toBe(-32603)
    expect(JSON.stringify(body)).not.toContain('hunter2')
    const { ref } = body.error.data.at(-1)
    expect(served.world.records.find(record => record.ref === ref)?.cause).toBeInstanceOf(Error)
  })

  test('answers an unknown credential with HTTP 401, its challenge and a JSON-RPC error', async () => {
    const answer = await served.post(at, rpc('SendMessage', message10(['help'])), {
      ...v1,
      authorization: 'Bearer eve',
    })
    expect([answer.status, answer.body.error.code]).toEqual([401, -32000])
    expect(answer.headers.get('www-authenticate')).toContain('Bearer')
  })
})
