import type { z } from 'zod'
import type { Json, Tx } from '../ports/store/port.ts'
import { ToolError } from './error.ts'
import type { Need } from './need.ts'
import type { Page } from './page.ts'
import type { Auth, Called, Context, Limit, Price } from './tool.ts'

/** How the body of a request comes to the handler: not at all, whole, while it streams in, or as one JSON-RPC call. */
export type BodyKind = 'none' | 'raw' | 'stream' | 'json-rpc'

/** One JSON-RPC 2.0 call whose envelope was read; `id` is undefined for a notification. */
export type RpcCall = {
  id: string | number | null | undefined
  method: string
  params: unknown
}

/** The request as its endpoint sees it. Nothing of it is verified but what `caller` in the context says. */
export type EndpointRequest = {
  method: string
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string | undefined>>
  /** In lower case; one that came several times is joined. */
  headers: Readonly<Record<string, string | undefined>>
  /** The whole body of `raw` and `json-rpc`, as it came: what a signature covers. */
  bytes: Uint8Array
  /**
   * The body of `stream`, chunk by chunk, read only as fast as it is taken. Throws `too_large` past the limit, `malformed` when the
   * client breaks off, and `timeout` when the time of the endpoint is over.
   */
  chunks: AsyncIterable<Uint8Array>
  /** Aborts when the client has gone, also while an answer streams. */
  signal: AbortSignal
  /** The call of `json-rpc`. */
  rpc: RpcCall | undefined
}

/** One server-sent event. `id` is what a client sends back as `Last-Event-ID` to go on after it. */
export type StreamEvent = { id?: string; event?: string; data: Json }

/** The answer of an endpoint. */
export type EndpointAnswer =
  | { kind: 'json'; body: object; status?: number; headers?: Readonly<Record<string, string>> }
  | {
      kind: 'bytes'
      type: string
      bytes: Uint8Array
      status?: number
      /** Strong validator without quotes; made from the bytes when it is left out. */
      etag?: string
      /** `Cache-Control`; `no-store` unless told. */
      cache?: string
      headers?: Readonly<Record<string, string>>
    }
  /** A page for people, in the layout of all pages. */
  | { kind: 'page'; page: Page; status?: number; cache?: string }
  /** Bytes that are not held at once, read as fast as the client takes them; 304, 206 and 416 as for `bytes`. */
  | {
      kind: 'file'
      type: string
      size: number
      /** Strong validator without quotes. */
      etag: string
      read(range: { start: number; end: number }): AsyncIterable<Uint8Array>
      headers?: Readonly<Record<string, string>>
    }
  | { kind: 'empty'; status: 202 | 204; headers?: Readonly<Record<string, string>> }
  /** Ends with the iterator, or when the client has gone: then the signal of the request aborts and the iterator is returned. */
  | { kind: 'events'; events: AsyncIterable<StreamEvent> }
  /** The result of a JSON-RPC call; failures are thrown, for a method that is not there `unknownMethod(method)`. */
  | { kind: 'rpc'; result: Json }

/** A tool that an endpoint calls: itself, whose answer has its type then, or its name. */
export type Callee = string | { readonly name: string; readonly output: z.ZodType }

export type CallOutput<T extends Callee> = T extends { output: infer output extends z.ZodType }
  ? z.output<output>
  : Record<string, unknown>

/**
 * What an endpoint may do beside its ports: `call` runs a tool of the service as the same caller, who pays for it with what came in the
 * headers, or in `meta` as in that of an MCP call; its receipt goes out with the answer.
 */
export type EndpointContext<needs extends Need, wants extends Need = never> = Omit<
  Context<needs, wants>,
  'commit' | 'decline'
> & {
  call<T extends Callee>(
    tool: T,
    input: Readonly<Record<string, unknown>>,
    meta?: Readonly<Record<string, unknown>>,
  ): Promise<CallOutput<T>>
  /** As for a tool: writes through `tx` and returns the answer, sealed with the records of the call in one transaction. */
  commit<answer extends EndpointAnswer>(work: (tx: Tx) => Promise<answer>): Promise<answer>
}

export type EndpointFacts<needs extends Need, wants extends Need = never, auth extends Auth = Auth> = {
  /** Unique within its service; the name in logs and metrics. */
  name: string
  title: string
  /** Its effect and when to use it. */
  description: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Path within the service, `/artifacts/:id`. */
  path: string
  body: BodyKind
  /** Bytes that the body may have. Default 1 MiB. */
  maxBytes?: number
  /** Media types that a body may have; any by default, JSON for `json-rpc`. */
  accepts?: readonly string[]
  /** Media types of its answers, as the OpenAPI description tells them; none for one that only says that it is done. */
  answers?: readonly string[]
  /** Default: nothing but the request. */
  needs?: readonly needs[]
  /** Needs that it uses where configured. */
  wants?: readonly wants[]
  /** Any one suffices. Default: the service's. */
  auth?: readonly auth[]
  /**
   * A page, or what a form of one posts: whoever is signed in in the browser is the caller. What changes something must come from a page
   * of the same origin.
   */
  visit?: true
  /** Answers beside the bundle, to clients that signed in there. */
  bundled?: true
  limits?: readonly Limit[]
  /** Settled before the handler runs. Default: free. */
  price?: Price
  /**
   * Refuses a request that cannot be served, as that of a tool does: for every caller alike, before a quota is taken and before there
   * is a price. It writes nothing, and leaves `chunks` to the handler.
   */
  check?(ctx: Context<needs, wants> & Called<auth>, request: EndpointRequest): unknown
  /** Default 30,000; an answer of events is not bound by it. */
  timeoutMs?: number
}

export type Endpoint<
  needs extends Need,
  wants extends Need = never,
  auth extends Auth = Auth,
> = EndpointFacts<needs, wants, auth> & {
  needs: readonly needs[]
  run(ctx: EndpointContext<needs, wants> & Called<auth>, request: EndpointRequest): Promise<EndpointAnswer>
}

// biome-ignore lint/suspicious/noExplicitAny: an endpoint of any shape, as adapters see it
export type AnyEndpoint = Endpoint<any, any>

/**
 * What is not JSON in, JSON out: signed webhooks over the raw bytes, uploads, binary answers, server-sent events, JSON-RPC inside
 * REST. It is identified, limited, charged and logged like a tool, and calls tools through `ctx.call`, so that no
 * capability lives outside the registry.
 */
export const endpoint = <
  const needs extends Need = never,
  const wants extends Need = never,
  const auth extends Auth = Auth,
>(
  facts: EndpointFacts<needs, wants, auth>,
) => ({
  run: (run: Endpoint<needs, wants, auth>['run']): Endpoint<needs, wants> => ({ needs: [], ...facts, run }),
})

/** The refusal of a JSON-RPC method that an endpoint does not have. */
export const unknownMethod = (method: string): ToolError =>
  new ToolError('not_found', `There is no method ${JSON.stringify(method.slice(0, 80))}.`, {
    reason: 'method_not_found',
  })
