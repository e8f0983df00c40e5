import { ToolError } from '../../kernel/error.ts'
import { isRecord } from '../../lib/json.ts'
import type { Fetch, Fetched } from '../fetch/port.ts'
import type { RdapObject } from './json.ts'

/** An answer of an RDAP server: the object, or that there is none. `url` is who answered in the end. */
export type RdapAnswer = { url: string; body: RdapObject | null }

type Options = { signal?: AbortSignal | undefined; deadlineMs?: number }

const media = 'application/rdap+json, application/json;q=0.9'
/** Real answers have a tenth of this. */
const maxBytes = 1 << 19

const sorry = (host: string, sentence: string, retryable: boolean, retryAfter?: number) =>
  new ToolError('upstream', `The registry server ${host} ${sentence}.`, {
    retryable,
    ...(retryAfter !== undefined && { retryAfter }),
    hint: retryable
      ? 'Retry later; whether it is registered is not known.'
      : 'Whether it is registered is not known.',
  })

/** Seconds of a Retry-After header, which is a number or a date; at most an hour. */
const parseRetryAfter = (header: string | undefined): number => {
  const seconds = /^\d+$/.test(header ?? '') ? Number(header) : (Date.parse(header ?? '') - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.min(3600, Math.max(1, Math.ceil(seconds))) : 60
}

const isHtml = ({ headers, body }: Fetched) =>
  /html/i.test(headers['content-type'] ?? '') ||
  /^\s*<(?:!doctype|html)/i.test(body.toString('latin1', 0, 200))

const parseRdapJson = (host: string, { body, truncated }: Fetched): RdapObject => {
  if (truncated) throw sorry(host, 'answered with more than 512 KiB', false)
  try {
    const value: unknown = JSON.parse(body.toString())
    if (isRecord(value)) return value
  } catch {}
  throw sorry(host, 'answered with something that is not RDAP', false)
}

const parseAnswer = (answer: Fetched): RdapObject | null => {
  const { status, headers } = answer
  const host = new URL(answer.url).hostname
  if (status === 404) {
    if (isHtml(answer)) throw sorry(host, 'does not speak RDAP at its address', false)
    return null
  }
  if (status === 429 || status === 503) {
    throw sorry(host, 'asks for a pause between questions', true, parseRetryAfter(headers['retry-after']))
  }
  if (status >= 500) throw sorry(host, `failed with status ${status}`, status !== 501)
  if (status !== 200) throw sorry(host, `refused the question with status ${status}`, false)
  const body = parseRdapJson(host, answer)
  return body.errorCode === 404 ? null : body
}

/** An address that is not visited is the registry's doing, not the caller's. */
const withBlame = (url: string, error: unknown): unknown =>
  error instanceof ToolError && error.code === 'invalid_input'
    ? sorry(new URL(url).hostname, 'is at an address that is not visited', false)
    : error

/**
 * Asks one RDAP URL (RFC 7480). That there is no such object counts only when the server says it in RDAP's way: a web page
 * that is not found is a failure. Throws `upstream`.
 */
export const askRdap = async (fetch: Fetch, url: string, options: Options): Promise<RdapAnswer> => {
  const { signal, deadlineMs = 10_000 } = options
  const ask = (accept: string) =>
    fetch(url, {
      accept,
      maxBytes: maxBytes,
      deadlineMs,
      namedBy: 'operator',
      ...(signal && { signal }),
    }).catch(error => {
      throw withBlame(url, error)
    })
  const first = await ask(media)
  const answer = first.status === 406 || first.status === 415 ? await ask('*/*') : first
  return { url: answer.url, body: parseAnswer(answer) }
}

/** Asks the servers in charge one after the other until one answers. Throws what the first one did. */
export const askServers = async (
  fetch: Fetch,
  servers: readonly string[],
  path: string,
  options: Options,
): Promise<RdapAnswer & { sources: string[] }> => {
  const sources: string[] = []
  let failure: unknown
  for (const server of servers.slice(0, 3)) {
    const url = `${server.replace(/\/*$/, '/')}${path}`
    sources.push(url)
    try {
      return { ...(await askRdap(fetch, url, options)), sources }
    } catch (error) {
      if (options.signal?.aborted) throw error
      failure ??= error
    }
  }
  throw failure
}
