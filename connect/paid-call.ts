import { setTimeout as pause } from 'node:timers/promises'
import { asList, asRecord, type JsonRecord, parseRecord } from '../mcp/lib/json.ts'
import { clean } from '../mcp/lib/text/clean.ts'
import { formatUsd } from '../mcp/lib/usd.ts'
import { claimedVersion, failure, type Line, metaOf, type RpcMessage, type RpcRequest } from './message.ts'
import type { Payer, PreparedPayment } from './payer.ts'
import { findPrice, readSettlement } from './price.ts'
import { RemoteFailure } from './remote-failure.ts'

export const paymentKey = 'x402/payment'

/** Milliseconds between tries, while the payment is the same. */
export type RetryPauses = {
  /** After an answer that did not come, or came broken. */
  broken: readonly number[]
  /** While the server says that the payment is being confirmed. */
  pending: number
  maxPending: number
}

export const usualPauses: RetryPauses = { broken: [250, 1000, 4000, 15_000], pending: 2000, maxPending: 60 }

/** The problem that a failed result tells as JSON; undefined where it tells none. */
export const problemIn = ({ result }: RpcMessage): Readonly<JsonRecord> | undefined => {
  const { isError, content } = asRecord(result)
  const [first] = asList(content).map(asRecord)
  return isError === true && typeof first?.text === 'string' ? parseRecord(first.text) : undefined
}

/** True when the server has the payment and is not done with it: its answer is due for the same payload. */
export const isPending = (message: RpcMessage): boolean =>
  readSettlement(message)?.reason === 'settlement_pending' || problemIn(message)?.code === 'payment_pending'

/** A failed result of our own, as models read it. */
export const toFailedResult = (
  request: RpcRequest,
  words: readonly (string | undefined)[],
  of?: RpcMessage,
): Line => {
  const said = words.filter(word => word !== undefined).map(text => ({ type: 'text', text }))
  const result = asRecord(of?.result)
  const isModern = claimedVersion(request) !== undefined
  return {
    message: {
      jsonrpc: '2.0',
      id: request.id,
      result: {
        ...(isModern && { resultType: 'complete' }),
        ...result,
        content: [...said, ...asList(result.content)],
        isError: true,
      },
    },
  }
}

/** A line with the price taken out of it: what was just paid for would look payable to another payer behind us. */
const withoutPrice = (request: RpcRequest, words: string): Line => toFailedResult(request, [words])

type PaidCall = {
  request: RpcRequest
  payment: PreparedPayment
  payer: Payer
  pauses: RetryPauses
  /** Sends the call; resolves to its response, or rejects with RemoteFailure. */
  send(line: Line): Promise<Line>
}

/**
 * Sends a call with its payment until there is an answer: the same payload each time, so that however often it arrives, it moves money
 * once. Resolves to what the client is answered.
 */
export const sendPaid = async ({ request, payment, payer, pauses, send }: PaidCall): Promise<Line> => {
  const { claim, payload, words } = payment
  const _meta = { ...metaOf(request), [paymentKey]: payload }
  const message: RpcRequest = { ...request, params: { ...request.params, _meta } }
  const paid: Line = { message, text: JSON.stringify(message) }
  let pending = 0
  let lastFailure = ''
  for (let attempt = 0; ; ) {
    const answer = await send(paid).catch((error: unknown) => error)
    if (answer instanceof Error || answer === undefined) {
      lastFailure = answer instanceof RemoteFailure ? answer.message : 'The answer could not be read.'
      const wait = pauses.broken[attempt]
      attempt += 1
      if (wait === undefined) break
      await pause(wait)
      continue
    }
    const line = answer as Line
    if (isPending(line.message) && pending < pauses.maxPending) {
      pending += 1
      await pause(pauses.pending)
      continue
    }
    return conclude(line, { request, payment, payer })
  }
  payer.unanswered(claim)
  return withoutPrice(
    request,
    `${words} was sent for this call, and no answer came: ${lastFailure} The money may have moved. Call the same tool with the same arguments again within the hour: the same payment is sent again, and nothing is paid twice.`,
  )
}

const conclude = (line: Line, { request, payment, payer }: Omit<PaidCall, 'send' | 'pauses'>): Line => {
  const { claim, words } = payment
  const { message } = line
  const settlement = readSettlement(message)
  const again = findPrice(message)
  if (isPending(message)) {
    payer.unanswered(claim)
    return withoutPrice(
      request,
      `${words} was sent for this call and is still being confirmed. Call the same tool with the same arguments again later: the same payment is sent again, and nothing is paid twice.`,
    )
  }
  if (again && !settlement?.success) {
    const reason = clean(settlement?.reason, 200) ?? clean(again.error, 200) ?? 'it asks again'
    payer.refused(claim, reason)
    return withoutPrice(
      request,
      `${words} was sent for this call, and the server did not take it: ${reason}. Nothing more is paid for this call. The payment was signed and could still be taken, so ${formatUsd(claim.micros)} USD count as spent.`,
    )
  }
  if (settlement && !settlement.success) payer.refused(claim, settlement.reason)
  else if (settlement && problemIn(message)?.retryable === true) payer.owed(claim, settlement.transaction)
  else if (settlement) payer.settled(claim, settlement.transaction)
  else payer.answered(claim)
  return line
}

/** The failure of a call that nothing was paid for. */
export const toFailure = (request: RpcRequest, error: unknown): Line => {
  if (error instanceof RemoteFailure) return failure(request.id, error.status, error.message)
  return failure(request.id, 500, 'The call could not be forwarded.')
}
