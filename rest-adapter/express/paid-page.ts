import { ExpressAdapter } from '@x402/express'
import type { Request, Response } from 'express'
import { dayMs } from '../../mcp/lib/time.ts'
import { isBrowser } from './adapter.ts'
import type { HandlerAnswer } from './buffered-answer.ts'

const cookieName = 'octagent-payment'

/** Size a browser is sure to keep; a payment that is larger is not kept, and the page shows the answer itself. */
const maxBytes = 3_500

/** As long as answers are kept. */
const maxAgeMs = 30 * dayMs

/** Set by the paywall's own request: it can show no page of the seller's within itself. */
const marker = 'Octagent-Paywall'

const isPage = ({ status, headers }: HandlerAnswer): boolean =>
  status === 200 && String(headers['content-type'] ?? '').startsWith('text/html')

/**
 * After a person has paid for a page in a browser, the payment stays in a cookie of that address: the browser opens the page as any
 * other and reads the sealed answer again, with the seller's own scripts and styles.
 */
export const rememberPayment = (req: Request, res: Response, answer: HandlerAnswer): void => {
  const payment = req.header('payment-signature')
  if (req.method !== 'GET' || req.header(marker) !== '1' || payment === undefined) return
  if (!isPage(answer) || payment.length > maxBytes || !/^[\w+/=-]+$/.test(payment)) return
  const path = req.originalUrl.replace(/[?#].*$/s, '').replace(/;/g, '%3B')
  res.append(
    'Set-Cookie',
    `${cookieName}=${payment}; Path=${path}; Max-Age=${maxAgeMs / 1000}; HttpOnly; SameSite=Lax${req.secure ? '; Secure' : ''}`,
  )
  res.setHeader(marker, 'reload')
}

/** The payment that a browser kept for the page it opens. */
export const rememberedPayment = (req: Request): string | undefined => {
  const { cookie = '' } = req.headers
  if (!cookie.includes(cookieName) || req.method !== 'GET' || !isBrowser(new ExpressAdapter(req)))
    return undefined
  return new RegExp(`(?:^|;\\s*)${cookieName}=([\\w+/=-]+)`).exec(cookie)?.[1]
}
