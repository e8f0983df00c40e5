import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type ModelApi = 'openai' | 'anthropic'

/** A request as the API got it. */
export type ModelRequest = {
  path: string
  headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields of a request that they expect
  body: any
}

/** What the model says: an object as its structured answer, or text; or what the server does instead. */
export type ModelTurn =
  | { value: unknown; end?: string }
  | { text: string; end?: string }
  | { refusal: string }
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | { html: string; status?: number }
  | { raw: (response: ServerResponse) => void }

const openaiAnswer = (turn: ModelTurn, model: string) => {
  const content = 'value' in turn ? JSON.stringify(turn.value) : 'text' in turn ? turn.text : null
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_790_000_000,
    model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content, refusal: 'refusal' in turn ? turn.refusal : null },
        logprobs: null,
        finish_reason: ('end' in turn && turn.end) || 'stop',
      },
    ],
    usage: { prompt_tokens: 120, completion_tokens: 30, total_tokens: 150 },
    system_fingerprint: null,
  }
}

const anthropicAnswer = (turn: ModelTurn, model: string) => {
  const content =
    'value' in turn
      ? [{ type: 'tool_use', id: 'toolu_01', name: 'answer', input: turn.value }]
      : [{ type: 'text', text: 'text' in turn ? turn.text : 'I cannot help with that.' }]
  const usual = 'value' in turn ? 'tool_use' : 'end_turn'
  return {
    id: 'msg_01',
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: 'refusal' in turn ? 'refusal' : ('end' in turn && turn.end) || usual,
    stop_sequence: null,
    usage: {
      input_tokens: 120,
      output_tokens: 30,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
  }
}

/** The refusal of an API in its own form. */
const failureBody = (api: ModelApi, status: number) =>
  api === 'openai'
    ? { error: { message: `failure ${status}`, type: 'server_error', param: null, code: null } }
    : { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' }, request_id: 'req_1' }

/**
 * A model on this machine that speaks the wire format of one API and says what a test tells it, one turn after the other; the last
 * one again and again. `respond` decides by the request instead.
 */
export const startModel = async (api: ModelApi = 'openai') => {
  const model = {
    turns: [{ value: {} }] as ModelTurn[],
    respond: undefined as ((request: ModelRequest) => ModelTurn) | undefined,
    requests: [] as ModelRequest[],
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    const received = { path: `${request.method} ${request.url}`, headers: request.headers, body }
    model.requests.push(received)
    const turn = model.respond?.(received) ??
      (model.turns.length > 1 ? model.turns.shift() : model.turns[0]) ?? { status: 500 }
    if ('raw' in turn) return turn.raw(response)
    if ('html' in turn) {
      response.writeHead(turn.status ?? 200, { 'content-type': 'text/html' })
      return response.end(turn.html)
    }
    response.setHeader('content-type', 'application/json')
    if ('status' in turn) {
      response.writeHead(turn.status, turn.headers)
      return response.end(JSON.stringify(turn.body ?? failureBody(api, turn.status)))
    }
    const answer = (api === 'openai' ? openaiAnswer : anthropicAnswer)(turn, `${body.model}-2026-10-01`)
    response.end(JSON.stringify(answer))
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    get turns() {
      return model.turns
    },
    set turns(turns: ModelTurn[]) {
      model.turns = turns
    },
    /** Decides by the request instead of `turns`. */
    set respond(respond: (request: ModelRequest) => ModelTurn) {
      model.respond = respond
    },
    requests: model.requests,
    url: api === 'openai' ? `${origin}/v1` : origin,
    async stop() {
      server.closeAllConnections()
      await new Promise(closed => server.close(closed))
    },
  }
}

export type TestModel = Awaited<ReturnType<typeof startModel>>
