import { decodePaymentSignatureHeader } from '@x402/core/http'
import type {
  PaywallConfig,
  PaywallProvider,
  SettlementOverrides,
  x402HTTPResourceServer,
} from '@x402/core/server'
import { attachBackgroundInitHandler, SETTLEMENT_OVERRIDES_HEADER } from '@x402/core/server'
import type { PaymentPayload, PaymentRequired as Quote } from '@x402/core/types'
import { ExpressAdapter } from '@x402/express'
import type { NextFunction, Request, Response } from 'express'
import { PaymentRequired, ToolError, withCharge } from '../../mcp/kernel/error.ts'
import { type PaymentEvidence, readEvidence } from '../../mcp/kernel/http.ts'
import { usd } from '../../mcp/kernel/tool.ts'
import type { Charge, Gate, Paid } from '../../mcp/payment/charge.ts'
import type { Store } from '../../mcp/ports/store/port.ts'
import { refuse } from '../refuse.ts'
import { isBrowser, toRouteContext } from './adapter.ts'
import { openBazaar } from './bazaar.ts'
import { bufferAnswer, type HandlerAnswer, sendAnswer } from './buffered-answer.ts'
import { enterRoute, type MatchedRoute } from './matched-route.ts'
import { rememberedPayment, rememberPayment } from './paid-page.ts'
import { sendUnpaid } from './refusal.ts'
import { nameRequest, type RequestName } from './request-name.ts'
import { type RouteCall, routeCall } from './route-call.ts'
import { routesService, settleFor, toFacts, toOffers, toRouteTool } from './route-charge.ts'
import { fromSealed, type SealedAnswer, toSealed } from './sealed-answer.ts'

/** Parts for payments of routes: the gate over the seller's methods, and the store whose transactions seal answers. */
export type RoutePayments = { gate: Gate; store: Store }

export type MiddlewareOptions = {
  http: x402HTTPResourceServer
  paywallConfig: PaywallConfig | undefined
  /** The page for people; the seller's own, or ours. */
  paywall: PaywallProvider
  /** True when the facilitators are asked what they support before the first payment. */
  sync: boolean
  /** When money moves, where the route does not say. */
  settle: 'before' | 'after' | undefined
  /** The caller, for routes that answer callers differently: a payment is good for its own caller only. */
  caller: ((req: Request) => string | undefined) | undefined
  abandonMs: number
  open(): Promise<RoutePayments>
}

export type Middleware = (req: Request, res: Response, next: NextFunction) => Promise<void>

/** Asks the facilitators once; a failure is asked again with the next request. */
const openInitialize = (http: x402HTTPResourceServer, sync: boolean): (() => Promise<void>) => {
  if (!sync) return async () => undefined
  let initializing: Promise<void> | undefined = http.initialize()
  attachBackgroundInitHandler(initializing)
  return async () => {
    initializing ??= http.initialize()
    await initializing.catch((thrown: unknown) => {
      initializing = undefined
      throw thrown
    })
  }
}

/** The extensions that a client sent back; what cannot be read is the gate's to name. */
const echoedIn = (req: Request): PaymentPayload | undefined => {
  const header = req.header('payment-signature')
  if (header === undefined) return undefined
  try {
    return decodePaymentSignatureHeader(header)
  } catch {
    return undefined
  }
}

const overridesIn = (answer: HandlerAnswer): SettlementOverrides | undefined => {
  const header = answer.headers[SETTLEMENT_OVERRIDES_HEADER.toLowerCase()]
  try {
    return header === undefined ? undefined : (JSON.parse(String(header)) as SettlementOverrides)
  } catch {
    return undefined
  }
}

/** Nobody hears of them but the facilitator. */
const withoutOverrides = (answer: HandlerAnswer): HandlerAnswer => {
  const { [SETTLEMENT_OVERRIDES_HEADER.toLowerCase()]: _, ...headers } = answer.headers
  return { ...answer, headers }
}

/** The handler answered that it failed: the payment is not taken, or it is owed, and the client reads what the handler said. */
class HandlerFailed extends Error {
  override readonly name = 'HandlerFailed'
  readonly answer: HandlerAnswer

  constructor(answer: HandlerAnswer) {
    super(`the handler answered ${answer.status}`)
    this.answer = answer
  }
}

const shouldSkip = ({
  contentType = 'application/json',
  body = {},
}: NonNullable<RouteCall['skip']>): HandlerAnswer => ({
  status: 200,
  message: undefined,
  headers: { 'content-type': contentType },
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
})

const privately = (value: unknown): string => {
  const before = value === undefined ? '' : String(value)
  if (/(^|,)\s*private\s*(,|=|$)/i.test(before)) return before
  const shared = before.replace(/(^|,)\s*public\s*(?=,|$)/gi, '').replace(/^\s*,\s*/, '')
  return shared === '' ? 'private' : `${shared}, private`
}

