import { echo } from '../../mcp/kernel/echo.ts'
import type { Request } from '../../mcp/kernel/http.ts'
import { isRecord } from '../../mcp/lib/json.ts'
import { A2aError } from './failure.ts'
import type { Fields, Version } from './fields.ts'

const versions: readonly string[] = ['0.3', '1.0']

/** `Major.Minor` of a version text; a text that is no version stays as it is. */
const majorMinor = (text: string): string => {
  const [, major, minor = '0'] = /^v?(\d{1,4})(?:\.(\d{1,4}))?(?:\.[\w.+-]*)?$/.exec(text) ?? []
  return major === undefined ? text : `${Number(major)}.${Number(minor)}`
}

/** The version a request asks for, from the `A2A-Version` header, else the query; undefined when it names none. */
export const readVersion = (req: Request): string | undefined => {
  const header = req.headers['a2a-version']
  const text = (Array.isArray(header) ? header[0] : header)?.trim()
  if (text) return majorMinor(text)
  if (!req.url.includes('A2A-Version=')) return undefined
  const query = new URLSearchParams(req.url.slice(req.url.indexOf('?') + 1)).get('A2A-Version')?.trim()
  return query ? majorMinor(query) : undefined
}

/** Throws -32009 for a version other than 0.3 and 1.0; the patch does not count. */
export const checkVersion = (requestedVersion: string | undefined): void => {
  if (requestedVersion === undefined || versions.includes(requestedVersion)) return
  throw new A2aError('versionNotSupported', `A2A version ${echo(requestedVersion, 20)} is not supported.`, {
    hint: 'Send A2A-Version: 1.0 or 0.3, or leave the header out.',
    info: { supportedVersions: versions.join(',') },
  })
}

const hasProtoRole = ({ message }: Fields): boolean =>
  isRecord(message) && typeof message.role === 'string' && message.role.startsWith('ROLE_')

/** The version an answer is written in: what the request asks for, else what its method and its message are written in. */
export const decideVersion = (
  requestedVersion: string | undefined,
  grammar: Version,
  params: Fields,
): Version => {
  if (requestedVersion === '1.0') return '1.0'
  if (grammar === '0.3' && hasProtoRole(params)) return '1.0'
  return requestedVersion === '0.3' ? '0.3' : grammar
}
