import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { isRecord, parseRecord } from '../../lib/json.ts'
import { inSpan, type Span } from '../../lib/trace/span.ts'
import { withDeadline } from '../fetch/deadline.ts'
import { readRetryAfter } from '../fetch/pause.ts'
import type { Fetch, Fetched } from '../fetch/port.ts'
import type { Lane } from '../scheduler/lane.ts'
import type { Turn } from '../scheduler/port.ts'
import { openResourceLane } from '../scheduler/scheduler.ts'
import { estimateBytes } from '../size.ts'
import { anthropic } from './anthropic.ts'
import { modelFailure, statusFailure, toCause } from './failure.ts'
import { openai } from './openai.ts'
import type { Llm, LlmQuestion, LlmUsage } from './port.ts'
import { repairRequest, schemaInWords, toPrompt } from './prompt.ts'
import { readModelAnswer } from './read-answer.ts'
import { toWireSchema } from './schema.ts'
import { type Habits, learnHabits, type Wire, type WireReply, type WireRequest } from './wire.ts'

export type LlmSettings = {
  fetch: Fetch
  /** Base address of the API. */
  url: string
  model: string
  key?: string | undefined
  api?: 'auto' | 'openai' | 'anthropic'
  /** Milliseconds of a question, with all that is repeated. Default 60,000. */
  deadlineMs?: number
  /** Milliseconds before the first repetition where the API names none; twice as many before the second. Default 500. */
  pauseMs?: number
  /** Says whose turn it is. Default: a lane for `maxQuestions`. */
  lane?: Lane
}

/** Questions to the model that may be under way at once. */
export const maxQuestions = 8

/** Input of a question that counts as light. */
const lightBytes = 32 * 1024

const wires = { openai, anthropic } as const

/** Repetitions of one request that the API was too busy for. */
const maxRetries = 2
const maxPauseMs = 15_000
const maxBytes = 1 << 20
/** Length of an unfit answer that is shown to the model again. */
const maxShown = 20_000

/** The wire format that an address stands for. */
export const chooseApi = (url: string, api: NonNullable<LlmSettings['api']>): 'openai' | 'anthropic' => {
  if (api !== 'auto') return api
  const { hostname, pathname } = new URL(url)
  return /(?:^|\.)anthropic\.com$/.test(hostname) || pathname.endsWith('/v1/messages')
    ? 'anthropic'
    : 'openai'
}

const addUsage = (sum: LlmUsage, { inputTokens, outputTokens }: LlmUsage): LlmUsage => ({
  inputTokens: sum.inputTokens + inputTokens,
  outputTokens: sum.outputTokens + outputTokens,
})

/** Some servers report failures with status 200. */
const statusWithin = (answer: Readonly<Record<string, unknown>>): number | undefined => {
  if (!isRecord(answer.error)) return undefined
  const code = Number(answer.error.code)
  return Number.isInteger(code) && code >= 400 && code < 600 ? code : 502
}

/** An account without credit is answered with 429 by some, and waiting does not fill it. */
const toStatus = (status: number, text: string): number =>
  status === 429 && /insufficient_quota|billing_hard_limit/.test(text) ? 402 : status

/** Seconds that the API asks to be left alone for. */
const findRetryAfter = ({ headers }: Fetched): number | undefined => {
  const ms = readRetryAfter(headers['retry-after'] ?? '', Date.now())
  return ms > 0 ? Math.ceil(ms / 1000) : undefined
}

type Outcome = { reply: WireReply } | { status: number; text: string; retryAfter: number | undefined }

const readOutcome = (wire: Wire, fetched: Fetched): Outcome => {
  const { text } = fetched.text()
  const answer = parseRecord(text)
  const ok = fetched.status >= 200 && fetched.status < 300
  const status = ok ? statusWithin(answer ?? {}) : fetched.status
  if (status !== undefined)
    return { status: toStatus(status, text), text, retryAfter: findRetryAfter(fetched) }
  if (fetched.truncated)
    throw modelFailure('model_unreadable', 'The answer of the model is too long, or broke off.', {
      retryable: true,
    })
  const reply = answer && wire.read(answer)
  if (reply) return { reply }
  throw modelFailure('model_unreadable', 'What the API of the model answers is in no format that is known.', {
    retryable: true,
  })
}

/** The operator's own address is refused: nothing that a caller could mend. */
const toOperatorFault = (error: unknown): unknown =>
  error instanceof ToolError && error.code === 'invalid_input'
    ? new ToolError('unavailable', 'The address of the model cannot be asked.', { cause: error })
    : error

/** A failure that passes, and the milliseconds to wait; undefined where repeating is of no use. */
const pauseBeforeRetry = (failure: unknown, usualMs: number): number | undefined => {
  if (!(failure instanceof ToolError) || failure.code !== 'upstream' || failure.extra.retryable === false)
    return undefined
  const { retryAfter } = failure.extra
  if (retryAfter === undefined) return usualMs
  // The fetch port counts the same pause: a moment more, or it refuses the repetition.
  return retryAfter * 1000 <= maxPauseMs ? retryAfter * 1000 + 50 : undefined
}

type Asking = { signal: AbortSignal; span: Span | undefined }

