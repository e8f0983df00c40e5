import '../own-dispatcher.ts'
import type { Readable } from 'node:stream'
import { Agent, request } from 'undici'

export type HttpReply = { status: number; text: string; retryAfterMs: number | undefined }

/** More bytes came than may; `post` throws it. */
export class TooMuch extends Error {}

export type RpcPost = (
  rpc: { url: string; authorization: string | undefined },
  body: string,
  limits: { bytes: number; signal: AbortSignal },
) => Promise<HttpReply>

const maxRestMs = 60_000

const parseRetryAfter = (header: string | string[] | undefined): number | undefined => {
  const seconds = Number([header].flat()[0] ?? Number.NaN)
  return seconds > 0 ? Math.min(seconds * 1000, maxRestMs) : undefined
}

const readText = async (body: Readable, bytes: number): Promise<string> => {
  // Ending the loop early destroys the body, and an error nobody listens to would end the process.
  body.on('error', () => undefined)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > bytes) throw new TooMuch()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Opens the HTTP side: connections are kept, redirects are not followed, a body ends at its limit. */
export const openPost = (): RpcPost => {
  const dispatcher = new Agent({ connections: 16, keepAliveTimeout: 30_000 })
  return async ({ url, authorization }, body, { bytes, signal }) => {
    const { statusCode, headers, ...answer } = await request(url, {
      dispatcher,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'user-agent': 'Octagent/0.1',
        ...(authorization && { authorization }),
      },
      body,
      signal,
    })
    const text = await readText(answer.body, bytes)
    return { status: statusCode, text, retryAfterMs: parseRetryAfter(headers['retry-after']) }
  }
}
