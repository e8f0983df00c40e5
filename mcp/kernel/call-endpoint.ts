import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Ports } from '../ports/ports.ts'
import type { Tx } from '../ports/store/port.ts'
import { call, type Incoming, type Outcome, type World } from './call.ts'
import type {
  AnyEndpoint,
  Callee,
  CallOutput,
  EndpointAnswer,
  EndpointContext,
  EndpointRequest,
} from './endpoint.ts'
import { reportSettled, ToolError, withCharge, withPayment } from './error.ts'
import { exchangeOf } from './pipeline/context.ts'
import { bundleResource } from './pipeline/identify.ts'
import type { Service } from './service.ts'
import { type AnyTool, type Caller, free, type Receipt, tool } from './tool.ts'

/** Bytes of a binary answer that are kept for the Idempotency-Key, or for the payment, that it came with. */
const maxKeyedBytes = 262_144
const maxPaidBytes = 1 << 20

const maxTargetLength = 2048

type Context = EndpointContext<keyof Ports>

type Exchange = {
  request: EndpointRequest
  call(caller: Caller | undefined): Context['call']
  /** The receipt of a payment of before, whose answer is made again. */
  receipt?: Receipt | undefined
  /** The handler's answer; undefined when the stored answer was given again. */
  answer: EndpointAnswer | undefined
  /** Payment of a tool that it called: its receipt belongs to the answer. */
  paid?: Pick<Outcome, 'price' | 'receipt' | 'parts'>
}

/** Name of a request for the gate and Idempotency-Key: the target, and the digest of the body. */
const RequestName = z.object({
  method: z.string().describe('HTTP method'),
  target: z.string().describe('Path with its parameters, and the query'),
  digest: z.string().describe('SHA-256 of the body, base64; empty for a body that streams'),
})

const StoredAnswer = z.looseObject({ kind: z.string() })

/** Stored form of an answer: JSON whole, bytes up to a limit, nothing of a stream. */
const toStored = (answer: EndpointAnswer, maxBytes: number): Record<string, unknown> & { kind: string } => {
  if (answer.kind === 'events' || answer.kind === 'file') return { kind: answer.kind }
  if (answer.kind !== 'bytes') return { ...answer }
  const { bytes, ...rest } = answer
  return bytes.length > maxBytes ? { ...rest } : { ...rest, base64: Buffer.from(bytes).toString('base64') }
}

/** A stored answer as it was; undefined for one that is not kept. */
const fromStored = ({ kind, base64, ...rest }: Record<string, unknown>): EndpointAnswer | undefined => {
  if (kind === 'bytes' && typeof base64 === 'string')
    return { ...rest, kind, bytes: Buffer.from(base64, 'base64') } as unknown as EndpointAnswer
  if (kind === 'json' || kind === 'rpc' || kind === 'empty') return { ...rest, kind } as EndpointAnswer
  return undefined
}

/** A streaming body that ends with the run: a client that sends nothing more must not hold a handler that is over. */
async function* until(signal: AbortSignal, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let stop = () => {}
  const over = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
  })
  over.catch(() => undefined)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  const iterator = chunks[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), over])
      if (next.done) return
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', stop)
    void iterator.return?.().catch(() => undefined)
  }
}

/** Bytes worth keeping: none where nothing can ask for the answer again. */
const maxStored = ({ receipt, idempotencyKey }: Context): number => {
  if (receipt) return maxPaidBytes
  return idempotencyKey === undefined ? -1 : maxKeyedBytes
}

/** Runs the handler in the context of its tool, and returns what is stored of its answer. */
const runHandler = async (endpoint: AnyEndpoint, ctx: Parameters<AnyTool['run']>[0]): Promise<object> => {
  const exchange = exchangeOf(ctx) as Exchange
  let committed: { answer: EndpointAnswer; stored: object } | undefined
  const commit = async <R extends EndpointAnswer>(work: (tx: Tx) => Promise<R>): Promise<R> => {
    let answer: R | undefined
    const stored = await ctx.commit(async tx => {
      answer = await work(tx)
      return toStored(answer, maxStored(context))
    })
    if (!answer) throw new Error('a commit without an answer')
    committed = { answer, stored }
    return answer
  }
  const context: Context = Object.assign(Object.create(ctx), {
    call: exchange.call(ctx.caller),
    commit,
    receipt: ctx.receipt ?? exchange.receipt,
  })
  const { request } = exchange
  const isStream = endpoint.body === 'stream'
  const chunks = isStream ? until(ctx.signal, request.chunks) : request.chunks
  const answer = await endpoint.run(context, { ...request, chunks })
  if (committed && committed.answer !== answer)
    throw new Error('a handler must answer with what it committed')
  if (answer.kind === 'rpc' && !request.rpc) throw new Error('an answer of JSON-RPC to what is no call of it')
  exchange.answer = answer
  return committed?.stored ?? toStored(answer, maxStored(context))
}

const tools = new WeakMap<AnyEndpoint, AnyTool>()

