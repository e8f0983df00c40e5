/** Attributes of a span, by the names of the OpenTelemetry conventions. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

export type SpanKind = 'server' | 'client' | 'internal'

/** One step under way, and what the next one is told of it (W3C Trace Context). */
export type Span = {
  readonly traceparent: string
  readonly tracestate?: string | undefined
  child(name: string, kind: SpanKind, attributes?: Attributes): Span
  set(attributes: Attributes): void
  /** Ends it; with the name of a failure where it failed. `isFault`: it is ours, and not the caller's. */
  end(failure?: string, isFault?: boolean): void
}

/** Origin of a request, as its headers or the metadata of its message say it. */
export type TraceOrigin = { traceparent?: string | undefined; tracestate?: string | undefined }

/** Begins traces, and goes on with those of others. */
export type Tracer = {
  /** Undefined for a trace that is not sampled and that nobody else has begun. */
  begin(name: string, origin: TraceOrigin, attributes?: Attributes): Span | undefined
}

const failureOf = (error: unknown): string => {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code
  return error instanceof Error ? error.name : 'error'
}

/** A refusal is the caller's to mend, so it is no fault of the step. */
const isFault = (error: unknown): boolean =>
  !(error instanceof Error && 'status' in error && typeof error.status === 'number' && error.status < 500)

/** Runs a step in a span of its own, where its call is traced; `note` adds to it what the step learns. */
export const inSpan = async <R>(
  parent: Span | undefined,
  [name, kind, attributes]: readonly [name: string, kind: SpanKind, attributes?: Attributes],
  work: (span: Span | undefined) => Promise<R>,
): Promise<R> => {
  if (!parent) return work(undefined)
  const span = parent.child(name, kind, attributes)
  try {
    const result = await work(span)
    span.end()
    return result
  } catch (error) {
    span.end(failureOf(error), isFault(error))
    throw error
  }
}
