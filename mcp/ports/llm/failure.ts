import { ToolError } from '../../kernel/error.ts'

/** The model or its API is at fault. `reason` is for programs. */
export const modelFailure = (
  reason: string,
  detail: string,
  more: { retryable?: boolean; retryAfter?: number; cause?: unknown } = {},
): ToolError => new ToolError('upstream', detail, { retryable: false, ...more, reason })

const configurationError = (detail: string, cause: Error): ToolError =>
  new ToolError('unavailable', detail, { reason: 'model_unavailable', cause })

/** Reply of an API, for the log of the operator: short, and without the key. */
export const toCause = (status: number, text: string, key: string | undefined): Error => {
  const words = key === undefined ? text : text.replaceAll(key, '[secret]')
  return new Error(
    `the API of the model answered ${status}: ${words.replace(/\b(?:sk|key)-[\w*-]{6,}/g, '[secret]').slice(0, 300)}`,
  )
}

/** Answers after which the same question a moment later may be answered. */
const passes = (status: number): boolean =>
  status === 408 || status === 425 || status === 429 || status >= 500

/** The failure that an answer without a reply stands for. */
export const statusFailure = (status: number, cause: Error, retryAfter?: number): ToolError => {
  if (status === 401 || status === 403)
    return configurationError('The API of the model refuses the key of this installation.', cause)
  if (status === 402) return configurationError('The account at the API of the model is used up.', cause)
  if (status === 404)
    return configurationError('The API of the model knows neither the address nor the model.', cause)
  if (status === 413) return new ToolError('too_large', 'The question is too long for the model.', { cause })
  if (passes(status))
    return modelFailure('model_busy', `The API of the model answers ${status}: it is busy or away.`, {
      retryable: true,
      ...(retryAfter !== undefined && { retryAfter }),
      cause,
    })
  return modelFailure('model_refuses_request', `The API of the model refuses the question (${status}).`, {
    cause,
  })
}
