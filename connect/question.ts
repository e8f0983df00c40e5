import { randomBytes } from 'node:crypto'
import { asRecord, isRecord, type JsonRecord } from '../mcp/lib/json.ts'
import {
  claimedCapabilities,
  claimedVersion,
  type Line,
  paramsOf,
  type RequestId,
  type RpcMessage,
  type RpcRequest,
} from './message.ts'

/** How ids and states of ours begin. What follows is random: a server that guessed one could have its own question taken for ours. */
const ours = 'octagent-connect:'

const newToken = (): string => `${ours}${randomBytes(16).toString('hex')}`

/** True when a message of the server has an id that could be one of ours. */
export const looksLikeOurs = ({ id }: RpcMessage): boolean => typeof id === 'string' && id.startsWith(ours)

/** A question to a person: whether to pay an amount. */
export type Question = { call: string; micros: bigint; words: string }

type Pending = Question & { before: JsonRecord }

/** Asks the person at the client whether to pay over a limit, by a form without secrets, in the client's own era. */
export type Questions = {
  /** Notes what a client of the era of sessions says it can do. */
  initialized(message: RpcMessage): void
  canAsk(request: RpcRequest): boolean
  /** Stateless era: the result that has the client ask, and call again. */
  toResult(request: RpcRequest, question: Question): Line
  /** Stateless era: the call as it was before we asked, with the amount that was agreed to. */
  readAnswer(
    request: RpcRequest,
    call: (request: RpcRequest) => string,
  ): { request: RpcRequest; consented: bigint } | undefined
  /** Era of sessions: asks, and resolves to whether it was agreed to. */
  ask(question: Question, send: (line: Line) => unknown, signal: AbortSignal): Promise<boolean>
  /** Takes the answer to a question of ours; false for what is somebody else's. */
  take(message: RpcMessage & { id: RequestId }): boolean
}

const maxPending = 100

const form = ({ words }: Question) => ({
  message: words,
  requestedSchema: {
    type: 'object',
    properties: { pay: { type: 'boolean', title: 'Pay', description: 'Pay this once' } },
    required: ['pay'],
  },
})

/** Declared without modes, elicitation means forms. */
const hasForms = (elicitation: unknown): boolean =>
  isRecord(elicitation) && ('form' in elicitation || !('url' in elicitation))

const agrees = (result: unknown): boolean => {
  const { action, content } = asRecord(result)
  return action === 'accept' && asRecord(content).pay === true
}

/** `waitMs` is how long a client of the era of sessions has for an answer: one that shows nothing never sends one. */
export const openQuestions = (waitMs = 50_000): Questions => {
  const states = new Map<string, Pending>()
  const waiting = new Map<RequestId, (isAgreed: boolean) => void>()
  let isAskable = false
  return {
    initialized(message) {
      isAskable = hasForms(asRecord(paramsOf(message).capabilities).elicitation)
    },
    canAsk: request =>
      claimedVersion(request) === undefined ? isAskable : hasForms(claimedCapabilities(request).elicitation),
    toResult(request, question) {
      const state = newToken()
      const { inputResponses, requestState } = paramsOf(request)
      const before = {
        ...(inputResponses !== undefined && { inputResponses }),
        ...(requestState !== undefined && { requestState }),
      }
      states.set(state, { ...question, before })
      const [oldest] = states.keys()
      if (states.size > maxPending && oldest !== undefined) states.delete(oldest)
      const inputRequests = {
        pay: { method: 'elicitation/create', params: { mode: 'form', ...form(question) } },
      }
      const result = { resultType: 'input_required', inputRequests, requestState: state }
      return { message: { jsonrpc: '2.0', id: request.id, result } }
    },
    readAnswer(request, callOf) {
      const { requestState, inputResponses, ...params } = paramsOf(request)
      if (typeof requestState !== 'string' || !requestState.startsWith(ours)) return undefined
      const pending = states.get(requestState)
      states.delete(requestState)
      const plain: RpcRequest = { ...request, params: { ...params, ...pending?.before } }
      // The answer counts for the call that was asked about, and for no other.
      const isAgreed = pending?.call === callOf(plain) && agrees(asRecord(inputResponses).pay)
      return { request: plain, consented: isAgreed && pending ? pending.micros : 0n }
    },
    async ask(question, send, signal) {
      const id = newToken()
      const answer = new Promise<boolean>(resolve => waiting.set(id, resolve))
      await send({ message: { jsonrpc: '2.0', id, method: 'elicitation/create', params: form(question) } })
      let timer: NodeJS.Timeout | undefined
      const silence = new Promise<undefined>(resolve => {
        timer = setTimeout(() => resolve(undefined), waitMs)
        signal.addEventListener('abort', () => resolve(undefined), { once: true })
      })
      const isAgreed = await Promise.race([answer, silence])
      clearTimeout(timer)
      waiting.delete(id)
      if (isAgreed !== undefined) return isAgreed
      // It declared forms and shows none: every later question would cost the same time.
      if (!signal.aborted) isAskable = false
      const params = { requestId: id, reason: 'No answer came.' }
      await send({ message: { jsonrpc: '2.0', method: 'notifications/cancelled', params } })
      return false
    },
    take(message) {
      if (!looksLikeOurs(message)) return false
      waiting.get(message.id)?.(agrees(message.result))
      return true
    },
  }
}
