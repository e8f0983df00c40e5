import { randomUUID } from 'node:crypto'
import { inSpan, type Span } from '../lib/trace/span.ts'
import type { Gate } from '../payment/charge.ts'
import type { Ports } from '../ports/ports.ts'
import type { Asker } from '../ports/scheduler/port.ts'
import {
  isExplained,
  type PaymentParts,
  PaymentRequired,
  reportSettled,
  ToolError,
  toToolError,
  withCharge,
  withNext,
  withPayment,
} from './error.ts'
import { openAbort } from './pipeline/abort.ts'
import { checkToolInput } from './pipeline/check.ts'
import { buildContext } from './pipeline/context.ts'
import { hasDays, takeDays } from './pipeline/daily.ts'
import { type ClaimResult, checkKey, claimKey } from './pipeline/idempotency.ts'
import {
  identifyPayer,
  identifyPublic,
  identifyToolCaller,
  withoutKey,
  withSignIn,
} from './pipeline/identify.ts'
import type { Incoming, Outcome } from './pipeline/incoming.ts'
import { hasLimits, overLimit, type RateLimitStatus, takeLimits } from './pipeline/limits.ts'
import { decideTerms, type Terms, withFreeTier } from './pipeline/price.ts'
import { requireNeeds } from './pipeline/provide.ts'
import { reserveTurn } from './pipeline/reserve.ts'
import { defaultTimeoutMs, type Run, runTool } from './pipeline/run.ts'
import { beginSpan } from './pipeline/trace.ts'
import type { World } from './pipeline/world.ts'
import { callName, type Service } from './service.ts'
import type { Person } from './sign-in.ts'
import {
  type AnyTool,
  type Caller,
  free,
  isFree,
  isPriced,
  isSecret,
  type Price,
  type Quota,
  type Receipt,
} from './tool.ts'

export type { Incoming, Outcome } from './pipeline/incoming.ts'
export type { CallRecord, World } from './pipeline/world.ts'

type State = {
  /** Asker of shared ports, once anything may be reserved for the call. */
  asker: Asker | undefined
  caller: Caller | undefined
  /** Whoever is signed in, whether or not the service knows them. */
  person: Person | undefined
  price: Price | undefined
  receipt: Receipt | undefined
  parts: PaymentParts | undefined
  standing: RateLimitStatus | undefined
  quota: Quota | undefined
  /** The call in the trace that it belongs to. */
  span: Span | undefined
}

const openState = (span: Span | undefined): State => ({
  asker: undefined,
  caller: undefined,
  person: undefined,
  price: undefined,
  receipt: undefined,
  parts: undefined,
  standing: undefined,
  quota: undefined,
  span,
})

/** Waits for a promise, and for nothing else: most steps of most calls have nothing to wait for. */
const isPending = <R>(value: R | Promise<R>): value is Promise<R> => value instanceof Promise

/** The only way into a tool: identify, read, check, price, charge, run, settle, log. Throws ToolError only. */
export const call = async (
  world: World,
  service: Service,
  tool: AnyTool,
  incoming: Incoming,
): Promise<Outcome> => {
  const started = performance.now()
  const state = openState(beginSpan(world, service, tool, incoming))
  const record = (code: string, more?: { reason?: string | undefined; ref?: string; cause?: unknown }) =>
    world.record({
      service: service.slug,
      tool: tool.name,
      channel: incoming.channel,
      caller: state.caller?.id,
      person: state.person && { account: state.person.account, client: state.person.client.name },
      payer: state.receipt && `${state.receipt.network}:${state.receipt.payer.toLowerCase()}`,
      address: incoming.client,
      price: state.price,
      receipt: state.receipt?.id,
      ms: performance.now() - started,
      code,
      request: incoming.request.id,
      trace: state.span?.traceparent.slice(3, 35),
      ...more,
    })
  try {
    const outcome = await answer(world, service, tool, incoming, state)
    record('ok')
    if (state.span) endSpan(state.span, state)
    return outcome
  } catch (cause) {
    const ref = isExplained(cause) ? undefined : randomUUID()
    const refusal = withWayIn(toToolError(cause, ref), { world, service, tool, incoming, state })
    const failure = withPaymentOutcome(refusal, tool, state)
    const error = withNext(failure, name => callName(service, name, incoming.channel))
    record(error.code, ref ? { ref, cause } : { reason: error.extra.reason })
    if (state.span) endSpan(state.span, state, error)
    throw error
  } finally {
    state.asker?.release?.()
  }
}

