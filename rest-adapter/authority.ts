import { ToolError } from '../mcp/kernel/error.ts'
import type { Request } from '../mcp/kernel/http.ts'

const absoluteForm = /^https?:\/\/([^/?#@\s]+)(\/[^#\s]*|\?[^#\s]*)?$/i

const isRepeated = (rawHeaders: readonly string[], name: string): boolean => {
  let lines = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at]
    if (header?.length === name.length && header.toLowerCase() === name && ++lines > 1) return true
  }
  return false
}

const refusal = (detail: string, hint: string) => new ToolError('malformed', detail, { hint })

/**
 * Makes `host` and `url` of a request say whom it is for and what it asks, in one way: a target in absolute form wins over the
 * Host header (RFC 9112 §3.2.2). The refusal of a request that names no host, or two.
 */
export const readAuthority = (req: Request): ToolError | undefined => {
  const { headers, rawHeaders, url, httpVersion } = req
  if (isRepeated(rawHeaders, 'host')) return refusal('The request has two Host lines.', 'Send one.')
  if (headers.host === undefined && httpVersion === '1.1')
    return refusal('The request has no Host line.', 'HTTP/1.1 asks for one.')
  if (url.startsWith('/') || (url === '*' && req.method === 'OPTIONS')) return undefined
  const [, authority, target = '/'] = absoluteForm.exec(url) ?? []
  if (authority === undefined)
    return refusal(
      'The target of the request is neither a path nor an http URL.',
      'Ask for a path such as /healthz.',
    )
  headers.host = authority
  req.url = target.startsWith('/') ? target : `/${target}`
  return undefined
}
