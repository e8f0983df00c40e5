import { randomBytes } from 'node:crypto'
import { parseTraceparent, parseTracestate, passOn } from '../../lib/trace/context.ts'
import type { Attributes, Span, SpanKind, Tracer } from '../../lib/trace/span.ts'
import type { Fetch } from '../fetch/port.ts'

export type TracerOptions = {
  /** A way out that reaches the collector, wherever it is. */
  fetch: Fetch
  /** Base address of the collector, without a trailing slash. */
  endpoint: string
  headers?: Readonly<Record<string, string>> | undefined
  resource: Attributes
  /** Part of the traces begun here that are recorded, from 0 to 1. */
  ratio: number
  /** Told once when spans begin to be lost, and once when they are taken again. */
  onDelivery(state: { ok: boolean; detail: string }): void
}

/** Limits on spans that wait, spans sent at once, and how long a span waits: the defaults of OpenTelemetry. */
const maxWaiting = 2048
const maxBatch = 512
const waitMs = 5000
const sendMs = 10_000

const kinds: Record<SpanKind, number> = { internal: 1, server: 2, client: 3 }

type Ended = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: object[]
  status: { code: number }
}

const toValue = (value: string | number | boolean): object => {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

const toAttributes = (attributes: Attributes): object[] =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: toValue(value) }],
  )

const toNanoseconds = (milliseconds: number): string =>
  String(BigInt(Math.round((performance.timeOrigin + milliseconds) * 1000)) * 1000n)

/** True when a trace that begins here is recorded: the same answer on every replica, as TraceIdRatioBased gives it. */
const isChosen = (traceId: string, ratio: number): boolean =>
  Number.parseInt(traceId.slice(-8), 16) < ratio * 0x1_0000_0000

/**
 * Records spans and sends them to a collector by OTLP/HTTP as JSON, in batches and in the background. No call waits for it: spans are
 * lost while the collector is away, and beyond 2,048 that wait. `close` sends what is left.
 */
export const openTracer = (options: TracerOptions): Tracer & { close(): Promise<void> } => {
  const { fetch, endpoint, headers = {}, resource, ratio, onDelivery } = options
  let waiting: Ended[] = []
  let sending: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let isDelivering = true

  const note = (ok: boolean, detail: string): void => {
    if (ok !== isDelivering) onDelivery({ ok, detail })
    isDelivering = ok
  }

  const send = async (): Promise<void> => {
    const spans = waiting.splice(0, maxBatch)
    if (spans.length === 0) return
    const scopeSpans = [{ scope: { name: 'octagent' }, spans }]
    const body = { resourceSpans: [{ resource: { attributes: toAttributes(resource) }, scopeSpans }] }
    try {
      const { status } = await fetch(`${endpoint}/v1/traces`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        maxRedirects: 0,
        deadlineMs: sendMs,
        fresh: true,
        namedBy: 'operator',
      })
      note(status < 300, `the collector answered ${status}`)
    } catch (error) {
      note(false, error instanceof Error ? error.message : String(error))
    }
  }

  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    sending ??= send().finally(() => {
      sending = undefined
      if (waiting.length >= maxBatch) void flush()
      else if (waiting.length > 0) timer ??= setTimeout(flush, waitMs).unref()
    })
    return sending
  }

  const keep = (span: Ended): void => {
    if (waiting.length >= maxWaiting) return
    waiting.push(span)
    if (waiting.length >= maxBatch) void flush()
    else timer ??= setTimeout(flush, waitMs).unref()
  }

  const open = (
    {
      traceId,
      parentId,
      tracestate,
    }: { traceId: string; parentId: string | undefined; tracestate?: string | undefined },
    name: string,
    kind: SpanKind,
    first: Attributes,
  ): Span => {
    const spanId = randomBytes(8).toString('hex')
    const began = performance.now()
    let attributes = first
    let isOver = false
    return {
      traceparent: `00-${traceId}-${spanId}-01`,
      tracestate,
      child: (childName, childKind, more = {}) =>
        open({ traceId, parentId: spanId, tracestate }, childName, childKind, more),
      set(more) {
        attributes = { ...attributes, ...more }
      },
      end(failure, isFault = false) {
        if (isOver) return
        isOver = true
        keep({
          traceId,
          spanId,
          ...(parentId !== undefined && { parentSpanId: parentId }),
          name,
          kind: kinds[kind],
          startTimeUnixNano: toNanoseconds(began),
          endTimeUnixNano: toNanoseconds(performance.now()),
          attributes: toAttributes({ ...attributes, 'error.type': failure }),
          status: { code: isFault ? 2 : 0 },
        })
      },
    }
  }

  return {
    begin(name, origin, attributes = {}) {
      const { traceparent, tracestate } = origin
      const parent = parseTraceparent(traceparent)
      if (parent) {
        if (!parent.isSampled) return passOn(origin)
        const place = { ...parent, tracestate: parseTracestate(tracestate) }
        return open(place, name, 'server', attributes)
      }
      const traceId = randomBytes(16).toString('hex')
      if (!isChosen(traceId, ratio)) return undefined
      return open({ traceId, parentId: undefined }, name, 'server', attributes)
    },
    async close() {
      while (waiting.length > 0 && isDelivering) await flush()
      clearTimeout(timer)
      waiting = []
    },
  }
}