const endSpan = (span: Span, { price, receipt }: State, error?: ToolError): void => {
  const cost = price && !isFree(price) ? `${price.amount} ${price.unit}` : undefined
  span.set({ 'octagent.price': cost, 'octagent.receipt': receipt?.id })
  span.end(error?.code, error !== undefined && error.status >= 500)
}

type Refused = { world: World; service: Service; tool: AnyTool; incoming: Incoming; state: State }

/** A refusal for want of a caller says how to become one: by signing in, or by what the account of a signed-in person lacks. */
const withWayIn = (error: ToolError, { world, service, tool, incoming, state }: Refused): ToolError => {
  if (state.caller) return error
  return state.person ? withoutKey(service, error) : withSignIn(world, service, tool, incoming, error)
}

/** A failure of a tool that has a price says whether money was taken, and what became of a payment that was settled. */
const withPaymentOutcome = (error: ToolError, tool: AnyTool, { receipt, parts = {} }: State): ToolError => {
  if (receipt) return withCharge(withPayment(error, reportSettled(receipt), parts), true)
  return isPriced(tool) ? withCharge(error, false) : error
}

const answer = async (
  world: World,
  service: Service,
  tool: AnyTool,
  incoming: Incoming,
  state: State,
): Promise<Outcome> => {
  const { ports, gate, limits } = world
  requireNeeds(world, tool.name, tool.needs, tool.withoutNeeds)

  const address = incoming.client
  const counting = takeCall(world, state, address)
  if (counting) await counting
  const identified =
    identifyPublic(service, tool, incoming) ?? (await identifyToolCaller(world, service, tool, incoming))
  state.caller = identified.caller
  state.person = identified.person
  const who = { address, caller: state.caller?.id }
  const client = who.caller ?? address
  if (who.caller !== undefined) await takeCall(world, state, who.caller)

  const reading = readInput(world, service, tool, incoming, state.caller)
  const input = isPending(reading) ? await reading : reading
  if (hasLimits(tool)) await takeLimits(limits, service, tool, who, input)

  const { caller } = state
  if (incoming.idempotencyKey !== undefined) checkKey(incoming.idempotencyKey)
  // Of strangers behind one address, only their payment tells whose key it is: the gate looks at it then.
  const isPayers = caller === undefined && gate !== undefined && isPriced(tool)
  const claim = () => openClaim(ports, service, tool, incoming, client, caller !== undefined, input)
  const keyed = isPayers || incoming.idempotencyKey === undefined ? undefined : await claim()
  if (keyed && 'replay' in keyed) return toOutcome(tool, keyed.replay as Outcome['output'], state, true)

  const abort = openAbort()
  const { span } = state
  const context = buildContext(world, service, tool, incoming, state.caller, abort, span)
  state.asker = context.asker
  const run: Run = {
    tool,
    context,
    store: ports.store,
    input,
    abort,
    client: incoming.signal,
    address,
    now: () => ports.clock?.now() ?? new Date(),
    claimed: keyed,
    begun: false,
  }
  const isUnpaid = !gate?.hasPayment(incoming.evidence)
  context.isPaying = !isUnpaid
  if (!isPriced(tool) && !hasDays(tool)) return await answerFree(run, state)
  const { channel, free = false } = incoming
  const pricedCall = { tool, service, channel, free, address, caller, input, isUnpaid }
  let terms: Terms | undefined
  let giveDaysBack: (() => Promise<void>) | undefined
  /** Why the call is refused, unless its money has moved already. */
  let refusal: unknown
  try {
    const quote = () => tool.quote?.(context, input) ?? tool.price
    const { resource, evidence, request, idempotencyKey, task } = incoming
    let payer: ReturnType<typeof identifyPayer> | undefined
    /** Whoever pays as a stranger acts as the person who signs in with the wallet; true where that is somebody. */
    const actAsPayer = async (wallet: { network: string; address: string }): Promise<boolean> => {
      if (context.caller) return false
      payer ??= identifyPayer(world, service, wallet)
      const { person, caller } = await payer
      state.person = person
      state.caller = caller
      context.caller = caller
      return caller !== undefined
    }
    const charge = {
      service,
      tool,
      input,
      price: tool.price,
      caller,
      channel,
      resource,
      address: `${world.base(service)}/tools/${tool.name}`,
      method: request.method,
      evidence,
      requestId: request.id,
      sender: { address: incoming.client, idempotencyKey, task },
      ...(!keyed && idempotencyKey !== undefined && { idempotencyKey }),
      async admit(payer: { address: string; network: string }) {
        if (await actAsPayer(payer)) await tool.check?.(context, input)
        await tool.admit?.(context, input, payer)
      },
    }
    const findPayment = () =>
      isPriced(tool) && !isUnpaid && gate
        ? inSpan(span, ['payment find', 'internal'], () => gate.findPayment(charge))
        : undefined
    // What was paid for is answered, whatever the call would cost now, or would be refused for.
    const isPaid = (await findPayment()) === 'settled'
    if ((tool.check || tool.reserves) && !isPaid)
      try {
        await inSpan(span, ['check', 'internal'], async () => {
          await tool.check?.(context, input)
          await reserveTurn(world, run)
        })
      } catch (cause) {
        const before = isPayers && isUnpaid ? await claim() : undefined
        if (before && 'replay' in before)
          return toOutcome(tool, before.replay as Outcome['output'], state, true)
        run.claimed ??= before
        if (!(await findPayment())) throw cause
        refusal = cause
      }
    if (hasDays(tool)) giveDaysBack = await takeDays(ports, service, tool, who, input)
    terms = isPaid
      ? { price: tool.price }
      : await inSpan(span, ['quote', 'internal'], () =>
          decideTerms(limits, ports, pricedCall, gate?.isPayable(charge) === true, quote),
        )
    state.price = terms.price
    run.price = terms.price
    state.quota = terms.quota
    context.quota = terms.quota
    if (!gate || (!isPaid && isFree(state.price))) {
      if (refusal) throw refusal
      const unpaid = isPayers ? await claim() : undefined
      if (unpaid && 'replay' in unpaid) {
        await giveDaysBack?.()
        await terms.replayed?.()
        return toOutcome(tool, unpaid.replay as Outcome['output'], state, true)
      }
      run.claimed ??= unpaid
      return toOutcome(tool, await runTool(run), state, false)
    }
    const { price } = state
    const charged = await inSpan(span, ['payment charge', 'internal'], chargeSpan =>
      gate.charge({ ...charge, price, span: chargeSpan }, async payment => {
        const { receipt } = payment
        if (!payment.isHeld) {
          state.receipt = receipt
          state.parts = payment.parts
        }
        // One that was settled before is run without being admitted again.
        if (receipt) await actAsPayer({ network: receipt.network, address: receipt.payer })
        return runTool(run, payment)
      }),
    )
    state.receipt = charged.receipt
    state.parts = charged.parts
    const { store } = ports
    if (keyed && !run.begun && store) await store.transaction(tx => keyed.seal(tx, charged.answer, true))
    return toOutcome(tool, charged.answer, state, charged.replayed === true)
  } catch (cause) {
    await giveDaysBack?.()
    await terms?.giveBack?.()
    const error = refusal && cause instanceof PaymentRequired ? refusal : cause
    if (run.claimed && !run.begun) await run.claimed.fail(toToolError(error))
    throw error
  }
}