/** Marks a paid answer as the payer's; no cache in between may hand it to others. */
const sayPaid = (res: Response, { headers = {} }: Paid['parts'], existing: unknown): void => {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
  res.setHeader('Cache-Control', privately(existing))
}

/** A facilitator that answered junk or not at all; the class may be that of another copy of @x402/core. */
const isFacilitatorFailure = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  (/^Facilitator(Response|Timeout)Error$/.test(thrown.name) || isFacilitatorFailure(thrown.cause))

const facilitatorFailed = (cause: unknown) =>
  new ToolError('upstream', 'The facilitator of this payment does not answer as it should.', {
    hint: 'Nothing was charged. Send the same request again.',
    retryAfter: 5,
    cause,
  })

const ignore = (): void => undefined

const noPayment: PaymentEvidence = { headers: {}, meta: {} }

const withPayment = (evidence: PaymentEvidence, payment: string | undefined): PaymentEvidence =>
  payment === undefined
    ? evidence
    : { ...evidence, headers: { ...evidence.headers, 'payment-signature': payment } }

/** The stock middleware's place in an Express application, with every payment through the gate. */
export const openMiddleware = (options: MiddlewareOptions): Middleware => {
  const { http, paywallConfig, paywall, settle: chosen, caller, abandonMs } = options
  const { server } = http
  const initialize = openInitialize(http, options.sync)
  const bazaar = openBazaar(http)

  /** The quote as the seller's server builds it, its dynamic prices and enriched extensions included. */
  const buildCall = async ({ config, context }: MatchedRoute, req: Request): Promise<RouteCall> => {
    const requirements = await server.buildPaymentRequirementsFromOptions([config.accepts].flat(), context)
    const extensions = config.extensions && server.enrichExtensions(config.extensions, context)
    const required = await server.createPaymentRequiredResponse(
      requirements,
      toFacts(config, context),
      undefined,
      extensions,
      { request: context },
    )
    const echoed = echoedIn(req)
    const call: RouteCall = {
      config,
      context,
      required,
      extensions,
      settle: settleFor({ config, context }, required, chosen),
      echoed: echoed?.extensions,
    }
    if (echoed?.extensions && !server.validateExtensions(required, echoed).valid)
      call.refusal = 'extension_echo_mismatch'
    return call
  }

  const toCharge = (
    route: MatchedRoute,
    call: RouteCall,
    req: Request,
    input: RequestName,
    remembered: string | undefined,
  ): Charge => {
    const id = caller?.(req)
    const isRefused = call.refusal !== undefined
    const { client, idempotencyKey, payment } = readEvidence(req)
    return {
      service: routesService,
      tool: toRouteTool(route, call.settle),
      input,
      price: usd('0'),
      caller: id === undefined ? undefined : { id, via: 'public' },
      channel: 'rest',
      resource: call.required.resource?.url ?? '',
      method: req.method,
      evidence: isRefused ? noPayment : withPayment(payment, remembered),
      sender: { address: client, idempotencyKey },
      idempotencyKey,
      offers: toOffers(server, call.required, call.settle),
      quoteFacts: {
        resource: { ...call.required.resource },
        extensions: call.required.extensions,
        get error() {
          return call.refusal
        },
      },
    }
  }

  /** Tells the hooks of a payment whose work failed; what they throw is their own. */
  const cancel = async (call: RouteCall, reason: 'handler_threw' | 'handler_failed', status?: number) => {
    const { payload, extensions, context, settled } = call
    if (!payload) return
    await server
      .createPaymentCancellationDispatcher(
        payload.payment,
        payload.requirements,
        extensions,
        { request: context },
        settled ? ['before-handler'] : [],
      )
      .cancel({ reason, ...(status !== undefined && { responseStatus: status }) })
      .catch(() => undefined)
  }

  const charge = async (
    { gate, store }: RoutePayments,
    route: MatchedRoute,
    call: RouteCall,
    { req, res, next }: { req: Request; res: Response; next: NextFunction },
    remembered?: string,
  ): Promise<void> => {
    let handlerAnswer: HandlerAnswer | undefined
    let paidParts: Paid['parts'] | undefined

    const work = async (paid: Paid): Promise<SealedAnswer> => {
      const seal = (answer: SealedAnswer) => store.transaction(tx => paid.seal(tx, answer))
      if (paid.receipt) paidParts = paid.parts
      const onStream =
        paid.receipt &&
        (async (head: Omit<HandlerAnswer, 'body'>) => {
          await seal(toSealed({ ...head, body: undefined }))
          sayPaid(res, paid.parts, res.getHeader('Cache-Control'))
        })
      const answer = call.skip
        ? shouldSkip(call.skip)
        : await bufferAnswer(res, next, { onStream, abandonMs }).catch(async (thrown: unknown) => {
            await cancel(call, 'handler_threw')
            throw thrown
          })
      call.overrides = overridesIn(answer)
      handlerAnswer = withoutOverrides(answer)
      if (handlerAnswer.status >= 400) {
        await cancel(call, 'handler_failed', handlerAnswer.status)
        throw new HandlerFailed(handlerAnswer)
      }
      call.answer = {
        body: handlerAnswer.body ?? Buffer.alloc(0),
        headers: Object.fromEntries(
          Object.entries(handlerAnswer.headers).map(([name, value]) => [name, String(value)]),
        ),
      }
      const sealed = toSealed(handlerAnswer)
      if (handlerAnswer.body) await seal(sealed)
      return sealed
    }

    const charged = await gate
      .charge(toCharge(route, call, req, await nameRequest(req), remembered), work)
      .catch((thrown: unknown) => {
        if (thrown instanceof HandlerFailed) return thrown
        if (paidParts && !res.headersSent) sayPaid(res, paidParts, undefined)
        throw thrown
      })
    res.removeHeader(SETTLEMENT_OVERRIDES_HEADER)
    if (charged instanceof HandlerFailed) {
      const { answer } = charged
      if (paidParts) sayPaid(res, paidParts, answer.headers['cache-control'])
      const { 'cache-control': _, ...headers } = answer.headers
      return sendAnswer(res, paidParts ? { ...answer, headers } : answer)
    }
    const answer = charged.replayed
      ? fromSealed(charged.answer)
      : (handlerAnswer ?? fromSealed(charged.answer))
    if (!answer)
      throw new ToolError('conflict', 'This was answered before; streams and large answers are not kept.', {
        charged: true,
        hint: 'The request has run. Pay anew to run it again.',
      })
    if (answer.body === undefined) return
    if (charged.replayed) res.setHeader('Idempotency-Replayed', 'true')
    sayPaid(res, charged.parts, answer.headers['cache-control'])
    rememberPayment(req, res, answer)
    const { 'cache-control': _, ...headers } = answer.headers
    sendAnswer(res, { ...answer, headers })
  }

  const answerUnpaid = async (
    res: Response,
    call: RouteCall,
    refusal: PaymentRequired,
    hasPayment: boolean,
  ): Promise<void> => {
    const { config, context, failure } = call
    const status = call.refusal === 'permit2_allowance_required' ? 412 : 402
    if (hasPayment) {
      const custom =
        failure &&
        (await config.settlementFailedResponseBody?.(context, {
          ...failure,
          success: false,
          headers: { ...refusal.extra.parts?.headers },
        } as never))
      return sendUnpaid(res, refusal, { status, body: custom || undefined })
    }
    const quote = refusal.parts.structured as Quote | undefined
    if (quote && isBrowser(context.adapter)) {
      const html = config.customPaywallHtml ?? paywall.generateHtml(quote, paywallConfig)
      res.setHeader('Content-Security-Policy', "frame-ancestors 'none'")
      return sendUnpaid(res, refusal, {
        status,
        body: { contentType: 'text/html; charset=utf-8', body: html },
      })
    }
    const custom = await config.unpaidResponseBody?.(context)
    sendUnpaid(res, refusal, { status, body: custom })
  }

  return async (req, res, next) => {
    const context = toRouteContext(new ExpressAdapter(req))
    if (!http.requiresPayment(context)) return next()
    // A handler that was given up may still write; unheard, the error of that would end the process.
    res.on('error', ignore)
    let payments: RoutePayments
    try {
      ;[payments] = await Promise.all([options.open(), initialize(), bazaar])
    } catch (thrown) {
      if (isFacilitatorFailure(thrown)) return refuse(res, facilitatorFailed(thrown))
      return next(thrown)
    }
    let call: RouteCall | undefined
    try {
      const entry = await enterRoute(http, context)
      if (entry === 'free') return next()
      if ('refused' in entry) {
        res.status(403).json({ error: entry.refused })
        return
      }
      const routed = await buildCall(entry.route, req)
      call = routed
      const exchange = { req, res, next }
      const remembered = rememberedPayment(req)
      // A payment that a browser kept is no answer to this request if the gate refuses it: then nobody has paid yet.
      if (remembered !== undefined)
        await routeCall
          .run(routed, () => charge(payments, entry.route, routed, exchange, remembered))
          .catch((thrown: unknown) => {
            if (!(thrown instanceof ToolError) || thrown.code === 'payment_pending') throw thrown
          })
      if (res.headersSent || res.writableEnded) return
      await routeCall.run(routed, () => charge(payments, entry.route, routed, exchange))
    } catch (thrown) {
      if (res.headersSent) return
      if (call && thrown instanceof PaymentRequired) {
        const hasPayment = call.refusal !== undefined || payments.gate.hasPayment(readEvidence(req).payment)
        return answerUnpaid(res, call, thrown, hasPayment).catch(next)
      }
      if (thrown instanceof ToolError)
        return refuse(res, withCharge(thrown, thrown.extra.payment?.success === true))
      if (isFacilitatorFailure(thrown)) return refuse(res, facilitatorFailed(thrown))
      next(thrown)
    }
  }
}
