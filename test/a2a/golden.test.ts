import { expect, test } from 'vitest'
import { encodeSent } from '../../a2a-adapter/wire/encode.ts'
import { opened } from '../opened.ts'
import { fixture, fixtureGate } from './fixture.ts'
import { message03, message10, rpc, serve, v1 } from './serve.ts'

const served = opened(() => serve([fixture], { gate: fixtureGate() }))

const names: [RegExp, string][] = [
  [/^[0-9a-f]{32}$/, '<task>'],
  [/^[0-9a-f]{8}-[0-9a-f-]{27}$/, '<uuid>'],
  [/^[\w-]{22}\.[\w-]{22}$/, '<context>'],
  [/^\d{4}-\d\d-\d\dT[\d:.]+Z$/, '<time>'],
]

/** The answer with what is new each time named by its form. */
const masked = (value: unknown): unknown => {
  if (typeof value === 'string')
    return names.find(([form]) => form.test(value))?.[1] ?? value.replaceAll(served.url, '')
  if (Array.isArray(value)) return value.map(masked)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, masked(inner)]))
}

const send = async (body: unknown, headers = {}) => (await served.post('/fixture/', body, headers)).body
/** A caller who lists what it owns, in 1.0. */
const ada = { ...v1, authorization: 'Bearer ada' }
const output = { tool: 'dns-lookup', input: { domain: 'example.com' } }

test('message/send answers a bare message of 0.3', async () => {
  const params = message03(['dns-lookup example.com'], { contextId: 'c1' })
  expect(masked(await send(rpc('message/send', params, 'a')))).toEqual({
    jsonrpc: '2.0',
    id: 'a',
    result: {
      kind: 'message',
      messageId: '<uuid>',
      role: 'agent',
      parts: [
        { kind: 'text', text: 'Tool dns-lookup' },
        { kind: 'data', data: output },
      ],
      contextId: 'c1',
    },
  })
})

test('SendMessage answers a wrapped message of 1.0, with a context of its own', async () => {
  expect(masked(await send(rpc('SendMessage', message10(['dns-lookup example.com'])), v1))).toEqual({
    jsonrpc: '2.0',
    id: 1,
    result: {
      message: {
        messageId: '<uuid>',
        role: 'ROLE_AGENT',
        parts: [{ text: 'Tool dns-lookup' }, { data: output, mediaType: 'application/json' }],
        contextId: '<context>',
      },
    },
  })
})

const offer = {
  x402Version: 2,
  error: 'Payment required',
  resource: { url: 'a2a://fixture/consult' },
  accepts: [{ scheme: 'exact', network: 'eip155:8453', amount: '3000000', payTo: '0x01' }],
}
const ask = [{ skill: 'consult', question: 'why?' }]
const words =
  'Pay one of the offers and repeat the call. Send the payment with this taskId, or pay over REST: POST /fixture/tools/consult'
const metadata = { 'x402.payment.status': 'payment-required', 'x402.payment.required': offer }

const task03 = {
  kind: 'task',
  id: '<task>',
  contextId: 'c1',
  status: {
    state: 'input-required',
    message: {
      kind: 'message',
      messageId: '<uuid>',
      role: 'agent',
      parts: [
        { kind: 'text', text: words },
        { kind: 'data', data: offer },
      ],
      contextId: 'c1',
      taskId: '<task>',
      metadata,
    },
    timestamp: '<time>',
  },
  history: [
    {
      kind: 'message',
      messageId: 'm1',
      role: 'user',
      parts: [{ kind: 'data', data: ask[0] }],
      contextId: 'c1',
      taskId: '<task>',
    },
  ],
}

const task10 = {
  id: '<task>',
  contextId: 'c1',
  status: {
    state: 'TASK_STATE_INPUT_REQUIRED',
    message: {
      messageId: '<uuid>',
      role: 'ROLE_AGENT',
      parts: [{ text: words }, { data: offer, mediaType: 'application/json' }],
      contextId: 'c1',
      taskId: '<task>',
      metadata,
    },
    timestamp: '<time>',
  },
  history: [
    {
      messageId: 'm1',
      role: 'ROLE_USER',
      parts: [{ data: ask[0], mediaType: 'application/json' }],
      contextId: 'c1',
      taskId: '<task>',
    },
  ],
}