/** Answers a call of a tool that never costs anything. */
const answerFree = async (run: Run, state: State): Promise<Outcome> => {
  state.price = free
  run.price = free
  const { tool, context, input } = run
  try {
    if (tool.check) await tool.check(context, input)
    return toOutcome(tool, await runTool(run), state, false)
  } catch (cause) {
    if (run.claimed && !run.begun) await run.claimed.fail(toToolError(cause))
    throw cause
  }
}

/** Counts a call among those that this server takes from one network address, or with one key, in a minute. */
const takeCall = (
  { limits, perMinute }: World,
  state: State,
  name: string,
): undefined | Promise<undefined> => {
  const standing = limits.take(name, perMinute)
  if (isPending(standing)) return standing.then(known => noteStanding(state, known))
  return noteStanding(state, standing)
}

const noteStanding = (state: State, standing: RateLimitStatus): undefined => {
  if (!standing.ok) throw overLimit('This server', standing)
  if (!(state.standing && state.standing.remaining <= standing.remaining)) state.standing = standing
}

/**
 * An HTTP request for a priced tool that brings no input, no payment and no claim to the free tier. What is paid on terms of the call
 * has no price that could be paid without them.
 */
const isProbe = (
  gate: Gate,
  tool: AnyTool,
  { input, evidence, free, channel }: Incoming,
  caller: Caller | undefined,
): boolean =>
  channel === 'rest' &&
  Object.keys(input ?? {}).length === 0 &&
  !(caller && (tool.free?.keyed || tool.price.unit === 'credit' || caller.balance)) &&
  !isFree(tool.price) &&
  tool.price.terms === undefined &&
  !free &&
  !gate.hasPayment(evidence)

