import { asList, asRecord, isRecord, type JsonRecord } from '../mcp/lib/json.ts'
import { clean } from '../mcp/lib/text/clean.ts'
import { findRpcRequirements } from '../mcp/lib/x402-wire.ts'
import type { RpcMessage } from './message.ts'

/** A server's price for a call, as it came: an x402 PaymentRequired of version 1 or 2. */
export type ServerPrice = {
  version: 1 | 2
  accepts: readonly JsonRecord[]
  resource: unknown
  error: string | undefined
}

const maxOffers = 20

/** The price in the answer to a call, where an error has the code 402; undefined for any other answer. */
export const findPrice = (answer: RpcMessage): ServerPrice | undefined => {
  if (isRecord(answer.error) && answer.error.code !== 402) return undefined
  const { x402Version: version, accepts, resource, error } = findRpcRequirements(answer) ?? {}
  if (version !== 1 && version !== 2) return undefined
  return {
    version,
    accepts: asList(accepts).slice(0, maxOffers).filter(isRecord),
    resource,
    error: typeof error === 'string' ? error : undefined,
  }
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
