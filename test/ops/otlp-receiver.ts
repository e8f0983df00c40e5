import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span as OTLP/HTTP carries it in JSON. */
export type WireSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[]
  status: { code: number }
}

type Export = {
  resourceSpans: { resource: { attributes: WireSpan['attributes'] }; scopeSpans: { spans: WireSpan[] }[] }[]
}

/** A collector on loopback that keeps what it is sent. */
export const startReceiver = async () => {
  const spans: WireSpan[] = []
  const requests: { path: string | undefined; headers: IncomingHttpHeaders; body: Export }[] = []
  let status = 200
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Export
    requests.push({ path: req.url, headers: req.headers, body })
    if (status === 200)
      spans.push(
        ...body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans: sent }) => sent)),
      )
    res.writeHead(status, { 'content-type': 'application/json' }).end('{"partialSuccess":{}}')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    fail: (code: number) => {
      status = code
    },
    stop: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** An attribute of a span, as text. */
export const attributeOf = (
  { attributes }: Pick<WireSpan, 'attributes'>,
  name: string,
): string | undefined => {
  const value = attributes.find(({ key }) => key === name)?.value
  return value?.stringValue ?? value?.intValue
}
