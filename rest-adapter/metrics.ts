import { createHash, timingSafeEqual } from 'node:crypto'
import { ToolError } from '../mcp/kernel/error.ts'
import type { Request, Route } from '../mcp/kernel/http.ts'
import { send } from './send.ts'

/** Metrics for Prometheus. */
export type Metrics = { contentType: string; body: string }

const forwarding = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
]

const digest = (text: string) => createHash('sha256').update(text).digest()

/** True for a request that a process of this machine sent itself. */
const isLocal = ({ socket, headers }: Request): boolean =>
  /^(?:::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '') &&
  forwarding.every(name => headers[name] === undefined)

/** `tokens` are two with a comma between them while one takes the place of the other. */
const carries = ({ headers }: Request, tokens: string): boolean => {
  const [scheme = '', value = ''] = (headers.authorization ?? '').split(' ')
  const isToken = (token: string) => token !== '' && timingSafeEqual(digest(value), digest(token))
  return scheme.toLowerCase() === 'bearer' && tokens.split(/ *, */).some(isToken)
}

const refusal = (token: string | undefined): ToolError =>
  token === undefined
    ? new ToolError('forbidden', 'Metrics are closed here.', {
        hint: 'The operator may set OCTAGENT_METRICS_TOKEN, which opens them.',
      })
    : new ToolError('unauthenticated', 'Metrics ask for the token of the operator.', {
        hint: 'Send Authorization: Bearer <token>.',
        headers: { 'WWW-Authenticate': 'Bearer realm="metrics"' },
      })

export type MetricsOptions = {
  readonly token: string | undefined
  /** True behind a proxy or under a public name: a request from this machine may then be anybody's. */
  readonly isPublic: boolean
}

/** True for a request of the operator: with the token, or on an installation without a public address from this machine. */
export const isOperatorRequest = (req: Request, { token, isPublic }: MetricsOptions): boolean =>
  // A token that is sent has to be the right one, wherever it comes from.
  req.headers.authorization === undefined
    ? !isPublic && isLocal(req)
    : token !== undefined && carries(req, token)

/** `/metrics`, for holders of the token and, on an installation without a public address, for processes of this machine. */
export const metricsRoute = (readMetrics: () => Promise<Metrics>, access: MetricsOptions): Route => ({
  method: 'GET',
  path: '/metrics',
  async handle(req, res) {
    if (!isOperatorRequest(req, access)) throw refusal(access.token)
    const { contentType, body } = await readMetrics()
    send(res, 200, contentType, body)
  },
})
