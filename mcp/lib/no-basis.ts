import { ToolError } from '../kernel/error.ts'

/** A refusal for want of anything that an answer could rest on, before anybody is asked to pay; `hint` says what would help. */
export const noBasis = (
  path: string,
  message: string,
  hint: string,
  params: Readonly<Record<string, unknown>> = {},
): ToolError =>
  new ToolError('invalid_input', `${path}: ${message}.`, {
    issues: [{ path, message }],
    reason: 'no_basis',
    hint,
    params,
  })
