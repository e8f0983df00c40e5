import type { z } from 'zod'
import { isRecord, parseJson } from '../../lib/json.ts'
import { repair } from '../../lib/json-repair/repair.ts'
import type { WireReply } from './wire.ts'

/** An answer that fits, or what is wrong with it, in words for the model. */
export type Reading<value> = { value: value; problem?: never } | { value?: never; problem: string }

const maxIssues = 10

/** Models that think aloud do so before they answer. */
const withoutThoughts = (text: string): string =>
  text.replace(/^\s*<think(?:ing)?>[\s\S]*?(?:<\/think(?:ing)?>|$)/i, '').trim()

/** The object in a text, also in a fence, between words or with the small mistakes that models make. */
const findObject = (text: string, isWhole: boolean): unknown => {
  const answer = withoutThoughts(text)
  const strict = parseJson(answer)
  if (isRecord(strict) || !isWhole) return strict
  const { result } = repair(answer)
  return isRecord(result) ? result : undefined
}

/** Reads a reply by a schema. What was cut off is never completed by guessing. */
export const readModelAnswer = <shape extends z.ZodType>(
  schema: shape,
  { value, text, end }: WireReply,
): Reading<z.output<shape>> => {
  const isWhole = end === 'done'
  const object = isRecord(value) ? value : findObject(text, isWhole)
  if (!isRecord(object))
    return { problem: isWhole ? 'It holds no JSON object.' : 'It was cut off: it must be shorter.' }
  const { success, data, error } = schema.safeParse(object)
  if (success) return { value: data }
  const issues = error.issues
    .slice(0, maxIssues)
    .map(({ path, message }) => `${path.length > 0 ? path.join('.') : 'the object'}: ${message}`)
  return { problem: issues.join('\n') }
}
