import { BaseError, decodeErrorResult, type Hex } from 'viem'
import { clean } from '../../../lib/text/clean.ts'

const dataIn = (problem: BaseError): Hex | undefined => {
  const holder = problem.walk(cause => typeof (cause as { data?: unknown }).data === 'string')
  const data = (holder as { data?: unknown } | null)?.data
  return typeof data === 'string' && /^0x[0-9a-f]{8,}$/i.test(data) ? (data as Hex) : undefined
}

const decode = (data: Hex): string | null => {
  try {
    const { errorName, args } = decodeErrorResult({ data })
    return errorName === 'Error' ? String(args?.[0]) : `${errorName} ${args?.map(String).join(', ')}`
  } catch {
    return `custom error ${data.slice(0, 10)}`
  }
}

/** Why a call reverts, from what viem throws; null where neither the bytes nor the node's words tell. */
export const readRevert = (problem: unknown): string | null => {
  if (!(problem instanceof BaseError)) return null
  const data = dataIn(problem)
  if (data) return clean(decode(data), 200)
  return clean(/reverted(?: with reason string)?:?\s*(.+)/is.exec(problem.details ?? '')?.[1], 200)
}
