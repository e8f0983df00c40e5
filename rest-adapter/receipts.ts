import { ToolError } from '../mcp/kernel/error.ts'
import { type bodyBounds, type Evidence, type Route, readBody, readEvidence } from '../mcp/kernel/http.ts'
import type { RenderedPage, Shell } from '../mcp/kernel/page.ts'
import { findExplorer } from '../mcp/lib/explorers.ts'
import { asRecord } from '../mcp/lib/json.ts'
import { html } from '../mcp/lib/text/html.ts'
import { findUsdToken } from '../mcp/lib/usd-tokens.ts'
import { chooseForm } from './accept.ts'
import { notFound } from './refuse.ts'
import { json, send } from './send.ts'

type Receipts = {
  read(id: string): Promise<object | undefined>
  /** Lets the payer, proven by a signature, have an answer again from a network address. */
  claim(id: string, signature: string, address: string): Promise<object>
  /** Gives owed money back to the payer, whom evidence or signature prove: to `balance`, an invoice, or `payer`, the address that paid. */
  refund(
    id: string,
    request: { to: string; signature?: string | undefined },
    evidence: Evidence,
  ): Promise<object>
}

const isSignature = (value: unknown): value is string =>
  typeof value === 'string' && /^[\w+/=]{64,20000}$/.test(value)

/** A signature, an address, and a payment at most. */
const claimBounds: typeof bodyBounds = { bytes: 64 << 10, values: 1000, depth: 20 }

const readSignature = (body: unknown): string => {
  const { signature } = asRecord(body)
  if (isSignature(signature)) return signature
  throw new ToolError('invalid_input', 'signature: the text that the payer signed, as hex or base58.', {
    issues: [{ path: 'signature', message: 'hex or base58 text' }],
  })
}

const readDestination = (body: unknown): string => {
  const { to } = asRecord(body)
  if (typeof to === 'string' && /^(balance|payer|[a-zA-Z0-9]{20,4096})$/.test(to)) return to
  throw new ToolError(
    'invalid_input',
    'to: "payer" for what was paid on a chain; "balance", or an invoice (BOLT 11) over what was paid, for Lightning.',
    { issues: [{ path: 'to', message: '"payer", "balance" or an invoice' }] },
  )
}

/** States of a payment, in words for its payer. */
const stateTexts: Readonly<Record<string, string>> = {
  reserved: 'being worked on',
  pending: 'the payment is on its way',
  paid: 'paid, and the work is not done yet',
  done: 'paid and answered',
  owed: 'paid, and owed: the same call is answered free, or the money goes back',
  refunding: 'the money is going back',
  refunded: 'the money went back',
  failed: 'no money moved',
  lost: 'taken back by the chain',
}

/** Units of what is no token: books of balances, and Lightning. */
const units: Readonly<Record<string, { symbol: string; decimals: number }>> = {
  USDC: { symbol: 'USD', decimals: 6 },
  BTC: { symbol: 'sat', decimals: 3 },
  msat: { symbol: 'sat', decimals: 3 },
  credit: { symbol: 'credits', decimals: 0 },
}

const amountText = ({ network, asset, amount }: Record<string, unknown>): string | undefined => {
  const unit = units[String(asset)] ?? findUsdToken(String(network), String(asset))
  if (!unit || !/^\d{1,40}$/.test(String(amount))) return undefined
  const { symbol, decimals } = unit
  const digits = String(amount).padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const cents = symbol.startsWith('USD') ? 2 : 0
  const fraction = digits.slice(whole.length).replace(/0+$/, '').padEnd(cents, '0')
  return `${whole}${fraction && `.${fraction}`} ${symbol}`
}

const wayText = ({ method, network }: Record<string, unknown>): string => {
  if (method === 'balance') return 'paid from balance'
  if (method === 'lightning') return 'paid over Lightning'
  return `paid by wallet on ${findExplorer(String(network))?.title ?? network}`
}

/** Where the public sees a transfer of a real network; undefined for anything else. */
const explorerLink = (network: unknown, transaction: unknown): string | undefined => {
  const explorer = findExplorer(String(network))
  const isTransfer = /^(0x[0-9a-f]{64}|[1-9A-HJ-NP-Za-km-z]{80,90})$/.test(String(transaction))
  return explorer === undefined || !isTransfer ? undefined : `${explorer.transactions}${transaction}`
}

