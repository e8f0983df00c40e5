import { ToolError } from '../mcp/kernel/error.ts'
import type { Request, Response } from '../mcp/kernel/http.ts'
import { queryOf, readBody } from '../mcp/kernel/http.ts'
import type { AnyTool } from '../mcp/kernel/tool.ts'
import { isRecord } from '../mcp/lib/json.ts'
import { coercion, type Raw } from './coerce.ts'
import { schemasOf } from './schema.ts'

type Params = Readonly<Record<string, string>>

/** What a request asks of a tool; `free` is the flag `free=1`, which is never an input. */
export type Asked = { input: Record<string, unknown>; free: boolean }

const isFree = (value: Raw[string]): boolean => value === '1' || value === 'true'

const kindOf = (value: unknown): string => {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}

const objectOf = (body: unknown): Record<string, unknown> => {
  if (body === undefined) return {}
  if (isRecord(body)) return body
  throw new ToolError(
    'malformed',
    `The body is ${kindOf(body)}; a JSON object of input fields is expected.`,
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
const valued = <Input extends Record<string, unknown>>({ rest, input }: AnyTool, given: Input): Input => {
  const field = rest?.value
  if (field === undefined || !Object.hasOwn(given, 'value') || Object.hasOwn(given, field)) return given
  if (Object.hasOwn(input.shape, 'value')) return given
  const { value, ...others } = given
  return { ...others, [field]: value } as unknown as Input
}

/** Reads a tool's input from a request: of a GET from path and query, of anything else from path and body. */
export const inputReader = (tool: AnyTool, method: string) => {
  let coerce: ReturnType<typeof coercion> | undefined
  const coerced = (raw: Raw) => {
    coerce ??= coercion(schemasOf(tool).input)
    return coerce(raw)
  }

  if (method === 'GET')
    return (req: Request, _res: Response, params: Params): Asked => {
      const { free, ...query } = queryOf(req)
      return { input: coerced(valued(tool, { ...query, ...params })), free: isFree(free) }
    }

  return async (req: Request, res: Response, params: Params): Promise<Asked> => {
    const free = isFree(queryOf(req).free)
    const body = valued(tool, objectOf(await readBody(req, res)))
    if (Object.keys(params).length === 0) return { input: body, free }
    const fields = coerced(params)
    refuseTwice(body, fields)
    return { input: { ...body, ...fields }, free }
  }
}
