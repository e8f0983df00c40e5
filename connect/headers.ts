import { claimedVersion, paramsOf, type RpcMessage } from './message.ts'

/** A value as a header may carry it: what is not visible ASCII goes in base64 (MCP 2026-07-28, "Transports"). */
export const toHeaderText = (value: string): string =>
  /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value)
    ? value
    : `=?base64?${Buffer.from(value).toString('base64')}?=`

/** The headers that the stateless era wants beside a message; none for an older one. */
export const headersOf = (message: RpcMessage): Record<string, string> => {
  const version = claimedVersion(message)
  if (version === undefined) return {}
  const { name, uri } = paramsOf(message)
  const subject = name ?? uri
  return {
    'mcp-protocol-version': toHeaderText(version),
    ...(typeof message.method === 'string' && { 'mcp-method': toHeaderText(message.method) }),
    ...(typeof subject === 'string' && { 'mcp-name': toHeaderText(subject) }),
  }
}
