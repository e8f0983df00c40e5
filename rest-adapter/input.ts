import { boundsOfBody } from '../mcp/kernel/body-bounds.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import type { Request, Response } from '../mcp/kernel/http.ts'
import { parseUrlQuery, readBody } from '../mcp/kernel/http.ts'
import { findField } from '../mcp/kernel/pipeline/aliases.ts'
import type { AnyTool } from '../mcp/kernel/tool.ts'
import { isRecord } from '../mcp/lib/json.ts'
import { coercion, type RawParameters } from './coerce.ts'
import { compileSchemas } from './schema.ts'

type Params = Readonly<Record<string, string>>

/** Request to a tool; `free` is the flag `free=1`, which is never an input. */
export type ToolInput = { input: Record<string, unknown>; free: boolean }

const isFree = (value: RawParameters[string]): boolean => value === '1' || value === 'true'

const describeType = (value: unknown): string => {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}

const requireObject = (body: unknown): Record<string, unknown> => {
  if (body === undefined) return {}
  if (isRecord(body)) return body
  throw new ToolError(
    'malformed',
    `The body is ${describeType(body)}; a JSON object of input fields is expected.`,
    {
      hint: 'Send {"field": value, …}, or {} when there is nothing to say.',
    },
  )
}

const refuseTwice = (body: object, fields: Record<string, unknown>): void => {
  const issues = Object.keys(fields)
    .filter(name => Object.hasOwn(body, name) && String((body as Params)[name]) !== String(fields[name]))
    .map(path => ({ path, message: 'The path and the body say different things.' }))
  if (issues.length > 0)
    throw new ToolError(
      'invalid_input',
      issues.map(({ path, message }) => `${path}: ${message}`).join('; '),
      {
        issues,
        hint: 'Leave out of the body what the path says.',
      },
    )
}

/** `value` stands for the field that the tool says, unless that is given or `value` is a field itself. */
const withValueField = <Input extends Record<string, unknown>>(
  { rest, input }: AnyTool,
  fields: Input,
): Input => {
  const field = rest?.value
  if (field === undefined || !Object.hasOwn(fields, 'value') || Object.hasOwn(fields, field)) return fields
  if (Object.hasOwn(input.shape, 'value')) return fields
  const { value, ...others } = fields
  return { ...others, [field]: value } as unknown as Input
}

/** Reads a tool's input from a request: of a GET from path and query, of anything else from path and body. */
export const inputReader = (tool: AnyTool, method: string) => {
  let coerce: ReturnType<typeof coercion> | undefined
  const coerced = (raw: RawParameters) => {
    coerce ??= coercion(compileSchemas(tool).input, name => findField(tool, name))
    return coerce(raw)
  }

  if (method === 'GET')
    return (req: Request, _res: Response, params: Params): ToolInput => {
      const { free, ...query } = parseUrlQuery(req)
      return { input: coerced(withValueField(tool, { ...query, ...params })), free: isFree(free) }
    }

  return async (req: Request, res: Response, params: Params): Promise<ToolInput> => {
    const free = isFree(parseUrlQuery(req).free)
    const body = withValueField(tool, requireObject(await readBody(req, res, boundsOfBody(tool.input))))
    if (Object.keys(params).length === 0) return { input: body, free }
    const fields = coerced(params)
    refuseTwice(body, fields)
    return { input: { ...body, ...fields }, free }
  }
}
