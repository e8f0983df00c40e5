/**
 * The requirements of A2A 1.0 at the level MUST for an agent over JSON-RPC without streams and notifications, under the ids that the
 * Technology Compatibility Kit (a2aproject/a2a-tck) gives them, each as a call of a scripted agent: the kit's scenarios, chosen by the
 * prefix of the id of a message.
 */
import { isDeepStrictEqual } from 'node:util'

let count = 0
const unique = name => `tck-${name}-${process.pid}-${++count}`
const message = (name, more = {}) => ({
  role: 'ROLE_USER',
  parts: [{ text: 'Hello from TCK' }],
  messageId: unique(name),
  ...more,
})

const post = async (url, body, headers = {}) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { ...(await response.json()), http: response }
}

const must = (condition, what, got) => {
  if (!condition)
    throw new Error(`${what}${got === undefined ? '' : `: ${JSON.stringify(got)?.slice(0, 300)}`}`)
}

const terminal = ['COMPLETED', 'FAILED', 'CANCELED', 'REJECTED'].map(state => `TASK_STATE_${state}`)

/** What each check is given: the card, and calls of its first JSON-RPC interface. */
const open = async host => {
  const cardResponse = await fetch(`${host}/.well-known/agent-card.json`)
  const card = await cardResponse.json()
  const { url } = card.supportedInterfaces.find(({ protocolBinding }) => protocolBinding === 'JSONRPC')
  const call = (method, params, id = 1) => post(url, { jsonrpc: '2.0', id, method, params })
  const send = (name, more, configuration) =>
    call('SendMessage', { message: message(name, more), ...(configuration && { configuration }) })
  const task = async (name, more, configuration) => {
    const answer = await send(name, more, configuration)
    must(answer.result?.task, 'a task was expected', answer)
    return answer.result.task
  }
  const fails = async (code, method, params) => {
    const { error } = await call(method, params)
    must(error?.code === code && error.message.length > 0, `error ${code} was expected`, error)
  }
  return { card, cardResponse, url, call, send, task, fails }
}

const artifactPart = async (agent, name) => {
  const { status, artifacts } = await agent.task(name)
  must(status.state === 'TASK_STATE_COMPLETED', 'the task is completed', status)
  must(artifacts?.length === 1 && artifacts[0].artifactId, 'one artifact with an id', artifacts)
  return artifacts[0].parts[0]
}

const isIso = text => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)

