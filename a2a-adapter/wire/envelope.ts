import { ToolError } from '../../mcp/kernel/error.ts'
import type { Request, Response } from '../../mcp/kernel/http.ts'
import { readBody } from '../../mcp/kernel/http.ts'
import { type HeaderList, sendWhole } from '../../mcp/kernel/whole-answer.ts'
import { isRecord } from '../../mcp/lib/json.ts'
import { A2aError } from './failure.ts'
import type { Fields } from './fields.ts'

export type Id = string | number | null

const maxIdLength = 256

const isId = (value: unknown): value is Id =>
  value === null || typeof value === 'number' || (typeof value === 'string' && value.length <= maxIdLength)

/** The id of a request as far as it can be read, else null. */
export const readRequestId = (body: unknown): Id => (isRecord(body) && isId(body.id) ? body.id : null)

/** The JSON of a request. Throws -32005 for another content type, -32700 for what is not JSON, `too_large`. */
export const readRequest = async (req: Request, res: Response): Promise<unknown> => {
  const body = await readBody(req, res).catch((error: unknown) => {
    if (!(error instanceof ToolError)) throw error
    const { hint } = error.extra
    if (error.code === 'unsupported_media')
      throw new A2aError('contentType', error.message, { ...(hint && { hint }) })
    if (error.code === 'malformed') throw new A2aError('parse', error.message)
    throw error
  })
  if (body === undefined) throw new A2aError('parse', 'The body is empty; a JSON-RPC request is expected.')
  return body
}

/** Method and parameters of a JSON-RPC 2.0 request. Throws -32600 for a batch or a bad envelope, -32602 for bad `params`. */
export const readEnvelope = (body: unknown): { method: string; params: Fields } => {
  const bad = (detail: string) => new A2aError('invalidRequest', detail)
  if (Array.isArray(body)) throw bad('A batch is not accepted; send one request at a time.')
  if (!isRecord(body)) throw bad('A JSON-RPC request is an object.')
  if (body.jsonrpc !== '2.0') throw bad('jsonrpc: must be "2.0".')
  if (body.id !== undefined && !isId(body.id))
    throw bad(`id: must be a string of up to ${maxIdLength} characters, a number or null.`)
  const { method, params } = body
  if (typeof method !== 'string' || method === '') throw bad('method: must be a string that is not empty.')
  if (params === undefined || params === null) return { method, params: {} }
  if (!isRecord(params) || Object.hasOwn(params, ''))
    throw new A2aError('invalidParams', 'params: must be an object with named fields.', {
      issues: [{ path: 'params', message: 'must be an object with named fields' }],
    })
  return { method, params }
}

/** Writes a JSON-RPC answer in one go (head and text share a packet); a client that has gone is not written to. */
export const writeAnswer = (res: Response, status: number, answer: object, headers: HeaderList): void =>
  sendWhole(res, status, 'application/json', JSON.stringify(answer), headers)
