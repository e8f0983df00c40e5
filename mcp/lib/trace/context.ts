import type { Span, TraceOrigin } from './span.ts'

/** The parts of a `traceparent` header: hexadecimal, and whether its trace is recorded. */
export type TraceContext = { traceId: string; parentId: string; isSampled: boolean }

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Parses a `traceparent` (W3C Trace Context, level 2); undefined for none and for one that is not well formed. */
export const parseTraceparent = (text: string | undefined): TraceContext | undefined => {
  const [, version, traceId = '', parentId = '', flags = '', more] = form.exec(text ?? '') ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined
  return { traceId, parentId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** A list of at most 512 characters of members as others wrote them; anything else is left out. */
export const parseTracestate = (text: string | undefined): string | undefined =>
  text !== undefined && text.length <= 512 && /^[\x20-\x7e]+$/.test(text) ? text : undefined

/** Hands the trace of a caller on as it came, where none is recorded here; undefined for a call without one. */
export const passOn = ({ traceparent, tracestate }: TraceOrigin): Span | undefined => {
  if (traceparent === undefined || !parseTraceparent(traceparent)) return undefined
  const span: Span = {
    traceparent,
    tracestate: parseTracestate(tracestate),
    child: () => span,
    set: () => undefined,
    end: () => undefined,
  }
  return span
}
