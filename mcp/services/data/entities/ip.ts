import { isIP } from 'node:net'
import type { Cover, TextSpan } from '../../../lib/text/amount/span.ts'

export type FoundIp = TextSpan & {
  key: string
  raw: string
  ip: string
  version: 4 | 6
  prefix: number | null
  private: boolean
}

const v4 = /\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\d|-[a-z])(?:\/\d{1,2}(?!\d))?/gi
const v6 = /[\da-f]{0,4}:[\da-f:.]{1,43}(?![\w:])(?:\/\d{1,3}(?!\d))?/gi
const versionBefore = /(?:[\w.]|\d-|(?:version|release|build|firmware)[ :]{1,2})$/i

/** Networks that are not the public internet: private, shared, loopback and link-local (RFC 6890). */
const local4 =
  /^(?:0|10|127|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])|169\.254|172\.(?:1[6-9]|2\d|3[01])|192\.168)\./
const local6 = /^(?:::1?$|f[cd]|fe[89ab])/

const compact = (ip: string): string => new URL(`http://[${ip}]`).hostname.slice(1, -1)

const readIp = (text: string, start: number, source: string): FoundIp | undefined => {
  if (versionBefore.test(text.slice(Math.max(0, start - 12), start)) || text[start - 1] === ':')
    return undefined
  const slash = source.indexOf('/')
  const address =
    slash < 0
      ? source.replace(/[.:]$/, match => (source.endsWith('::') ? match : ''))
      : source.slice(0, slash)
  const version = isIP(address)
  if (version !== 4 && version !== 6) return undefined
  const isCode = version === 6 && (!/\d/.test(address) || address === '::')
  if (isCode && address.split(':').length < 4) return undefined
  const bits = slash < 0 ? null : Number(source.slice(slash + 1))
  const prefix = bits !== null && bits <= (version === 4 ? 32 : 128) ? bits : null
  const raw = prefix === null ? address : source
  const ip = version === 4 ? address : compact(address)
  const isLocal = (version === 4 ? local4 : local6).test(ip)
  return { key: raw, raw, ip, version, prefix, private: isLocal, start, end: start + raw.length }
}

/** IPv4 and IPv6 addresses, with a network prefix where there is one; version numbers such as v1.2.3.4 are none. */
export const findIps = (text: string, cover: Cover): FoundIp[] => {
  const ips: FoundIp[] = []
  for (const pattern of [v4, v6])
    for (const { index, 0: raw } of text.matchAll(pattern)) {
      const ip = readIp(text, index, raw)
      if (ip && cover.take(ip)) ips.push(ip)
    }
  return ips
}
