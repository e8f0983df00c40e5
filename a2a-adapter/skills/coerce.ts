import type { z } from 'zod'
import type { AnyTool } from '../../mcp/kernel/tool.ts'

type Definition = { type: string; innerType?: z.core.$ZodType; in?: z.core.$ZodType }

/** The type under what makes a field optional, nullable, defaulted or piped. */
const unwrapType = (schema: z.core.$ZodType): string => {
  const { type, innerType, in: input } = schema._zod.def as Definition
  const inner = innerType ?? input
  return inner ? unwrapType(inner) : type
}

const numeric = /^[+-]?\d{1,40}(?:\.\d{1,40})?(?:e[+-]?\d{1,4})?$/i

/** A value from text as the tool's field wants it: numbers and booleans are read, all else stays text. */
export const coerce = ({ input }: AnyTool, name: string, value: string): unknown => {
  const schema: z.core.$ZodType | undefined = Object.hasOwn(input.shape, name) ? input.shape[name] : undefined
  if (!schema) return value
  const type = unwrapType(schema)
  if (type === 'number' && numeric.test(value)) return Number(value)
  if (type === 'boolean' && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === 'true'
  return value
}
