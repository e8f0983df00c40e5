import { asList, asRecord } from '../../../lib/json.ts'
import { clean } from '../../../lib/text/clean.ts'
import { findInjection } from '../../../lib/text/injection.ts'
import type { Clock } from '../../../ports/clock/port.ts'
import type { Fetch } from '../../../ports/fetch/port.ts'
import type { ToolList } from '../callability/history.ts'
import { computeDigest } from '../source/fetch-registry.ts'
import { readRpcAnswer } from './envelope.ts'
import { type ProbeResult, toPaymentResult } from './probe-a2a.ts'
import { type ProbeAttempt, type Sending, sendProbe } from './send.ts'

const version = '2025-11-25'

/** A JSON-RPC request; without an id, a notification. */
export const rpc = (id: string | undefined, method: string, params: object = {}) => ({
  jsonrpc: '2.0',
  ...(id !== undefined && { id }),
  method,
  params,
})

const toRefusal = (attempts: ProbeAttempt[], { answer, failure }: Sending, now: Date): ProbeResult => {
  const base = { attempts, detail: {} }
  if (answer?.status === 402) {
    const { payment, ...result } = toPaymentResult(answer, now)
    return { ...base, ...result, detail: payment ? { payment } : {} }
  }
  if (answer?.status === 401 || answer?.status === 403)
    return { ...base, status: 'callable_with_auth', failure: null }
  const status = failure === 'unknown_delivery_state' ? 'ambiguous' : 'not_callable'
  return { ...base, status, failure: failure ?? 'protocol_failure' }
}

const maxTools = 50
const maxPages = 5

const pricedWords =
  /\bx402\b|\b402\b|\bpay(?:s|ment|ments|-per-(?:call|use))?\b|\bpaid\b|\bpric(?:e|ed|ing)\b|\bcosts? \$?\d|\bcharge[ds]?\b|\$\d|\b\d+(?:\.\d+)? ?(?:usdc?|sats?|credits?)\b/i

/** Every text that a model reads of a tool: names, titles and descriptions, those of its fields too. */
const collectTexts = (value: unknown, depth = 0): string[] => {
  if (typeof value === 'string') return [value]
  if (depth > 8 || typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [name, ...collectTexts(inner, depth + 1)])
}

/** Reads a list of tools: what is shown of it is cleaned, what is searched is as it was sent. */
const toToolList = (tools: readonly unknown[]): ToolList => {
  const texts = tools.flatMap(tool => collectTexts(tool))
  const firstTools = tools.slice(0, maxTools).map(asRecord)
  return {
    digest: computeDigest(JSON.stringify(tools)),
    count: tools.length,
    names: firstTools.flatMap(({ name }) => clean(name, 64) ?? []),
    descriptions: firstTools.flatMap(({ description, title }) => clean(description ?? title, 80) ?? []),
    injection: texts.map(findInjection).find(found => found !== null) ?? null,
    priced: tools
      .map(asRecord)
      .some(({ name, title, description, annotations, _meta }) =>
        collectTexts([name, title, description, annotations, _meta]).some(text => pricedWords.test(text)),
      ),
  }
}

export type McpSession = {
  /** Of every request that follows. */
  headers: Record<string, string>
  hello: Readonly<Record<string, unknown>>
}

/** Posts one message of a session under the name of a step. */
type Post = (step: string, body: object, headers?: Record<string, string>) => Promise<Sending>

/** Initializes a session; the answer itself where there comes none of it. */
export const startMcp = async (post: Post, nonce: string): Promise<McpSession | { refused: Sending }> => {
  const started = await post(
    'mcp initialize',
    rpc(nonce, 'initialize', {
      protocolVersion: version,
      capabilities: {},
      clientInfo: { name: 'octagent-gateway', version: '0.8.0' },
    }),
  )
  const hello = started.answer && readRpcAnswer(started.answer, nonce)
  if (!started.answer || started.failure || !hello || 'error' in hello) return { refused: started }
  const session = started.answer.headers['mcp-session-id']
  const { protocolVersion } = asRecord(hello.result)
  const headers = {
    'mcp-protocol-version': typeof protocolVersion === 'string' ? protocolVersion.slice(0, 40) : version,
    ...(session !== undefined && { 'mcp-session-id': session }),
  }
  await post('mcp initialized', rpc(undefined, 'notifications/initialized'), headers)
  return { headers, hello: asRecord(hello.result) }
}

/** Initializes a session, lists the tools, and says how many there are and what their schemas digest to. */
export const probeMcp = async (
  fetch: Fetch,
  clock: Clock,
  url: string,
  nonce: string,
  signal: AbortSignal,
): Promise<ProbeResult> => {
  const attempts: ProbeAttempt[] = []
  const post: Post = async (step, body, headers = {}) => {
    const sending = await sendProbe(fetch, { step, url, body, headers }, signal)
    attempts.push(sending.attempt)
    return sending
  }
  const started = await startMcp(post, nonce)
  if ('refused' in started) return toRefusal(attempts, started.refused, clock.now())
  const { headers } = started
  const { serverInfo, instructions } = started.hello
  const tools: unknown[] = []
  let cursor: unknown
  for (let page = 0; page < maxPages; page++) {
    const listId = `${nonce}-${page + 2}`
    const params = typeof cursor === 'string' ? { cursor } : {}
    const listing = await post('mcp tools/list', rpc(listId, 'tools/list', params), headers)
    const list = listing.answer && readRpcAnswer(listing.answer, listId)
    if (!list || 'error' in list) return toRefusal(attempts, listing, clock.now())
    const { tools: listed, nextCursor } = asRecord(list.result)
    tools.push(...asList(listed))
    cursor = nextCursor
    if (typeof cursor !== 'string' || cursor === '') break
  }
  const toolList = toToolList(tools)
  const greeting = typeof instructions === 'string' ? findInjection(instructions) : null
  const list = { ...toolList, injection: toolList.injection ?? greeting }
  const detail = {
    protocol_version: headers['mcp-protocol-version'],
    server: clean(asRecord(serverInfo).name, 80),
    tool_count: list.count,
    tools: list.names,
    schema_digest: list.digest,
    injection: list.injection,
  }
  return { status: 'callable', failure: null, served: true, tools: list, attempts, detail }
}
