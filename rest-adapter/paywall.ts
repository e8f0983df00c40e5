import { PaymentRequired } from '../mcp/kernel/error.ts'
import type { Request, Response } from '../mcp/kernel/http.ts'
import type { PaidForm, PayCard, RenderedPage } from '../mcp/kernel/page.ts'
import type { AnyTool } from '../mcp/kernel/tool.ts'
import { refusalHeaders } from './refuse.ts'
import { send } from './send.ts'

/** Makes the page on which a person pays a quote; undefined where nothing that a browser can do would pay it. */
export type Paywall = (quote: never, card: PayCard) => RenderedPage | undefined

/** What the challenges of a refusal ask over Lightning. */
export const readInvoice = ({ parts: { challenges = [] } }: PaymentRequired): PaidForm['lightning'] => {
  const line = challenges.find(challenge => challenge.startsWith('L402 ')) ?? ''
  const [, invoice] = / invoice="([^"]+)"/.exec(line) ?? []
  const [, token] = / token="([^"]+)"/.exec(line) ?? []
  return invoice !== undefined && token !== undefined ? { invoice, token } : undefined
}

/** The page that asks a person for what a call with an input costs; undefined where only programs can pay it. */
export type AskPayment = (
  req: Request,
  cause: PaymentRequired,
  input: Readonly<Record<string, unknown>>,
) => Promise<RenderedPage | undefined>

/** What a quote itself says of its card: `buys` in words, and the address of the page to go back to. */
export const ownCard = ({ buys, back }: Record<string, unknown>): Partial<PayCard> => ({
  ...(typeof buys === 'string' && { title: buys }),
  ...(typeof back === 'string' && { back: { title: 'Back', url: back } }),
})

const prefersPage = ({ headers }: Request): boolean =>
  (headers.accept ?? '').includes('text/html') && (headers['user-agent'] ?? '').includes('Mozilla')

/** Answers a person whose GET must be paid for with a page. False where it is not for a page: then it is a problem as ever. */
export const sendPaywall = async (
  req: Request,
  res: Response,
  error: unknown,
  askPayment: AskPayment,
  { tool, input }: { tool: AnyTool; input: Readonly<Record<string, unknown>> },
): Promise<boolean> => {
  if (req.method !== 'GET' || !(error instanceof PaymentRequired) || !prefersPage(req)) return false
  // A probe that could not run must not be paid for.
  if (error.extra.payment || !tool.input.safeParse(input).success) return false
  const page = await askPayment(req, error, input)
  if (!page) return false
  send(res, error.status, 'text/html; charset=utf-8', page.html, {
    ...refusalHeaders(error),
    ...page.headers,
    Vary: 'Accept, User-Agent',
  })
  return true
}
