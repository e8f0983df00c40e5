import type { Response } from 'express'
import type { PaymentRequired } from '../../mcp/kernel/error.ts'
import { refusalBody, refusalHeaders } from '../refuse.ts'

type Body = { contentType: string; body: unknown }

/** Sends what asks for the payment: the refusal of all dialects in headers, and in the body unless the seller has one. */
export const sendUnpaid = (
  res: Response,
  refusal: PaymentRequired,
  { status, body }: { status: number; body: Body | undefined },
): void => {
  if (res.headersSent || res.destroyed) return
  const content = body ?? { contentType: 'application/problem+json', body: refusalBody(refusal) }
  const text = typeof content.body === 'string' ? content.body : JSON.stringify(content.body)
  for (const [name, value] of Object.entries(refusalHeaders(refusal))) res.setHeader(name, value)
  res.status(status)
  res.setHeader('Content-Type', content.contentType)
  res.vary('Accept')
  res.end(text)
}
