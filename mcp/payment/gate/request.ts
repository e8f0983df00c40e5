import type { Charge } from '../charge.ts'
import { digest } from './digest.ts'

/** The one call that a payment pays: who asks which tool for what; or the order that the call's own terms name. */
export const requestDigest = ({ service, tool, caller, input, price }: Charge): string => {
  const order = price.terms?.order
  if (order !== undefined) return digest('order', service.slug, order)
  return digest('request', `${service.slug}.${tool.name}`, caller?.id ?? null, input)
}
