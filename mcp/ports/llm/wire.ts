import type { JsonRecord } from '../../lib/json.ts'
import type { LlmUsage } from './port.ts'

/** One request, in words that no API has. `jsonSchema` is what its structured answers may hold. */
export type WireRequest = {
  model: string
  system: string
  messages: readonly { role: 'user' | 'assistant'; text: string }[]
  jsonSchema: JsonRecord
  /** All properties of all objects are required, as strict modes want it. */
  isStrict: boolean
  maxTokens: number
  temperature: number
}

/** Options an API takes, as far as its refusals have told. */
export type Habits = {
  format: 'schema' | 'object' | 'text'
  tokens: 'max_tokens' | 'max_completion_tokens'
  temperature: boolean
}

/** `value` is what came as structure already, `text` what has to be read. */
export type WireReply = {
  text: string
  value?: unknown
  end: 'done' | 'length' | 'refused'
  model: string | undefined
  usage: LlmUsage
}

/** The wire format of one API. */
export type Wire = {
  address(base: string): string
  headers(key: string | undefined): Record<string, string>
  body(request: WireRequest, habits: Habits): JsonRecord
  /** Undefined for an answer that is not of this format. */
  read(answer: JsonRecord): WireReply | undefined
}

const nextFormats = { schema: 'object', object: 'text', text: undefined } as const

/** Learns what a refusal in these words rules out; undefined when it is about something else. */
export const learnHabits = (habits: Habits, refusal: string): Habits | undefined => {
  if (habits.tokens === 'max_tokens' && /max_completion_tokens/.test(refusal))
    return { ...habits, tokens: 'max_completion_tokens' }
  if (habits.temperature && /temperature/i.test(refusal)) return { ...habits, temperature: false }
  const format = nextFormats[habits.format]
  if (format && /response_format|json|schema|grammar|structured|tool/i.test(refusal))
    return { ...habits, format }
  return undefined
}

/** A count of tokens; 0 for anything else. */
export const readTokenCount = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0
