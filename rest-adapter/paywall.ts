import { PaymentRequired } from '../mcp/kernel/error.ts'
import type { Request, Response } from '../mcp/kernel/http.ts'
import type { RenderedPage } from '../mcp/kernel/page.ts'
import { isRecord } from '../mcp/lib/json.ts'
import { refusalHeaders } from './refuse.ts'
import { send } from './send.ts'

/** Makes the page for people of an x402 quote; undefined where no wallet of a browser could pay it. */
export type Paywall = (quote: never, form?: PaidForm) => RenderedPage | undefined

/** The form of a tool that met a price: what it said, and where it is sent again. */
export type PaidForm = {
  title: string
  action: string
  fields: Readonly<Record<string, string>>
  input: object
  /** True when the demo wallet of local chains may pay. */
  hasDemo: boolean
}

const prefersPage = ({ headers }: Request): boolean =>
  (headers.accept ?? '').includes('text/html') && (headers['user-agent'] ?? '').includes('Mozilla')

/** A quote that is pinned to the call: a probe that could not run must not be paid for. */
const isPinned = ({ accepts }: Record<string, unknown>): boolean =>
  Array.isArray(accepts) &&
  accepts.some(offer => isRecord(offer) && isRecord(offer.extra) && offer.extra.quote)

/** Answers a person whose GET must be paid for with a page. False where it is not for a page: then it is a problem as ever. */
export const sendPaywall = (
  req: Request,
  res: Response,
  error: unknown,
  paywall: Paywall | undefined,
): boolean => {
  if (!paywall || req.method !== 'GET' || !(error instanceof PaymentRequired) || !prefersPage(req))
    return false
  const quote = error.parts.structured
  if (!quote || error.extra.payment || !isPinned(quote)) return false
  const page = paywall(quote as never)
  if (!page) return false
  send(res, error.status, 'text/html; charset=utf-8', page.html, {
    ...refusalHeaders(error),
    ...page.headers,
    Vary: 'Accept, User-Agent',
  })
  return true
}
