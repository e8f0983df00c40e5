import type { z } from 'zod'
import { type Issue, ToolError } from '../error.ts'

type Failed = { path: PropertyKey[]; message: string; keys?: string[] }

const issuesOf = (issues: readonly Failed[]): Issue[] =>
  issues.flatMap(({ path, message, keys }) =>
    keys
      ? keys.map(key => ({ path: [...path, key].map(String).join('.'), message: 'There is no such field.' }))
      : [{ path: path.map(String).join('.'), message }],
  )

const sentence = (issues: readonly Issue[]): string =>
  issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ')

/** The parsed input. Throws `invalid_input` with every wrong field named; unknown fields are wrong too. */
export const checkInput = (schema: z.ZodObject, value: unknown): Record<string, unknown> => {
  const parsed = schema.safeParse(value ?? {})
  if (parsed.success) return parsed.data
  const issues = issuesOf(parsed.error.issues)
  const fields = Object.keys(schema.shape)
  throw new ToolError('invalid_input', sentence(issues), {
    issues,
    hint: fields.length > 0 ? `The fields are: ${fields.join(', ')}.` : 'Send an empty object.',
  })
}

/** The parsed output, without what the schema does not name. A mismatch is our fault and says nothing to the caller. */
export const checkOutput = (schema: z.ZodObject, value: unknown): Record<string, unknown> => {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new Error(`the answer breaks its schema: ${sentence(issuesOf(parsed.error.issues))}`)
}
