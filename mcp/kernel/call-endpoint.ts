import { z } from 'zod'
import type { Ports } from '../ports/index.ts'
import { call, type Incoming, type Outcome, type World } from './call.ts'
import type { AnyEndpoint, EndpointAnswer, EndpointContext, EndpointRequest } from './endpoint.ts'
import { ToolError } from './error.ts'
import { exchangeOf } from './pipeline/context.ts'
import type { Service } from './service.ts'
import { type AnyTool, free, tool } from './tool.ts'

/** Bytes of a binary answer that are kept for the payment or the Idempotency-Key that it came with. */
const maxStoredBytes = 262_144

type Exchange = {
  request: EndpointRequest
  call: EndpointContext<keyof Ports>['call']
  /** What the handler answered; undefined when the stored answer was given again. */
  answer: EndpointAnswer | undefined
}

/** What names a request to the gate and to Idempotency-Key: the target, and the digest of the body. */
const RequestName = z.object({
  method: z.string().describe('HTTP method'),
  target: z.string().describe('Path with its parameters, and the query'),
  digest: z.string().describe('SHA-256 of the body, base64; empty for a body that streams'),
})

const Stored = z.looseObject({ kind: z.string() })

/** What of an answer is stored: JSON whole, bytes up to a limit, nothing of a stream. */
const toStored = (answer: EndpointAnswer): Record<string, unknown> & { kind: string } => {
  if (answer.kind === 'events') return { kind: 'events' }
  if (answer.kind !== 'bytes') return { ...answer }
  const { bytes, ...rest } = answer
  return bytes.length > maxStoredBytes
    ? { ...rest }
    : { ...rest, base64: Buffer.from(bytes).toString('base64') }
}

/** A stored answer as it was. Throws `conflict` for one that is not kept. */
const fromStored = ({ kind, base64, ...rest }: Record<string, unknown>): EndpointAnswer => {
  if (kind === 'bytes' && typeof base64 === 'string')
    return { ...rest, kind, bytes: Buffer.from(base64, 'base64') } as unknown as EndpointAnswer
  if (kind === 'json' || kind === 'rpc' || kind === 'empty') return { ...rest, kind } as EndpointAnswer
  throw new ToolError('conflict', 'This was answered before; streams and large answers are not kept.')
}

const tools = new WeakMap<AnyEndpoint, AnyTool>()

/** The endpoint as the pipeline takes it. */
const toolFor = (endpoint: AnyEndpoint): AnyTool => {
  const before = tools.get(endpoint)
  if (before) return before
  const { name, title, description, method, path, needs, wants, auth, limits, price, timeoutMs } = endpoint
  const isRead = method === 'GET'
  const made = tool({
    name,
    title,
    description,
    input: RequestName,
    output: Stored,
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
  }).run(async ctx => {
    const exchange = exchangeOf(ctx) as Exchange
    const context = Object.assign(Object.create(ctx), { call: exchange.call })
    exchange.answer = await endpoint.run(context, exchange.request)
    return toStored(exchange.answer)
  })
  tools.set(endpoint, made)
  return made
}

export type EndpointOutcome = Omit<Outcome, 'output' | 'text'> & { answer: EndpointAnswer }

/**
 * Runs an endpoint through the pipeline of tools: identify, limits, price, charge, run, log. `digest` is that of the raw body, so
 * that a payment and an Idempotency-Key belong to these very bytes. Throws ToolError only.
 */
export const callEndpoint = async (
  world: World,
  service: Service,
  endpoint: AnyEndpoint,
  request: EndpointRequest,
  incoming: Omit<Incoming, 'input' | 'exchange'>,
  digest: string,
): Promise<EndpointOutcome> => {
  const exchange: Exchange = {
    request,
    answer: undefined,
    async call(name, input) {
      const called = service.tools.find(each => each.name === name)
      if (!called) throw new Error(`${service.slug} has no tool "${name}"`)
      return (await call(world, service, called, { ...incoming, input })).output
    },
  }
  const input = { method: request.method, target: incoming.request.url.slice(0, 2048), digest }
  const {
    output,
    text: _,
    ...outcome
  } = await call(world, service, toolFor(endpoint), { ...incoming, input, exchange })
  return { ...outcome, answer: exchange.answer ?? fromStored(output) }
}