/** The endpoint as the pipeline, and descriptions, take a tool. */
export const toolFor = (endpoint: AnyEndpoint): AnyTool => {
  const before = tools.get(endpoint)
  if (before) return before
  const { name, title, description, method, path, needs, wants, auth, limits, price, check, timeoutMs } =
    endpoint
  const isRead = method === 'GET'
  const endpointTool = tool({
    name,
    title,
    description,
    input: RequestName,
    output: StoredAnswer,
    needs: needs as readonly (keyof Ports)[],
    ...(wants && { wants: wants as readonly (keyof Ports)[] }),
    ...(auth && { auth }),
    ...(limits && { limits }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    price: price ?? free,
    settle: 'before',
    hints: { readOnly: isRead, destructive: false, idempotent: isRead, openWorld: false },
    mcp: false,
    examples: [{ method, target: path, digest: '' }],
  }).run(ctx => runHandler(endpoint, ctx) as Promise<{ kind: string }>)
  const checked: AnyTool = check
    ? { ...endpointTool, check: ctx => check(ctx, (exchangeOf(ctx) as Exchange).request) }
    : endpointTool
  tools.set(endpoint, checked)
  return checked
}

const freeVariants = new WeakMap<AnyTool, AnyTool>()

/** The same without its price, for an answer that was paid for and is not kept. */
const withoutPrice = (priced: AnyTool): AnyTool => {
  const freeTool = freeVariants.get(priced) ?? { ...priced, price: free }
  freeVariants.set(priced, freeTool)
  return freeTool
}

/**
 * The service to one whose caller is proven: a signature that may be used once would not prove it a second time. Only the
 * credential that proved it goes along.
 */
const toProofs = (service: Service, credentials: Incoming['credentials'], caller: Caller | undefined) => {
  if (!caller || caller.via === 'public') return { service, credentials }
  const { via } = caller
  const value = credentials[via]
  if (value === undefined) return { service, credentials }
  const identify = { [via]: { needs: [], run: async () => caller } }
  return { service: { ...service, identify }, credentials: { [via]: value } }
}

/** The Idempotency-Key of the nth call within a call: the same when that is tried again, and never that of another input. */
const innerKey = (key: string, ...call: unknown[]): string =>
  createHash('sha256')
    .update(JSON.stringify([key, ...call]))
    .digest('base64url')

export type EndpointOutcome = Omit<Outcome, 'output' | 'text'> & { answer: EndpointAnswer }

const shortenTarget = (url: string): string =>
  url.length <= maxTargetLength ? url : `sha256:${createHash('sha256').update(url).digest('base64url')}`

/**
 * Runs an endpoint through the pipeline of tools: identify, limits, price, charge, run, log. `digest` is that of the raw body, so
 * that a payment and an Idempotency-Key belong to these very bytes. Throws ToolError only.
 */
export const callEndpoint = async (
  world: World,
  service: Service,
  endpoint: AnyEndpoint,
  request: EndpointRequest,
  received: Omit<Incoming, 'input' | 'exchange'>,
  digest: string,
): Promise<EndpointOutcome> => {
  const incoming = endpoint.bundled ? { ...received, audience: bundleResource(world) } : received
  let calls = 0
  const { idempotencyKey } = incoming
  const exchange: Exchange = {
    request,
    answer: undefined,
    call:
      caller =>
      async <T extends Callee>(tool: T, input: object, meta?: object) => {
        const name = typeof tool === 'string' ? tool : tool.name
        const target = service.tools.find(each => each.name === name)
        if (!target) throw new Error(`${service.slug} has no tool "${name}"`)
        calls += 1
        const same = toProofs(service, incoming.credentials, caller)
        const key = idempotencyKey === undefined ? undefined : innerKey(idempotencyKey, calls, name, input)
        const evidence = meta
          ? { ...incoming.evidence, meta: { ...incoming.evidence.meta, ...meta } }
          : incoming.evidence
        const inner = { ...incoming, credentials: same.credentials, input, evidence, idempotencyKey: key }
        const { output, price, receipt, parts } = await call(world, same.service, target, inner)
        if (receipt) exchange.paid = { price, receipt, parts }
        // An answer was checked to be what its tool declares.
        return output as CallOutput<T>
      },
  }
  const input = { method: endpoint.method, target: shortenTarget(incoming.request.url), digest }
  const endpointTool = toolFor(endpoint)
  const outcome = await call(world, service, endpointTool, { ...incoming, input, exchange })
  const answer = exchange.answer ?? fromStored(outcome.output)
  if (answer) return { ...outcome, ...exchange.paid, answer }
  const again: Exchange = { ...exchange, receipt: outcome.receipt }
  // A GET that was paid for may be read to its end: its stream was cut off, or its bytes were too many to keep.
  if (endpoint.method === 'GET')
    await call(world, service, withoutPrice(endpointTool), { ...incoming, input, exchange: again })
  if (again.answer) return { ...outcome, answer: again.answer }
  const { receipt, parts = {} } = outcome
  const conflict = new ToolError(
    'conflict',
    'This was answered before; streams and large answers are not kept.',
    { hint: 'The call has run. Use a new Idempotency-Key, or a new payment, to run it again.' },
  )
  throw receipt ? withCharge(withPayment(conflict, reportSettled(receipt), parts), true) : conflict
}
