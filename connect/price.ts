import { asList, asRecord, isRecord, type JsonRecord, parseRecord } from '../mcp/lib/json.ts'
import { clean } from '../mcp/lib/text/clean.ts'
import type { RpcMessage } from './message.ts'

/** A server's price for a call, as it came: an x402 PaymentRequired of version 1 or 2. */
export type ServerPrice = {
  version: 1 | 2
  accepts: readonly JsonRecord[]
  resource: unknown
  error: string | undefined
}

const maxOffers = 20

const readPaymentRequired = (value: unknown): ServerPrice | undefined => {
  if (!isRecord(value) || (value.x402Version !== 1 && value.x402Version !== 2)) return undefined
  if (!Array.isArray(value.accepts)) return undefined
  return {
    version: value.x402Version,
    accepts: value.accepts.slice(0, maxOffers).filter(isRecord),
    resource: value.resource,
    error: typeof value.error === 'string' ? value.error : undefined,
  }
}

/**
 * The price in the answer to a call: in `structuredContent`, as the text of a failed result, or as the data of an error with code 402
 * (x402, "Transport: MCP", both versions). Undefined for any other answer.
 */
export const findPrice = ({ result, error }: RpcMessage): ServerPrice | undefined => {
  if (isRecord(error)) return error.code === 402 ? readPaymentRequired(error.data) : undefined
  const { isError, structuredContent, content } = asRecord(result)
  if (isError !== true) return undefined
  const [first] = asList(content).map(asRecord)
  const text = typeof first?.text === 'string' ? first.text : ''
  return (
    readPaymentRequired(structuredContent) ??
    (text.includes('x402Version') ? readPaymentRequired(parseRecord(text)) : undefined)
  )
}

/** Reads a payment's outcome (x402 SettleResponse); undefined where the server says nothing. */
export const readSettlement = ({
  result,
  error,
}: RpcMessage): { success: boolean; transaction: string; reason: string } | undefined => {
  const meta = asRecord(asRecord(isRecord(error) ? error.data : result)._meta)
  const settlement = meta['x402/payment-response']
  if (!isRecord(settlement) || typeof settlement.success !== 'boolean') return undefined
  const { success, transaction, errorReason } = settlement
  return {
    success,
    transaction: typeof transaction === 'string' && /^\w{1,200}$/.test(transaction) ? transaction : '',
    reason: clean(errorReason, 200) ?? '',
  }
}
