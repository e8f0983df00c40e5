import { ToolError } from '../../kernel/error.ts'
import { inSpan, type Span } from '../../lib/trace/span.ts'
import type { Lane } from '../scheduler/lane.ts'
import type { Asker } from '../scheduler/port.ts'
import { readAnswer, type TransportResponse } from './answer.ts'
import type { TargetBudget } from './budget.ts'
import { nextStep, type Step, withTrace } from './carry.ts'
import { networkFailure, upstream } from './failure.ts'
import type { Guard } from './guard.ts'
import type { Pace } from './pace.ts'
import type { Pauses } from './pause.ts'
import type { Fetched, Hop, NamedBy } from './port.ts'
import type { Transport } from './transport.ts'

export type FollowOptions = {
  guard: Guard
  lane: Lane
  asker: Asker | undefined
  pauses: Pauses
  pace: Pace
  budget: TargetBudget
  namedBy: NamedBy
  transport: Transport
  signal: AbortSignal
  /** Ask the site itself, whatever is kept of it. */
  fresh: boolean
  gapMs: number
  maxRedirects: number
  maxBytes: number
  types?: RegExp | undefined
}

const redirects = new Set([301, 302, 303, 307, 308])

/** A refusal further on the way is the site's doing, not the caller's. */
const withBlame = (from: Hop | undefined, error: unknown): unknown => {
  if (!from || !(error instanceof ToolError) || error.code !== 'invalid_input') return error
  const reason = error.extra.issues?.[0]?.message ?? 'it is refused'
  const sentence = `redirects to an address that is not visited: ${reason}`
  return upstream(new URL(from.url).hostname, sentence, false, { cause: error, reason: 'unsafe_redirect' })
}

/** Headers arrive as Latin-1; sites write UTF-8 into them, as browsers read it. */
const leadTo = (step: Step, header: string): string => {
  const location = Buffer.from(header, 'latin1').toString()
  if (URL.canParse(location, step.url.href)) return new URL(location, step.url).href
  throw upstream(step.url.hostname, 'redirects to something that is no address', false)
}

const listHeaders = (headers: TransportResponse['headers']): Hop['headers'] =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, [value].flat()]])),
  )

/** Takes one step after the other by hand, so that every address on the way meets the same guard as the first. */
export const follow = async (first: Step, journey: FollowOptions): Promise<Fetched> => {
  const { guard, lane, asker, pauses, budget, transport, signal, maxRedirects } = journey
  const hops: Hop[] = []
  const visited = new Set<string>()

  const takeTraced = (step: Step): Promise<Fetched | Step> => {
    const { method, url } = step
    // The path is left out: it may hold a key.
    const facts = {
      'http.request.method': method,
      'server.address': url.hostname,
      'server.port': Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
      'url.scheme': url.protocol.slice(0, -1),
    }
    return inSpan(asker?.span, [method, 'client', facts], span => take(step, span))
  }

  const take = async (step: Step, span: Span | undefined): Promise<Fetched | Step> => {
    const host = step.url.hostname
    const namedBy = host === first.url.hostname ? journey.namedBy : 'page'
    const giveBack = budget.request(step.url, namedBy)
    const started = performance.now()
    const { response, ip } = await transport
      .send(withTrace(step, span), signal, journey.fresh, namedBy)
      .catch(cause => {
        throw networkFailure(host, cause)
      })
    if (ip === null) giveBack()
    try {
      const { statusCode: status } = response
      span?.set({ 'http.response.status_code': status, 'network.peer.address': ip ?? undefined })
      const ms = Math.round(performance.now() - started)
      const hop: Hop = { url: step.url.href, status, ms, headers: listHeaders(response.headers), ip }
      pauses.note(step.url, status, hop.headers['retry-after']?.[0])
      const location = [response.headers.location].flat()[0]
      hops.push(hop)
      const isRedirect = redirects.has(status) && location !== undefined
      if (isRedirect) hop.location = leadTo(step, location)
      if (!isRedirect || maxRedirects === 0) return { ...(await readAnswer(step, response, journey)), hops }
      if (hops.length > maxRedirects) throw upstream(host, `redirects more than ${maxRedirects} times`, false)
      const next = nextStep(step, status, guard.check(hop.location ?? '').url)
      if (!next)
        throw upstream(host, 'redirects to another site, to which the request body is not sent', false)
      return next
    } finally {
      response.body.destroy()
    }
  }

  for (let step = first; ; ) {
    const visit = `${step.method} ${step.url.href}`
    if (visited.has(visit)) throw upstream(step.url.hostname, 'redirects in a circle', false)
    visited.add(visit)
    pauses.check(step.url)
    await journey.pace(step.url.origin, journey.gapMs, signal)
    const place = await lane.enter({ asker, target: step.url.origin, signal })
    try {
      pauses.check(step.url)
      const result = await takeTraced(step).catch(error => {
        throw withBlame(hops.at(-1), error)
      })
      if ('hops' in result) return result
      step = result
    } finally {
      place.leave()
    }
  }
}
