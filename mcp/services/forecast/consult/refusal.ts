import { ToolError } from '../../../kernel/error.ts'

/** A refusal of one field of a question, before anybody is asked to pay. */
export const refuse = (path: string, message: string, reason: string, hint?: string): ToolError =>
  new ToolError('invalid_input', `${path}: ${message}.`, { issues: [{ path, message }], reason, hint })