test('an unpaid call, tasks/get and tasks/cancel answer bare tasks of 0.3', async () => {
  const sent = await send(rpc('message/send', message03(ask, { contextId: 'c1' })))
  expect(masked(sent.result)).toEqual(task03)
  const { id } = sent.result
  expect(masked((await send(rpc('tasks/get', { id }))).result)).toEqual(task03)
  const { history, ...bare } = task03
  expect(masked((await send(rpc('tasks/get', { id, historyLength: 0 }))).result)).toEqual(bare)
  expect(masked((await send(rpc('tasks/cancel', { id }))).result)).toEqual({
    ...task03,
    status: { state: 'canceled', timestamp: '<time>' },
  })
})

test('an unpaid call, GetTask, ListTasks and CancelTask answer tasks of 1.0', async () => {
  const sent = await send(rpc('SendMessage', message10(ask, { contextId: 'c1' })), ada)
  expect(masked(sent.result)).toEqual({ task: task10 })
  const { id } = sent.result.task
  expect(masked((await send(rpc('GetTask', { id }), ada)).result)).toEqual(task10)
  const list = await send(rpc('ListTasks', { contextId: 'c1', status: 'TASK_STATE_INPUT_REQUIRED' }), ada)
  expect(masked(list.result)).toEqual({ tasks: [task10], nextPageToken: '', pageSize: 50, totalSize: 1 })
  expect(masked((await send(rpc('CancelTask', { id }), ada)).result)).toEqual({
    ...task10,
    status: { state: 'TASK_STATE_CANCELED', timestamp: '<time>' },
  })
})

test('an error of 0.3 holds the problem, one of 1.0 the google.rpc detail and the problem', async () => {
  const problem = {
    type: '/problems/not_found',
    title: 'There is no such thing',
    status: 404,
    code: 'not_found',
    detail: 'There is no such task.',
    retryable: false,
    requestId: '<uuid>',
  }
  const params = { id: 'nobody' }
  expect(masked(await send(rpc('tasks/get', params)))).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32001, message: problem.detail, data: [problem] },
  })
  expect(masked(await send(rpc('GetTask', params), v1))).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: {
      code: -32001,
      message: problem.detail,
      data: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'TASK_NOT_FOUND',
          domain: 'a2a-protocol.org',
          metadata: { taskId: 'nobody' },
        },
        { '@type': problem.type, ...problem },
      ],
    },
  })
})

test('one field of proto, in the proto spelling, is read like the JSON spelling', async () => {
  const message = {
    message_id: 'm',
    context_id: 'mine',
    role: 'ROLE_USER',
    parts: [{ data: ask[0], media_type: 'application/json' }],
  }
  const sent = await send(rpc('SendMessage', { message, configuration: { history_length: 0 } }), ada)
  expect(sent.result.task).toMatchObject({ contextId: 'mine' })
  expect(sent.result.task.history).toBeUndefined()
  const { id } = sent.result.task
  expect((await send(rpc('GetTask', { id, history_length: 0 }), ada)).result.history).toBeUndefined()
  const list = await send(
    rpc('ListTasks', { context_id: 'mine', page_size: 1, include_artifacts: true }),
    ada,
  )
  expect(list.result).toMatchObject({ pageSize: 1, totalSize: 1 })
  const more = {
    message: { message_id: 'n', task_id: id, role: 'ROLE_USER', parts: [{ text: 'still thinking' }] },
  }
  expect((await send(rpc('SendMessage', more), ada)).result.task.id).toBe(id)
})

test('either version reads the part shapes of the other', async () => {
  const mixed = { message: { messageId: 'm', role: 'user', parts: [{ text: 'dns-lookup a.example' }] } }
  expect((await send(rpc('message/send', mixed))).result.parts[1].data.input).toEqual({ domain: 'a.example' })
  const old = {
    message: { messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'dns-lookup b.example' }] },
  }
  expect((await send(rpc('SendMessage', old), v1)).result.message.parts[1].data.input).toEqual({
    domain: 'b.example',
  })
})

test('data that is no object is wrapped in 0.3, where data must be an object, and kept in 1.0', () => {
  const sent = { messageId: 'm', role: 'agent', parts: [{ data: [1] }], contextId: 'c' } as const
  expect(encodeSent('0.3', sent, undefined)).toMatchObject({
    parts: [{ kind: 'data', data: { value: [1] } }],
  })
  expect(encodeSent('1.0', sent, undefined)).toMatchObject({ message: { parts: [{ data: [1] }] } })
})