/** The checked input. An empty probe is quoted where the tool needs input, so that crawlers learn the price. */
const readInput = (
  { gate }: World,
  service: Service,
  tool: AnyTool,
  incoming: Incoming,
  caller: Caller | undefined,
): Record<string, unknown> | Promise<Record<string, unknown>> => {
  try {
    return checkToolInput(tool, incoming.input)
  } catch (error) {
    if (!gate || !isProbe(gate, tool, incoming, caller)) throw error
    return quoteProbe(gate, service, tool, incoming, caller, error)
  }
}

/** Quotes an empty probe. Rejects with the quote, or with what is missing. */
const quoteProbe = async (
  gate: Gate,
  service: Service,
  tool: AnyTool,
  { channel, resource, request, evidence }: Incoming,
  caller: Caller | undefined,
  error: unknown,
): Promise<never> => {
  const { method } = request
  const probe = {
    service,
    tool,
    input: undefined,
    price: withFreeTier(tool.price, { tool, service, channel }),
    caller,
    channel,
    resource,
    method,
    evidence,
  }
  await gate.charge(probe, () => Promise.reject(error))
  throw error
}

const openClaim = (
  { store, clock }: Partial<Ports>,
  service: Service,
  tool: AnyTool,
  { idempotencyKey }: Incoming,
  client: string,
  isKnown: boolean,
  input: object,
): Promise<ClaimResult> | undefined => {
  if (idempotencyKey === undefined || tool.hints.idempotent) return undefined
  // What a priced reader answers must not be readable by key before its payment is settled; its payment is its key.
  if (tool.hints.readOnly && !isFree(tool.price)) return undefined
  if (!store || !clock)
    throw new ToolError('unavailable', 'Idempotency-Key needs "store", which is not configured here.')
  return claimKey(store, idempotencyKey, {
    scope: [service.slug, tool.name, client],
    client,
    isKnown,
    input,
    now: () => clock.now(),
    runMs: (tool.timeoutMs ?? defaultTimeoutMs) + 30_000,
    secret: answer => isSecret(tool, answer),
  })
}

const toOutcome = (
  tool: AnyTool,
  output: Outcome['output'],
  { price = tool.price, receipt, parts, standing, quota }: State,
  replayed: boolean,
): Outcome => ({
  output,
  text: tool.summary?.(output) ?? tool.title,
  price,
  receipt,
  parts,
  replayed,
  standing,
  quota,
})