const requirements = {
  'CARD-DISC-001': ({ cardResponse }) => must(cardResponse.status === 200, 'the card is served'),
  'CARD-STRUCT-001': ({ card }) => {
    for (const field of ['name', 'description', 'version', 'supportedInterfaces', 'capabilities', 'skills'])
      must(card[field] !== undefined, field)
    for (const modes of [card.defaultInputModes, card.defaultOutputModes]) must(modes.length > 0, 'modes')
    for (const field of ['id', 'name', 'description', 'tags'])
      must(
        card.skills.every(skill => skill[field] !== undefined),
        `skills.${field}`,
      )
  },
  'CARD-PROTO-001': ({ card }) =>
    must(
      card.supportedInterfaces.every(
        ({ url, protocolBinding, protocolVersion }) => url && protocolBinding && protocolVersion,
      ),
      'interfaces',
    ),
  'CARD-PROTO-002': ({ card }) =>
    must(card.supportedInterfaces[0].protocolVersion === '1.0', 'version 1.0 first'),
  'CARD-CACHE-001': ({ cardResponse: { headers } }) =>
    must(headers.get('cache-control') && headers.get('etag'), 'Cache-Control and ETag'),
  'CORE-SEND-001': async ({ send }) => {
    const { result } = await send('complete-task')
    must(result?.task ?? result?.message, 'a task or a message', result)
  },
  'CORE-SEND-002': async ({ task, fails }) => {
    const { id } = await task('complete-task')
    await fails(-32004, 'SendMessage', { message: message('complete-task', { taskId: id }) })
  },
  'CORE-SEND-003': ({ fails }) =>
    fails(-32005, 'SendMessage', {
      message: message('send-003', {
        parts: [{ raw: 'dGNr', mediaType: 'application/x-unsupported-tck-type' }],
      }),
    }),
  'CORE-GET-001': async ({ task, call }) => {
    const made = await task('complete-task')
    const { result } = await call('GetTask', { id: made.id })
    must(result?.id === made.id && result.status.state === 'TASK_STATE_COMPLETED', 'the task', result)
  },
  'CORE-GET-002': ({ fails }) => fails(-32001, 'GetTask', { id: unique('nonexistent') }),
  'CORE-LIST-001': async ({ call }) => {
    const { result } = await call('ListTasks', { contextId: unique('context') })
    must(isDeepStrictEqual(result?.tasks, []), 'nothing of others', result)
  },
  'CORE-LIST-002': async ({ task, call }) => {
    const { contextId } = await task('complete-task')
    await task('complete-task', { contextId })
    await task('complete-task', { contextId })
    const first = (await call('ListTasks', { contextId, pageSize: 2 })).result
    must(
      first.tasks.length === 2 && first.nextPageToken !== '' && first.totalSize === 3,
      'a page of two',
      first,
    )
    const second = (await call('ListTasks', { contextId, pageSize: 2, pageToken: first.nextPageToken }))
      .result
    must(second.tasks.length === 1 && second.nextPageToken === '', 'the last page', second)
  },
  'CORE-LIST-003': async ({ task, call }) => {
    const { contextId } = await task('complete-task')
    await task('complete-task', { contextId })
    const times = (await call('ListTasks', { contextId })).result.tasks.map(({ status }) => status.timestamp)
    must(times.length === 2 && times[0] >= times[1], 'newest first', times)
  },
  'CORE-LIST-004': async ({ call }) => {
    const { result } = await call('ListTasks', { contextId: unique('context'), pageSize: 100 })
    must(result.nextPageToken === '', 'an empty nextPageToken', result)
  },
  'CORE-LIST-005': async ({ task, call }) => {
    const { contextId } = await task('artifact-text')
    const [without] = (await call('ListTasks', { contextId, includeArtifacts: false })).result.tasks
    const [withThem] = (await call('ListTasks', { contextId, includeArtifacts: true })).result.tasks
    must(without && !('artifacts' in without) && withThem.artifacts.length === 1, 'artifacts on request only')
  },
  'CORE-CANCEL-001': async ({ task, call }) => {
    const { id } = await task('input-required')
    const { result } = await call('CancelTask', { id })
    must(result?.id === id && result.status.state === 'TASK_STATE_CANCELED', 'a canceled task', result)
  },
  'CORE-CANCEL-002': async ({ task, fails }) =>
    fails(-32002, 'CancelTask', { id: (await task('complete-task')).id }),
  'CORE-CANCEL-003': ({ fails }) => fails(-32001, 'CancelTask', { id: unique('nonexistent') }),
  'CORE-EXECUTION-MODE-001': async ({ task }) => {
    const { status } = await task('delayed-complete', {}, { returnImmediately: false })
    must(terminal.includes(status.state), 'waits for the end', status)
  },
  'CORE-EXECUTION-MODE-002': async ({ task }) => {
    const { status } = await task('delayed-complete', {}, { returnImmediately: true })
    must(!terminal.includes(status.state), 'answers at once', status)
  },
  'CORE-ERR-001': async ({ call }) => {
    const { error } = await call('SendMessage', { message: { role: 'ROLE_USER', parts: [], messageId: 'x' } })
    must(error.message.includes('parts') && error.data.length > 0, 'what is wrong, and details', error)
  },
  'CORE-ERR-002': ({ fails }) =>
    fails(-32602, 'SendMessage', { message: { role: 'ROLE_USER', parts: 7, messageId: 'x' } }),
  'CORE-CAP-001': ({ fails }) =>
    fails(-32003, 'CreateTaskPushNotificationConfig', { taskId: 'x', url: 'https://example.com' }),
  'CORE-CAP-002': ({ fails }) => fails(-32004, 'SendStreamingMessage', { message: message('stream-001') }),
  'CORE-CAP-003': ({ fails }) => fails(-32004, 'GetExtendedAgentCard', {}),
  'CORE-MULTI-001a': async ({ task }) => must((await task('complete-task')).contextId, 'a contextId'),
  'CORE-MULTI-002a': async ({ task }) => {
    const contextId = unique('client-context')
    must((await task('complete-task', { contextId })).contextId === contextId, 'the contextId of the client')
  },
  'CORE-MULTI-003': async ({ task }) => {
    const [one, other] = [await task('complete-task'), await task('complete-task')]
    must(one.id && one.id !== other.id, 'ids that differ')
  },
  'CORE-MULTI-004': ({ fails }) =>
    fails(-32001, 'SendMessage', { message: message('multi-004', { taskId: unique('nonexistent') }) }),
  'CORE-MULTI-005': async ({ task }) => {
    const { id, contextId } = await task('input-required')
    const next = await task('infer-ctx', { taskId: id })
    must(next.id === id && next.contextId === contextId, 'the context of the task', next)
  },
  'CORE-MULTI-006': async ({ task, fails }) => {
    const { id } = await task('input-required')
    await fails(-32602, 'SendMessage', {
      message: message('mismatch', { taskId: id, contextId: unique('wrong') }),
    })
  },
  'CORE-HIST-002': async ({ task, call }) => {
    const { id } = await task('input-required')
    await task('input-required', { taskId: id })
    const { result } = await call('GetTask', { id, historyLength: 1 })
    must(result.history.length === 1, 'one message', result)
  },
  'CORE-HIST-003': async ({ task }) =>
    must(!(await task('complete-task', {}, { historyLength: 0 })).history?.length, 'no history'),
  'DM-TASK-001': async ({ task }) => {
    const { id, status } = await task('complete-task')
    must(id && terminal.includes(status.state) && isIso(status.timestamp), 'id, state and time', status)
  },
  'DM-STATUS-001': async ({ task }) => {
    must((await task('input-required')).status.state === 'TASK_STATE_INPUT_REQUIRED', 'input required')
    must((await task('reject-task')).status.state === 'TASK_STATE_REJECTED', 'rejected')
  },
  'DM-MSG-001': async ({ send }) => {
    const { result } = await send('message-response')
    must(result.message?.role === 'ROLE_AGENT' && result.message.messageId, 'a message of the agent', result)
    must(result.message.parts[0].text === 'Direct message response', 'its text', result)
  },
  'DM-PART-001': async ({ call }) => {
    const { error } = await call('SendMessage', { message: message('complete-task', { parts: [{}] }) })
    must(error?.code === -32602, 'a part has content', error)
  },
  'DM-ART-001 text': async agent => {
    const part = await artifactPart(agent, 'artifact-text')
    must(part.text === 'Generated text content', 'its text', part)
  },
  'DM-ART-001 file': async agent => {
    const part = await artifactPart(agent, 'artifact-file')
    must(part.raw && part.filename === 'output.txt' && part.mediaType === 'text/plain', 'its bytes', part)
  },
  'DM-ART-001 file url': async agent => {
    const part = await artifactPart(agent, 'artifact-file-url')
    must(part.url === 'https://example.com/output.txt' && part.filename === 'output.txt', 'its address', part)
  },
  'DM-ART-001 data': async agent => {
    const part = await artifactPart(agent, 'artifact-data')
    must(isDeepStrictEqual(part.data, { key: 'value', count: 42 }), 'its data', part)
  },
  'DM-SERIAL-001': async ({ send }) => {
    const text = JSON.stringify(await send('complete-task'))
    must(!/"[a-z]+_[a-z_]+":/.test(text), 'camelCase members', text)
  },
  'JSONRPC-FMT-001': async ({ url }) => {
    const { jsonrpc, id, http } = await post(url, {
      jsonrpc: '2.0',
      id: 'seven',
      method: 'GetTask',
      params: { id: 'x' },
    })
    must(jsonrpc === '2.0' && id === 'seven' && /json/.test(http.headers.get('content-type')), 'an envelope')
  },
  'JSONRPC-ERR-001': async ({ url }) =>
    must((await post(url, '{"jsonrpc"')).error.code === -32700, 'parse error'),
  'JSONRPC-ERR-002': async ({ url }) =>
    must(
      (await post(url, { jsonrpc: '1.0', id: 1, method: 'GetTask' })).error.code === -32600,
      'invalid request',
    ),
  'JSONRPC-ERR-003': ({ fails }) => fails(-32601, 'NoSuchMethod', {}),
  'VER-SERVER-001': async ({ url }) => {
    const { result } = await post(
      url,
      { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: message('complete-task') } },
      { 'a2a-version': '1.0' },
    )
    must(result?.task, 'version 1.0 is served', result)
  },
  'VER-SERVER-002': async ({ url }) => {
    const { error } = await post(
      url,
      { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'x' } },
      { 'a2a-version': '9.9' },
    )
    must(error?.code === -32009, 'version 9.9 is refused', error)
  },
}

/** Checks the agent whose card is at `host`; one row for each requirement, with why it is not met. */
export const checkRequirements = async host => {
  const agent = await open(host)
  const rows = []
  for (const [id, check] of Object.entries(requirements)) {
    const failure = await Promise.resolve(agent)
      .then(check)
      .then(
        () => undefined,
        cause => String(cause),
      )
    rows.push({ id, failure })
  }
  return rows
}
