import { ToolError } from '../../kernel/error.ts'
import { isRecord, parseRecord } from '../../lib/json.ts'
import type { ViesAnswer } from './port.ts'

type AnswerFields = Readonly<Record<string, unknown>>

/** Error codes of VIES with what they mean and the seconds after which a retry makes sense; null when none does. */
const failures: Readonly<Record<string, readonly [sentence: string, retryAfter: number | null]>> = {
  MS_MAX_CONCURRENT_REQ: ['the registry of the country is asked by too many at once', 5],
  MS_MAX_CONCURRENT_REQ_TIME: ['the registry of the country is asked too often', 30],
  GLOBAL_MAX_CONCURRENT_REQ: ['VIES is asked by too many at once', 5],
  GLOBAL_MAX_CONCURRENT_REQ_TIME: ['VIES is asked too often', 30],
  MS_UNAVAILABLE: ['the registry of the country does not answer', 60],
  SERVICE_UNAVAILABLE: ['VIES is down', 60],
  TIMEOUT: ['the registry of the country did not answer in time', 30],
  VAT_BLOCKED: ['VIES takes no questions about this number for now', 3600],
  IP_BLOCKED: ['VIES takes no questions from this address for now', 3600],
  INVALID_INPUT: ['VIES cannot read the number', null],
  INVALID_REQUESTER_INFO: ['VIES cannot read who asks', null],
}

const other = ['VIES answers in a way that is not known', 60] as const

/** A failure of VIES: never a verdict about the number. `code` is VIES's own. */
export const viesFailure = (code: string): ToolError => {
  const failure = Object.hasOwn(failures, code) ? failures[code] : undefined
  const [sentence, retryAfter] = failure ?? other
  return new ToolError(
    'upstream',
    `VIES gives no verdict: ${sentence} (${failure ? code : 'unknown code'}).`,
    {
      ...(retryAfter === null ? { retryable: false } : { retryable: true, retryAfter }),
    },
  )
}

/** The failure of a question that named who asks. */
export const requesterFailure = (code: string): ToolError => {
  if (code !== 'INVALID_REQUESTER_INFO') return viesFailure(code)
  const message = 'must be a valid VAT number of the company that asks: VIES does not know it as one'
  return new ToolError('invalid_input', `requester: ${message}.`, {
    issues: [{ path: 'requester', message }],
  })
}

/** Codes after which the same question a moment later may be answered. */
export const passesSoon = (code: string): boolean => /_MAX_CONCURRENT_REQ$/.test(code)

const codeIn = (answer: AnswerFields): string | undefined => {
  const wrapped = Array.isArray(answer.errorWrappers) ? answer.errorWrappers[0] : undefined
  if (isRecord(wrapped) && typeof wrapped.error === 'string') return wrapped.error
  const { userError } = answer
  return typeof userError === 'string' && !['VALID', 'INVALID', ''].includes(userError)
    ? userError
    : undefined
}

/** VIES writes `---` where a country tells nothing. */
const toText = (value: unknown): string | null =>
  typeof value === 'string' && !/^[\s-]*$/.test(value) ? value : null

/**
 * Reads an answer in either of its two shapes: `isValid` of GET /ms/{country}/vat/{number}, `valid` of POST
 * /check-vat-number. A failure comes as `userError` with status 200 or as `errorWrappers`; only an explicit true or false
 * is a verdict.
 */
export const readViesAnswer = (body: string): ViesAnswer | { failure: string } => {
  const answer = parseRecord(body) ?? {}
  const failure = codeIn(answer)
  const valid = answer.isValid ?? answer.valid
  if (failure !== undefined || typeof valid !== 'boolean') return { failure: failure ?? '' }
  return {
    valid,
    name: toText(answer.name),
    address: toText(answer.address),
    requestDate: toText(answer.requestDate),
    consultationNumber: toText(answer.requestIdentifier),
  }
}
