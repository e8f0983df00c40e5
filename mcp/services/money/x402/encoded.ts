import { parseJson } from '../../../lib/json.ts'

/** A header value that holds JSON; `form` says how. */
export type Encoded =
  | { form: 'base64' | 'base64url' | 'json'; value: unknown }
  | { form: 'none'; problem: string }

const base64 = /^[A-Za-z0-9+/\s]+={0,2}\s*$/
const base64url = /^[A-Za-z0-9_-]+={0,2}$/

const decode = (text: string, encoding: 'base64' | 'base64url'): unknown =>
  parseJson(Buffer.from(text, encoding).toString('utf8'))

/** Reads what x402 puts into headers: base64 of JSON; and JSON itself, which some servers send by mistake. */
export const parseEncoded = (text: string): Encoded => {
  const trimmed = text.trim()
  if (/^[{["]/.test(trimmed)) {
    const value = parseJson(trimmed)
    if (value === undefined)
      return { form: 'none', problem: 'it begins like JSON and cannot be read as such' }
    // A JSON text of base64, quotes and all, as it is copied out of logs.
    return typeof value === 'string' && !value.startsWith('"') ? parseEncoded(value) : { form: 'json', value }
  }
  if (trimmed === '') return { form: 'none', problem: 'it is empty' }
  if (base64.test(trimmed)) {
    const value = decode(trimmed, 'base64')
    if (value !== undefined) return { form: 'base64', value }
    return { form: 'none', problem: 'it is base64 of something that is no JSON; it may have been cut' }
  }
  if (base64url.test(trimmed)) {
    const value = decode(trimmed, 'base64url')
    if (value !== undefined) return { form: 'base64url', value }
  }
  return { form: 'none', problem: 'it is neither base64 nor JSON' }
}
