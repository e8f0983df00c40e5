import { call, type Incoming, type Outcome, type World } from '../mcp/kernel/call.ts'
import { PaymentPending, type ToolError } from '../mcp/kernel/error.ts'
import { leaving, type Route, readEvidence } from '../mcp/kernel/http.ts'
import type { RateLimitStatus } from '../mcp/kernel/pipeline/limits.ts'
import type { Service } from '../mcp/kernel/service.ts'
import type { AnyTool } from '../mcp/kernel/tool.ts'
import { type HeaderList, sendWhole } from '../mcp/kernel/whole-answer.ts'
import { inputReader } from './input.ts'
import { type AskPayment, sendPaywall } from './paywall.ts'
import { json, send } from './send.ts'

type Method = Route['method']

const methods: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies Method[]

/** `GET /api/pet` as its two parts. Throws when the declaration is no route. */
export const parseRoute = (route: string): { method: Method; path: string } => {
  const [method = '', path = '', ...more] = route.split(' ')
  if (!methods.includes(method) || !path.startsWith('/') || more.length > 0)
    throw new Error(`"${route}" is no route; "GET /path/:field" is`)
  return { method: method as Method, path }
}

/** A declared path with its params in place. */
export const fillPath = (path: string, params: Readonly<Record<string, string>>): string =>
  !path.includes(':')
    ? path
    : path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))

const windows = { free: 60, ally: 86_400 } as const

const secondsTo = (time: string): number => Math.max(0, Math.ceil((Date.parse(time) - Date.now()) / 1000))

const policyText = ({ quota }: RateLimitStatus): string => `"default";q=${quota};w=60`

const standingText = ({ remaining, resetSeconds }: RateLimitStatus): string =>
  `"default";r=${remaining};t=${resetSeconds}`

/** Headers of a successful answer: where the client stands (RateLimit, draft-11), and its receipt. */
export const toHeaders = ({
  standing,
  quota,
  replayed,
  receipt,
  parts,
}: Omit<Outcome, 'output' | 'text'>): Record<string, string> => {
  const headers: Record<string, string> = {}
  if (standing) {
    headers['RateLimit-Policy'] = policyText(standing)
    headers.RateLimit = standingText(standing)
  }
  if (quota) {
    const { tier, limit, remaining, resetAt } = quota
    headers['RateLimit-Policy'] += `, "${tier}";q=${limit};w=${windows[tier]}`
    headers.RateLimit += `, "${tier}";r=${remaining};t=${secondsTo(resetAt)}`
  }
  if (replayed) headers['Idempotency-Replayed'] = 'true'
  if (receipt) headers['Cache-Control'] = 'private'
  return { ...headers, ...parts?.headers }
}

/** The same as a list, for a success without a receipt; most have a standing and nothing else. */
const toHeaderList = (outcome: Outcome): HeaderList => {
  const { standing, quota, replayed } = outcome
  if (quota || replayed || !standing)
    return ['Cache-Control', 'no-store', ...Object.entries(toHeaders(outcome)).flat()]
  return [
    'Cache-Control',
    'no-store',
    'RateLimit-Policy',
    policyText(standing),
    'RateLimit',
    standingText(standing),
  ]
}

/**
 * The answer to a call whose payment is being confirmed, with `Location`: where its client collects the answer, without the payment and
 * without signing again.
 */
export const withLocation = async (
  world: World,
  service: Service,
  tool: AnyTool,
  { input, resource }: Incoming,
  pending: PaymentPending,
): Promise<ToolError> => {
  const { record } = pending
  const { calls } = world.gate ?? {}
  if (record === undefined || !calls) return pending
  const handle = await calls.keep({
    record,
    service: service.slug,
    tool: tool.name,
    input,
    resource,
  })
  return pending.at(`${world.site.url}/payments/${handle}`)
}

/** Sends the answer of a call. */
export const sendOutcome = (res: Parameters<Route['handle']>[1], tool: AnyTool, outcome: Outcome): void => {
  const { output, replayed } = outcome
  // A dry run makes nothing, and neither does the answer of before.
  const code = replayed || output.dry_run === true ? 200 : (tool.rest?.status ?? 200)
  const text = JSON.stringify(output)
  if (outcome.receipt || outcome.parts) send(res, code, json, text, toHeaders(outcome))
  else sendWhole(res, code, json, text, toHeaderList(outcome))
}

/** Answers a tool on one route. A client that goes away aborts the call's signal. A person who must pay is asked on a page. */
export const toolRoute = (
  world: World,
  service: Service,
  tool: AnyTool,
  route: string,
  askPayment?: AskPayment,
): Route => {
  const { method, path } = parseRoute(route)
  const readInput = inputReader(tool, method)
  return {
    method,
    path,
    isWhole: true,
    async handle(req, res, params) {
      const { input, free } = await readInput(req, res, params)
      const { credentials, request, payment, idempotencyKey, client } = readEvidence(req)
      const incoming: Incoming = {
        channel: 'rest',
        input,
        credentials,
        request,
        client,
        resource: world.base(service) + fillPath(path, params),
        evidence: payment,
        idempotencyKey,
        free,
        signal: leaving(res),
      }
      try {
        sendOutcome(res, tool, await call(world, service, tool, incoming))
      } catch (error) {
        if (askPayment && (await sendPaywall(req, res, error, askPayment, { tool, input }))) return
        throw error instanceof PaymentPending
          ? await withLocation(world, service, tool, incoming, error)
          : error
      }
    },
  }
}
