import { setTimeout as pause } from 'node:timers/promises'

export type Answer = { status: number; body: Record<string, unknown>; retryAfter: number }

/** What went out and never came back as an answer: it may have been done or not. */
export class Unknown extends Error {
  override readonly name = 'Unknown'
}

let calls = 0

/** An address that hardly anybody else has, so that no limit by address stands in the way. */
export const somewhere = (): string => {
  const n = ++calls
  return `10.${(n >> 14) & 255}.${(n >> 7) & 127}.${n & 127}`
}

/** One call of a tool. Throws `Unknown` where the connection broke, or whoever stands in between lost it. */
export const callTool = async (
  url: string,
  path: string,
  input: object,
  headers: Record<string, string> = {},
): Promise<Answer> => {
  try {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': somewhere(), ...headers },
      body: JSON.stringify(input),
      signal: AbortSignal.timeout(60_000),
    })
    const text = await response.text()
    if (response.status === 502 && !text.startsWith('{')) throw new Unknown('502')
    const body = text.startsWith('{') ? (JSON.parse(text) as Answer['body']) : {}
    return { status: response.status, body, retryAfter: Number(response.headers.get('retry-after') ?? 0) }
  } catch (cause) {
    throw cause instanceof Unknown ? cause : new Unknown(String(cause), { cause })
  }
}

/** Whether the same call with the same key may find an answer later. */
const isOpen = ({ status, body }: Answer): boolean =>
  status >= 500 || status === 429 || (status === 409 && /still running/.test(String(body.detail)))

/**
 * One call under an idempotency key, sent again until there is an answer or `until` has passed: then undefined, and nobody knows yet.
 */
export const callOnce = async (
  url: string,
  path: string,
  input: object,
  headers: Record<string, string>,
  until: () => number,
): Promise<Answer | undefined> => {
  const from = somewhere()
  for (;;) {
    let seconds = 0.2
    try {
      const answer = await callTool(url, path, input, { 'x-forwarded-for': from, ...headers })
      if (!isOpen(answer)) return answer
      seconds = Math.max(seconds, answer.retryAfter)
    } catch (error) {
      if (!(error instanceof Unknown)) throw error
    }
    if (Date.now() > until()) return undefined
    await pause(seconds * 1000)
  }
}
