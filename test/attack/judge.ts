import type { Answer, Sent } from './wire.ts'

/** One thing that must not happen, with what made it happen. */
export type Finding = { what: string; request: string; answer: string }

/** What of an answer tells about our insides: frames of a stack, paths of sources, contents of files. */
const insides: readonly RegExp[] = [
  /\n\s+at (?:async )?[\w.<>[\] ]*\(?(?:file:|node:|\/)[^\n]*:\d+:\d+/,
  /node:internal\//,
  /node_modules\//,
  /file:\/\/\/(?!etc\/passwd)/,
  /(?:mcp|rest-adapter|a2a-adapter|store)\/[\w/-]+\.[jt]s\b/,
  /root:x:0:0/,
  /(?:TypeError|RangeError|SyntaxError|ReferenceError|ZodError)\b/,
  /Cannot read propert|is not a function|is not iterable|Maximum call stack/,
]

const brief = (text: string, max: number) =>
  text.length > max ? `${text.slice(0, max)}… (${text.length})` : text

export const describe = ({ method, path, headers, body }: Sent): string =>
  `${method} ${brief(path, 300)} ${JSON.stringify(headers).slice(0, 300)} ${brief(body?.toString('utf8') ?? '', 600)}`

export type Expected = {
  /** Statuses that are declared; undefined where nothing is. */
  statuses?: ReadonlySet<string> | undefined
  /** JSON-RPC rides on it. */
  rpc: boolean
  /** The client asked for pages: a failure may then be one of the house. */
  asksForPage: boolean
}

const isProblem = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'code' in value && 'detail' in value && 'status' in value

/** A page that names the failure in its heading, for people. */
const isFailurePage = ({ text, headers }: Answer): boolean =>
  headers['content-type']?.startsWith('text/html') === true && /^<!doctype html>[\s\S]*<h1\b/i.test(text)

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What a reader sees of an answer: our own scripts, in pages and files, name errors as all programs do. */
const readable = ({ status, text, headers }: Answer): string => {
  const type = headers['content-type'] ?? ''
  if (status !== 200) return text
  if (type.startsWith('text/javascript')) return ''
  return type.startsWith('text/html') ? text.replace(/<script\b[^>]*>[\s\S]*?<\/script>/g, '') : text
}

/** Everything in JSON-RPC answers, of a batch and of a stream too, that carries an error code. */
const rpcCodes = (text: string): number[] =>
  [...text.matchAll(/"error":\{"code":(-?\d+)/g)].map(([, code]) => Number(code))

/** What is wrong with an answer; undefined when nothing is. */
export const judge = (answer: Answer, { statuses, rpc, asksForPage }: Expected): string | undefined => {
  const { status, text, headers } = answer
  if (status === 0) return `no answer: ${text}`
  if (status === 500) return 'status 500'
  if (status === 501 || status === 505) return `status ${status}`
  const readableText = readable(answer)
  const leak = insides.find(pattern => pattern.test(readableText))
  if (leak) return `tells ${leak}`
  if (/"code":\s*"internal"|\\"code\\":\s*\\"internal\\"/.test(text)) return 'a failure of ours (internal)'
  if (rpc && rpcCodes(text).includes(-32603)) return 'JSON-RPC error -32603'
  if (statuses && !statuses.has(String(status))) return `status ${status} is not declared`
  const type = headers['content-type'] ?? ''
  if (type.includes('json') && parseJson(text) === undefined && text !== '') return 'its JSON cannot be read'
  const isExplained = isProblem(parseJson(text)) || (asksForPage && isFailurePage(answer))
  if (!rpc && status >= 400 && status !== 402 && statuses && !isExplained)
    return 'a failure without a problem'
  return undefined
}
