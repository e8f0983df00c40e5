import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import { asRecord, type JsonRecord, parseJson } from '../../../lib/json.ts'
import { findExcess } from '../../../lib/json-bounds.ts'
import { checkAgainstSchema, findSchemaFault } from '../../../lib/json-schema.ts'
import { computeDigest } from '../source/fetch-registry.ts'
import type { Output, ProviderReply } from './provider.ts'
import type { OnchainSettlement } from './settlement.ts'

/** Requirements of the result, stated before it is bought. */
export const Expectation = z.object({
  schema: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('JSON Schema (2020-12, without patterns, references and conditions) of the result'),
  content_type: z.string().min(1).max(100).optional().describe('Media type, such as application/json'),
  sha256: z
    .string()
    .regex(/^(?:sha256:)?[0-9a-f]{64}$/i, 'must be 64 hex digits')
    .optional()
    .describe('Hash of its bytes'),
  required_fields: z
    .array(z.string().min(1).max(200))
    .max(50)
    .optional()
    .describe('Dotted paths that must be there and not null, such as items.0.id'),
})

export type Expectation = z.output<typeof Expectation>

export const ResultCheck = z.object({
  name: z.string().describe('answered, settlement, content_type, sha256, schema or required_fields'),
  status: z.enum(['pass', 'fail', 'unknown']).describe('What came of it'),
  detail: z.string().describe('What was found'),
})

export type ResultCheck = z.output<typeof ResultCheck>

export type ExecutionOutcome = 'verified' | 'failed' | 'unverifiable'

/** Throws `invalid_input` for an expectation that cannot be checked, before anything is bought. */
export const requireCheckable = ({ schema }: Expectation): void => {
  const tooLong = schema !== undefined && JSON.stringify(schema).length > 32_000
  const fault = tooLong ? 'has more than 32,000 characters' : schema && findSchemaFault(schema)
  if (fault === undefined) return
  throw new ToolError('invalid_input', `expect.schema: ${fault}. Nothing was sent.`, {
    issues: [{ path: 'expect.schema', message: fault }],
  })
}

const bounds = { values: 200_000, depth: 100 }

const readValue = ({ bytes }: Output): unknown =>
  findExcess(bytes, bounds) === undefined ? parseJson(bytes.toString('utf8')) : undefined

const hasField = (value: unknown, path: string): boolean => {
  let inner = value
  for (const name of path.split('.')) {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, name)) return false
    inner = Array.isArray(inner) ? inner[Number(name)] : asRecord(inner)[name]
  }
  return inner !== null && inner !== undefined
}

const toCheck = (name: string, passes: boolean, good: string, bad: string): ResultCheck => ({
  name,
  status: passes ? 'pass' : 'fail',
  detail: passes ? good : bad,
})

/** `value` is undefined for what is no JSON. */
const checkSchema = (schema: JsonRecord, value: unknown): ResultCheck => {
  const checked =
    value === undefined ? { mismatch: 'the result is no JSON' } : checkAgainstSchema(schema, value)
  if (!checked)
    return { name: 'schema', status: 'unknown', detail: 'Schema and result are too large to be compared.' }
  const { mismatch } = checked
  return toCheck('schema', mismatch === null, 'It matches the schema.', `It does not match: ${mismatch}.`)
}

const checkOutput = (output: Output, expect: Expectation): ResultCheck[] => {
  const { schema, content_type, sha256, required_fields } = expect
  const mediaType = output.contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  const value = schema || required_fields ? readValue(output) : undefined
  const missing = required_fields?.find(path => !hasField(value, path))
  const hash = computeDigest(output.bytes)
  const expected = sha256?.toLowerCase().replace(/^(?:sha256:)?/, 'sha256:')
  return [
    ...(content_type === undefined
      ? []
      : [
          toCheck(
            'content_type',
            mediaType === content_type.toLowerCase(),
            'It is of the media type that was asked for.',
            `It is ${mediaType.slice(0, 80) || 'of no media type'}.`,
          ),
        ]),
    ...(expected === undefined
      ? []
      : [
          toCheck('sha256', hash === expected, 'It has the hash that was asked for.', `Its hash is ${hash}.`),
        ]),
    ...(schema ? [checkSchema(schema, value)] : []),
    ...(required_fields
      ? [toCheck('required_fields', missing === undefined, 'All are there.', `${missing} is missing.`)]
      : []),
  ]
}

const failedReply = (failure: string): ResultCheck => ({
  name: 'answered',
  status: /unknown_delivery|async_result|too_large/.test(failure) ? 'unknown' : 'fail',
  detail: `It gave no result: ${failure}.`,
})

export const checkSettlement = (
  { state, transaction_hash }: OnchainSettlement,
  claimed: string | null,
): ResultCheck => {
  if (state === 'settled')
    return { name: 'settlement', status: 'pass', detail: `The payment is on the chain: ${transaction_hash}.` }
  if (state === 'elsewhere')
    return {
      name: 'settlement',
      status: 'fail',
      detail: 'The authorization was cancelled, or used otherwise.',
    }
  if (claimed !== null && (state === 'unused' || state === 'expired'))
    return {
      name: 'settlement',
      status: 'fail',
      detail: 'The provider says that it was paid; the chain knows of no such payment.',
    }
  const words = {
    unused: 'It is not taken yet.',
    expired: 'It was never taken.',
    unknown: 'The chain cannot tell.',
  }
  return { name: 'settlement', status: 'unknown', detail: words[state] }
}

type CheckStatus = Pick<ResultCheck, 'name' | 'status'>

const isOfCall = ({ name }: CheckStatus): boolean => name === 'answered' || name === 'settlement'

/**
 * Verified: something was asked of the result, all of it holds, and the payment is on the chain or none was needed. Failed: a check
 * fails, or money was taken and nothing was given. Anything else cannot be verified.
 */
export const decideOutcome = (
  checks: readonly CheckStatus[],
  isTakenForNothing: boolean,
): ExecutionOutcome => {
  if (isTakenForNothing || checks.some(({ status }) => status === 'fail')) return 'failed'
  const isWhole = checks.some(check => !isOfCall(check)) && checks.every(({ status }) => status === 'pass')
  return isWhole ? 'verified' : 'unverifiable'
}

/** True when a provider was seen to give no result; one that is too large or comes later is not nothing. */
export const gaveNothing = ({ output, failure }: ProviderReply): boolean =>
  !output && failure !== 'response_too_large' && failure !== 'async_result_not_supported_v1'

/** Judges the reply and the payment, check by check. */
export const checkReply = (
  reply: ProviderReply,
  expect: Expectation,
  settlement: OnchainSettlement | null,
): ResultCheck[] => {
  const { output, failure, claimed, quote } = reply
  return [
    output
      ? { name: 'answered', status: 'pass', detail: `It gave ${output.bytes.length} bytes.` }
      : failedReply(failure ?? (quote ? 'it asks for payment again' : 'no_result')),
    ...(output ? checkOutput(output, expect) : []),
    ...(settlement ? [checkSettlement(settlement, claimed)] : []),
  ]
}
