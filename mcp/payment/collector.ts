import type { Collector } from '../kernel/tool.ts'
import { isRecord } from '../lib/json.ts'
import type { Offer } from './method.ts'

const isHex = (value: unknown, pattern: RegExp): value is string =>
  typeof value === 'string' && pattern.test(value)

/** The contract call that collects the payment of an offer; undefined where the token is called. */
export const readCollector = ({ extra }: Pick<Offer, 'extra'>): Collector | undefined => {
  if (!isRecord(extra.collector)) return undefined
  const { contract, selector, argument } = extra.collector
  if (!isHex(contract, /^0x[0-9a-f]{40}$/i)) return undefined
  if (!isHex(selector, /^0x[0-9a-f]{8}$/i) || !isHex(argument, /^0x(?:[0-9a-f]{2})+$/i)) return undefined
  return { contract, selector, argument }
}
