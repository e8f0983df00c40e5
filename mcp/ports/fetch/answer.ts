import { readResponseBody } from './body.ts'
import type { Step } from './carry.ts'
import { readEncodings } from './decoder.ts'
import { upstream } from './failure.ts'
import type { Fetched } from './port.ts'
import { readText, type Transport } from './transport.ts'

export type TransportResponse = Awaited<ReturnType<Transport['send']>>['response']

const joinHeaders = (headers: TransportResponse['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(', ')]],
    ),
  )

const essence = /^\s*([\w.+-]{1,60}\/[\w.+-]{1,60})/

const wrongType = (host: string, status: number, contentType: string) => {
  const mediaType = essence.exec(contentType)?.[1] ?? 'no media type'
  const sentence = `answered ${status} with ${mediaType}, which is not what was asked for`
  return upstream(host, sentence, false, status < 300 ? { reason: 'other_media_type' } : {})
}

/** Turns the last response of a call into what the caller gets. The media type is judged before the body is read. */
export const readAnswer = async (
  step: Step,
  response: TransportResponse,
  options: { types?: RegExp | undefined; maxBytes: number },
): Promise<Omit<Fetched, 'hops'>> => {
  const host = step.url.hostname
  const headers = joinHeaders(response.headers)
  const contentType = headers['content-type'] ?? ''
  if (options.types && contentType.search(options.types) < 0) {
    throw wrongType(host, response.statusCode, contentType)
  }
  const encodings = readEncodings(host, headers['content-encoding'] ?? '')
  const { body, truncated } = await readResponseBody(host, response.body, {
    encodings,
    maxBytes: options.maxBytes,
  })
  return {
    url: step.url.href,
    status: response.statusCode,
    headers,
    body,
    truncated,
    text: () => readText(body, contentType),
  }
}
