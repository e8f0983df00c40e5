import { ToolError } from '../../../kernel/error.ts'

/** A refusal of one field of a question, before anybody is asked to pay. */
export const refuse = (path: string, message: string, reason: string, hint?: string): ToolError =>
  new ToolError('invalid_input', `${path}: ${message}.`, { issues: [{ path, message }], reason, hint })

/** A refusal for want of anything that an answer could rest on; `hint` says what would help. */
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