/** Opens a language model over HTTP. It keeps nothing of what is said but counts. */
export const openLlm = ({
  fetch,
  url,
  model,
  key,
  api: wanted = 'auto',
  deadlineMs = 60_000,
  pauseMs = 500,
  lane = openResourceLane('llm', maxQuestions),
}: LlmSettings): Llm => {
  const api = chooseApi(url, wanted)
  const wire = wires[api]
  const address = wire.address(url)
  const headers = { 'content-type': 'application/json', ...wire.headers(key) }
  const total = { questions: 0, failures: 0, inputTokens: 0, outputTokens: 0 }
  let habits: Habits = { format: 'schema', tokens: 'max_tokens', temperature: true }

  const post = async (request: WireRequest, used: Habits, { signal, span }: Asking): Promise<Outcome> => {
    const system =
      used.format === 'schema' ? request.system : `${request.system}\n\n${schemaInWords(request.jsonSchema)}`
    // The house asks, and the request belongs to the trace of the call.
    const own = span && fetch.forCall ? fetch.forCall({ asker: { client: '', paid: false, span } }) : fetch
    const fetched = await own(address, {
      method: 'POST',
      headers,
      body: JSON.stringify(wire.body({ ...request, system }, used)),
      accept: 'application/json',
      maxBytes,
      maxRedirects: 0,
      deadlineMs,
      fresh: true,
      namedBy: 'operator',
      signal,
    }).catch((error: unknown) => {
      throw toOperatorFault(error)
    })
    return readOutcome(wire, fetched)
  }

  /** One reply: without what the API turns out not to take, and again where it is busy. */
  const send = async (request: WireRequest, asking: Asking): Promise<WireReply> => {
    const { signal } = asking
    for (let retries = 0; ; ) {
      const used = habits
      try {
        const outcome = await post(request, used, asking)
        if ('reply' in outcome) return outcome.reply
        const { status, text, retryAfter } = outcome
        const learnt = status === 400 || status === 422 ? learnHabits(used, text) : undefined
        if (!learnt) throw statusFailure(status, toCause(status, text, key), retryAfter)
        habits = learnt
      } catch (failure) {
        signal.throwIfAborted()
        const ms = retries < maxRetries ? pauseBeforeRetry(failure, pauseMs * 2 ** retries) : undefined
        if (ms === undefined) throw failure
        retries++
        await sleep(ms, undefined, { signal }).catch(() => undefined)
        signal.throwIfAborted()
      }
    }
  }

  const answer = async <shape extends z.ZodType>(
    { system, messages, schema, maxTokens = 2000, temperature = 0 }: LlmQuestion<shape>,
    asking: Asking,
  ) => {
    const prompt = toPrompt(system, messages)
    const request = { model, ...toWireSchema(schema), ...prompt, maxTokens, temperature }
    let usage: LlmUsage = { inputTokens: 0, outputTokens: 0 }
    let problem = ''
    let isCutOff = false
    for (const round of [1, 2]) {
      const reply = await send(request, asking)
      usage = addUsage(usage, reply.usage)
      asking.span?.set({
        'gen_ai.response.model': reply.model,
        'gen_ai.usage.input_tokens': usage.inputTokens,
        'gen_ai.usage.output_tokens': usage.outputTokens,
      })
      Object.assign(total, addUsage(total, reply.usage))
      if (reply.end === 'refused') throw modelFailure('model_refused', 'The model declines to answer this.')
      const reading = readModelAnswer(schema, reply)
      if (reading.problem === undefined)
        return { value: reading.value, model: reply.model ?? model, usage, repaired: round > 1 }
      problem = reading.problem
      isCutOff = reply.end === 'length'
      const replyText = reply.value === undefined ? reply.text : JSON.stringify(reply.value)
      request.messages = [
        ...prompt.messages,
        { role: 'assistant', text: replyText.trim().slice(0, maxShown) || '(nothing)' },
        { role: 'user', text: repairRequest(problem) },
      ]
    }
    const cause = new Error(problem.slice(0, 300))
    throw isCutOff
      ? modelFailure('model_cut_off', 'The answer of the model was cut off, twice.', { cause })
      : modelFailure('model_bad_answer', 'The model gives no answer in the form that is needed, twice.', {
          retryable: true,
          cause,
        })
  }

  const forCall = ({ asker, signal: called }: Partial<Turn>): Llm => ({
    model,
    api,
    async ask(question) {
      const late = () =>
        modelFailure('model_slow', `The model did not answer within ${deadlineMs / 1000} seconds.`, {
          retryable: true,
        })
      const bytes = estimateBytes([question.system, question.messages], 1 << 22)
      const weight = bytes <= lightBytes ? 'light' : 'heavy'
      const stop = question.signal ?? called
      const place = await lane.enter({ asker, weight, bytes, signal: stop })
      total.questions++
      try {
        const facts = {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': api,
          'gen_ai.request.model': model,
          'server.address': new URL(url).hostname,
        }
        return await inSpan(asker?.span, [`chat ${model}`, 'client', facts], span =>
          withDeadline({ ms: deadlineMs, signal: stop, late }, signal => answer(question, { signal, span })),
        )
      } catch (error) {
        total.failures++
        throw error
      } finally {
        place.leave()
      }
    },
    forCall,
    usage: () => ({ ...total }),
  })
  return forCall({})
}
