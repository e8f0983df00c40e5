import { asList, asRecord } from '../../../lib/json.ts'
import { clean } from '../../../lib/text/clean.ts'
import type { Fetch } from '../../../ports/index.ts'
import { computeDigest } from '../source/fetch-registry.ts'
import { readEnvelope } from './envelope.ts'
import type { ProbeResult } from './probe-a2a.ts'
import { type Attempt, type Sending, send } from './send.ts'

const version = '2025-11-25'

const rpc = (id: string | undefined, method: string, params: object = {}) => ({
  jsonrpc: '2.0',
  ...(id !== undefined && { id }),
  method,
  params,
})

const toRefusal = (attempts: Attempt[], { answer, failure }: Sending): ProbeResult => {
  const base = { attempts, detail: {} }
  if (answer?.status === 402) return { ...base, status: 'callable_with_payment', failure: null }
  if (answer?.status === 401 || answer?.status === 403)
    return { ...base, status: 'callable_with_auth', failure: null }
  const status = failure === 'unknown_delivery_state' ? 'ambiguous' : 'not_callable'
  return { ...base, status, failure: failure ?? 'protocol_failure' }
}

/** Initializes a session, lists the tools, and says how many there are and what their schemas digest to. */
export const probeMcp = async (
  fetch: Fetch,
  url: string,
  nonce: string,
  signal: AbortSignal,
): Promise<ProbeResult> => {
  const attempts: Attempt[] = []
  const post = async (step: string, body: object, headers: Record<string, string> = {}) => {
    const sending = await send(fetch, { step, url, body, headers }, signal)
    attempts.push(sending.attempt)
    return sending
  }
  const started = await post(
    'mcp initialize',
    rpc(nonce, 'initialize', {
      protocolVersion: version,
      capabilities: {},
      clientInfo: { name: 'octagent-gateway', version: '0.8.0' },
    }),
  )
  const hello = started.answer && readEnvelope(started.answer, nonce)
  if (!started.answer || started.failure || !hello || 'error' in hello) return toRefusal(attempts, started)
  const session = started.answer.headers['mcp-session-id']
  const { protocolVersion, serverInfo } = asRecord(hello.result)
  const headers = {
    'mcp-protocol-version': typeof protocolVersion === 'string' ? protocolVersion.slice(0, 40) : version,
    ...(session !== undefined && { 'mcp-session-id': session }),
  }
  await post('mcp initialized', rpc(undefined, 'notifications/initialized'), headers)
  const listId = `${nonce}-2`
  const listing = await post('mcp tools/list', rpc(listId, 'tools/list'), headers)
  const list = listing.answer && readEnvelope(listing.answer, listId)
  if (!list || 'error' in list) return toRefusal(attempts, listing)
  const tools = asList(asRecord(list.result).tools)
  const detail = {
    protocol_version: headers['mcp-protocol-version'],
    server: clean(asRecord(serverInfo).name, 80),
    tool_count: tools.length,
    tools: tools.slice(0, 50).flatMap(tool => clean(asRecord(tool).name, 64) ?? []),
    schema_digest: computeDigest(JSON.stringify(tools)),
  }
  return { status: 'callable', failure: null, attempts, detail }
}
