import { clean } from '../../lib/text/clean.ts'
import type { EvmError } from './port.ts'

/**
 * What came of one request to one endpoint. `refused`: the call itself is wrong or reverts, which every endpoint would say.
 * `unable`: this endpoint cannot answer it, another one may. `failed`: the endpoint is of no use for `restMs`.
 */
export type RpcReply =
  | { kind: 'result'; result: unknown }
  | { kind: 'refused' | 'unable'; error: EvmError }
  | { kind: 'failed'; why: string; restMs: number }

/** Rests of an endpoint: after a fault, when it counts our requests, and when it does not know us. */
export const rests = { fault: 5_000, limit: 30_000, denied: 300_000 }

const executes = new Set(['eth_call', 'eth_estimateGas', 'eth_simulateV1'])
/** Ends of an execution that contracts bring about, in the words of several nodes. */
const ends =
  /revert|opcode|invalid ?(?:jump|code)|bad (?:jump|instruction)|out ?of ?gas|out of bounds|stack ?(?:under|over)flow|stack ?limit|vm (?:execution )?error|evm error|insufficient ?(?:funds|balance)|intrinsic gas|gas uint64|always failing|write protection|state modification|call depth|code size|execution (?:aborted|halted)/i
const limits =
  /rate.?limit|limit (?:reached|exceeded)|request limit|quota|capacity|too many|throttl|credits|compute units/i
const lacks =
  /not (?:found|available|supported|exist)|unsupported|unknown block|missing trie|pruned|does not exist/i

const unableCodes = new Set([-32601, -32602, -32004, -32001])
const limitCodes = new Set([-32005, -32007, -32029, -32090])

/** Nodes put the bytes of a revert into `data`, some a level deeper, one behind the words "Reverted ". */
const findRevertData = (data: unknown): string | null => {
  if (typeof data === 'string') return /0x(?:[0-9a-f]{2})*$/i.exec(data)?.[0] ?? null
  if (typeof data !== 'object' || data === null) return null
  const inner = data as { data?: unknown; result?: unknown }
  return findRevertData(inner.data ?? inner.result)
}

const replyOfError = (method: string, { code, message, data }: EvmError): RpcReply => {
  const error = { code, message, data }
  if (executes.has(method) && (code === 3 || code === -32015 || ends.test(message)))
    return { kind: 'refused', error }
  if (limitCodes.has(code) || limits.test(message))
    return { kind: 'failed', why: 'too many requests', restMs: rests.limit }
  if (unableCodes.has(code) || lacks.test(message)) return { kind: 'unable', error }
  return { kind: 'failed', why: `JSON-RPC error ${code}`, restMs: rests.fault }
}

const parseReplyJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const failedWith = (status: number, retryAfterMs: number | undefined): RpcReply => {
  if (status === 429) return { kind: 'failed', why: 'HTTP 429', restMs: retryAfterMs ?? rests.limit }
  const denied = status === 401 || status === 403
  return { kind: 'failed', why: `HTTP ${status}`, restMs: denied ? rests.denied : rests.fault }
}

/** Reads the answer to one request. Some nodes send JSON-RPC errors with an HTTP status of their own. */
export const readRpcReply = (
  method: string,
  { status, text, retryAfterMs }: { status: number; text: string; retryAfterMs: number | undefined },
): RpcReply => {
  if (status === 429 || status === 401 || status === 403) return failedWith(status, retryAfterMs)
  const body = parseReplyJson(text)
  if (typeof body === 'object' && body !== null) {
    const { error, result } = body as { error?: Partial<EvmError> | null; result?: unknown }
    if (error !== undefined && error !== null) {
      const code = typeof error.code === 'number' ? error.code : -32000
      const message = clean(error.message, 500) ?? ''
      return replyOfError(method, { code, message, data: findRevertData(error.data) })
    }
    if (status < 300 && result !== undefined) return { kind: 'result', result }
  }
  if (status !== 200) return failedWith(status, undefined)
  return { kind: 'failed', why: 'an answer that is no JSON-RPC', restMs: rests.fault }
}