/** What a receipt page knows beside the receipt. */
type Place = {
  /** Name of a service, by its slug. */
  serviceName(slug: string): string | undefined
  /** False where the networks are local chains, which no explorer shows. */
  isPublic: boolean
}

const nowhere: Place = { serviceName: () => undefined, isPublic: false }

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

/** A receipt for people: what was paid for what, and every field that says something, in a table. */
const receiptPage = (
  shell: Shell,
  { serviceName, isPublic }: Place,
  receipt: Record<string, unknown>,
): RenderedPage => {
  const amount = amountText(receipt)
  const { service, tool, state, paidAt, network, transaction, refund } = receipt
  const time = typeof paidAt === 'string' ? `${paidAt.slice(0, 16).replace('T', ' ')} UTC` : undefined
  const name = serviceName(String(service)) ?? String(service)
  const words = [`${name}: ${tool}`, wayText(receipt), time].filter(Boolean)
  const links = isPublic
    ? [
        ['The transfer', explorerLink(network, transaction)],
        ['The refund', explorerLink(network, refund)],
      ].filter(([, url]) => url !== undefined)
    : []
  const rows = Object.entries(receipt).filter(([, value]) => value !== null && value !== undefined)
  return shell({
    title: 'Receipt',
    description: 'The receipt of a paid call',
    section: 'Balance',
    body: html`<h1>Receipt</h1>
${amount !== undefined && html`<p class="price">${amount}</p>`}
<p class="lead">${words.join(' · ')}</p>
<p>${sentence(stateTexts[String(state)] ?? String(state))}${links.map(([text, url]) => html` <a href="${url}" rel="noreferrer">${text} on the chain</a>.`)}</p>
<h2>All that is recorded</h2>
<div class="wide" tabindex="0" role="region" aria-label="The receipt"><table><thead><tr><th scope="col">Field</th><th scope="col">Value</th></tr></thead><tbody>
${rows.map(
  ([name, value]) =>
    html`<tr><td>${name}</td><td><span class="hash">${typeof value === 'object' ? JSON.stringify(value) : String(value)}</span></td></tr>\n`,
)}</tbody></table></div>`.html,
  })
}

/**
 * `GET /receipts/{id}`: the receipt of a paid call for whoever has its 128-bit id; 404 for anything else.
 * `POST /receipts/{id}/claim` with `{"signature"}`: its payer may have the answer again.
 * `POST /receipts/{id}/refund` with `{"to"}` and the payment itself, or `{"to", "signature"}`: what is owed goes back to its payer.
 */
export const receiptRoutes = (
  { read: loadReceipt, claim, refund }: Receipts,
  shell: Shell,
  place: Place = nowhere,
): Route[] => [
  {
    method: 'GET',
    path: '/receipts/:id',
    async handle(req, res, { id = '' }) {
      const receipt = await loadReceipt(id)
      if (!receipt)
        throw notFound('There is no such receipt.', 'The id is in the PAYMENT-RESPONSE of a paid call.')
      if ((req.headers.accept ?? '').includes('text/html') && chooseForm(req.headers.accept) === 'html') {
        const { html: text, headers } = receiptPage(shell, place, { ...receipt })
        return send(res, 200, 'text/html; charset=utf-8', text, { ...headers, Vary: 'Accept, Origin' })
      }
      send(res, 200, json, JSON.stringify(receipt), { Vary: 'Accept, Origin' })
    },
  },
  {
    method: 'POST',
    path: '/receipts/:id/claim',
    async handle(req, res, { id = '' }) {
      const signature = readSignature(await readBody(req, res, claimBounds))
      send(res, 200, json, JSON.stringify(await claim(id, signature, readEvidence(req).client)))
    },
  },
  {
    method: 'POST',
    path: '/receipts/:id/refund',
    async handle(req, res, { id = '' }) {
      const body = await readBody(req, res, claimBounds)
      const to = readDestination(body)
      const signature = asRecord(body).signature === undefined ? undefined : readSignature(body)
      send(res, 200, json, JSON.stringify(await refund(id, { to, signature }, readEvidence(req))))
    },
  },
]
