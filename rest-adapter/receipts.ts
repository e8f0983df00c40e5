import { ToolError } from '../mcp/kernel/error.ts'
import { type bodyBounds, type Evidence, type Route, readBody, readEvidence } from '../mcp/kernel/http.ts'
import type { RenderedPage, Shell } from '../mcp/kernel/page.ts'
import { asRecord } from '../mcp/lib/json.ts'
import { chooseForm } from './accept.ts'
import { toPage } from './page.ts'
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

const cellText = (value: unknown): string => {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text.replace(/[\\`*_{}[\]<>()#+!|~]/g, '\\$&').replace(/\s+/g, ' ')
}

/** A receipt for people: every field that says something, in a table. */
const receiptPage = async (shell: Shell, receipt: object): Promise<RenderedPage> =>
  shell(
    await toPage({
      title: 'Receipt',
      description: 'The receipt of a paid call',
      markdown: `# Receipt\n\n| field | value |\n|---|---|\n${Object.entries(receipt)
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => `| ${cellText(name)} | ${cellText(value)} |`)
        .join('\n')}\n`,
      data: receipt,
      isMarkdown: false,
      section: 'Balance',
    }),
  )

/**
 * `GET /receipts/{id}`: the receipt of a paid call for whoever has its 128-bit id; 404 for anything else.
 * `POST /receipts/{id}/claim` with `{"signature"}`: its payer may have the answer again.
 * `POST /receipts/{id}/refund` with `{"to"}` and the payment itself, or `{"to", "signature"}`: what is owed goes back to its payer.
 */
export const receiptRoutes = ({ read: loadReceipt, claim, refund }: Receipts, shell: Shell): Route[] => [
  {
    method: 'GET',
    path: '/receipts/:id',
    async handle(req, res, { id = '' }) {
      const receipt = await loadReceipt(id)
      if (!receipt)
        throw notFound('There is no such receipt.', 'The id is in the PAYMENT-RESPONSE of a paid call.')
      if ((req.headers.accept ?? '').includes('text/html') && chooseForm(req.headers.accept) === 'html') {
        const { html, headers } = await receiptPage(shell, receipt)
        return send(res, 200, 'text/html; charset=utf-8', html, { ...headers, Vary: 'Accept, Origin' })
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
