import '../own-dispatcher.ts'
import { randomBytes } from 'node:crypto'
import { Agent, request } from 'undici'
import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { parseJson } from '../../lib/json.ts'
import { decodeInvoice } from './bolt11.ts'
import type { Invoice, Lightning, PayResult } from './lightning.ts'
import type { NodeOptions } from './node-options.ts'

type Answer = { status: number; body: unknown }

/** What one kind of node wants to be asked, and how it answers. */
type Wire = {
  headers: Record<string, string>
  node(ask: Ask): Promise<string>
  create(ask: Ask, order: { msat: bigint; memo: string; expirySeconds: number }): Promise<string>
  pay(ask: Ask, invoice: string): Promise<PayResult>
}

type Ask = (method: 'GET' | 'POST', path: string, body?: object | URLSearchParams) => Promise<Answer>

const maxBytes = 1 << 20
const timeoutMs = 30_000

const Failure = z.object({ message: z.string().optional(), reason: z.string().optional() })

const failureText = (body: unknown): string => {
  const { data } = Failure.safeParse(body)
  return (data?.message ?? data?.reason ?? 'the node gives no reason').slice(0, 200)
}

/** The answer where it succeeded. Throws where it did not. */
const read = <T>(shape: z.ZodType<T>, { status, body }: Answer): T => {
  const { success, data } = shape.safeParse(body)
  if (status >= 200 && status < 300 && success) return data
  throw new Error(`the Lightning node answered ${status}`)
}

const base64ToHex = (text: string): string => Buffer.from(text, 'base64').toString('hex')

const lnd = ({ macaroon }: Extract<NodeOptions, { kind: 'lnd' }>): Wire => ({
  headers: { 'grpc-metadata-macaroon': macaroon },
  node: async ask =>
    read(z.object({ identity_pubkey: z.string() }), await ask('GET', '/v1/getinfo')).identity_pubkey,
  create: async (ask, { msat, memo, expirySeconds }) => {
    const body = { value_msat: String(msat), memo, expiry: String(expirySeconds) }
    return read(z.object({ payment_request: z.string() }), await ask('POST', '/v1/invoices', body))
      .payment_request
  },
  pay: async (ask, invoice) => {
    const shape = z.object({ payment_error: z.string(), payment_preimage: z.string().nullish() })
    const body = { payment_request: invoice, fee_limit: { percent: '1' } }
    const { payment_error: error, payment_preimage: preimage } = read(
      shape,
      await ask('POST', '/v1/channels/transactions', body),
    )
    if (error !== '') return { state: 'failed', detail: error.slice(0, 200) }
    return { state: 'paid', preimage: base64ToHex(preimage ?? '') }
  },
})

const phoenixd = ({ password }: Extract<NodeOptions, { kind: 'phoenixd' }>): Wire => ({
  headers: { authorization: `Basic ${Buffer.from(`:${password}`).toString('base64')}` },
  node: async ask => read(z.object({ nodeId: z.string() }), await ask('GET', '/getinfo')).nodeId,
  create: async (ask, { msat, memo, expirySeconds }) => {
    const form = new URLSearchParams({
      amountSat: String(msat / 1000n),
      description: memo,
      expirySeconds: String(expirySeconds),
    })
    return read(z.object({ serialized: z.string() }), await ask('POST', '/createinvoice', form)).serialized
  },
  pay: async (ask, invoice) => {
    const answer = await ask('POST', '/payinvoice', new URLSearchParams({ invoice }))
    const paid = z.object({ paymentPreimage: z.string() }).safeParse(answer.body)
    if (answer.status === 200 && paid.success) return { state: 'paid', preimage: paid.data.paymentPreimage }
    // phoenixd tells in the answer that a payment failed for good; anything else says nothing of it.
    if (answer.status === 200 || answer.status === 400)
      return { state: 'failed', detail: failureText(answer.body) }
    throw new Error(`the Lightning node answered ${answer.status}`)
  },
})

/** Errors of `pay` after which nothing is under way: no route, expired, failed at its destination, already tried for good. */
const finalErrors: ReadonlySet<number> = new Set([203, 205, 206, 207, 210])

const cln = ({ rune }: Extract<NodeOptions, { kind: 'cln' }>): Wire => ({
  headers: { rune },
  node: async ask => read(z.object({ id: z.string() }), await ask('POST', '/v1/getinfo', {})).id,
  create: async (ask, { msat, memo, expirySeconds }) => {
    const label = `octagent-${randomBytes(12).toString('hex')}`
    const body = { amount_msat: Number(msat), label, description: memo, expiry: expirySeconds }
    return read(z.object({ bolt11: z.string() }), await ask('POST', '/v1/invoice', body)).bolt11
  },
  pay: async (ask, invoice) => {
    const answer = await ask('POST', '/v1/pay', { bolt11: invoice, maxfeepercent: 1 })
    const paid = z
      .object({ status: z.literal('complete'), payment_preimage: z.string() })
      .safeParse(answer.body)
    if (paid.success) return { state: 'paid', preimage: paid.data.payment_preimage }
    const failed = z.object({ code: z.number() }).safeParse(answer.body)
    if (failed.success && finalErrors.has(failed.data.code))
      return { state: 'failed', detail: failureText(answer.body) }
    throw new Error(`the Lightning node answered ${answer.status}`)
  },
})

const toWire = (options: NodeOptions): Wire => {
  if (options.kind === 'lnd') return lnd(options)
  return options.kind === 'phoenixd' ? phoenixd(options) : cln(options)
}

/**
 * A Lightning node of the operator, over its REST API. It is the operator's own configuration, often a private address, so it is asked
 * directly and not through the guarded fetch; redirects are not followed. Throws `upstream` when it does not answer as it should.
 */
export const openLightningNode = async (
  options: NodeOptions,
  now: () => Date = () => new Date(),
): Promise<Lightning> => {
  const { url, ca } = options
  const dispatcher = new Agent({ connections: 8, ...(ca !== undefined && { connect: { ca } }) })
  const wire = toWire(options)
  const base = url.replace(/\/+$/, '')

  const readText = async (body: AsyncIterable<Buffer>): Promise<string> => {
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of body) {
      size += chunk.length
      if (size > maxBytes) throw new Error('the Lightning node answers too much')
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString('utf8')
  }

  const ask: Ask = async (method, path, body) => {
    const form = body instanceof URLSearchParams
    const type = form ? 'application/x-www-form-urlencoded' : 'application/json'
    const response = await request(`${base}${path}`, {
      method,
      dispatcher,
      headers: { accept: 'application/json', ...wire.headers, ...(body && { 'content-type': type }) },
      ...(body && { body: form ? body.toString() : JSON.stringify(body) }),
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { status: response.statusCode, body: parseJson(await readText(response.body)) }
  }

  const orUpstream = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (cause) {
      throw new ToolError('upstream', `The Lightning node cannot ${what} right now.`, {
        cause,
        retryAfter: 10,
      })
    }
  }

  const node = await orUpstream('be asked for its name', () => wire.node(ask))
  return {
    node,
    createInvoice: order =>
      orUpstream('make an invoice', async (): Promise<Invoice> => {
        const invoice = await wire.create(ask, order)
        const { msat, paymentHash, expiresAt } = decodeInvoice(invoice)
        if (msat !== order.msat) throw new Error('the invoice is over another amount')
        if (expiresAt <= now()) throw new Error('the invoice is expired')
        return { invoice, paymentHash, expiresAt }
      }),
    pay: invoice => orUpstream('pay', () => wire.pay(ask, invoice)),
    close: () => dispatcher.close(),
  }
}
