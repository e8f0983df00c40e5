import '../own-dispatcher.ts'
import { randomBytes } from 'node:crypto'
import { Agent, request } from 'undici'
import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { parseJson } from '../../lib/json.ts'
import { decodeInvoice } from './bolt11.ts'
import type { Invoice, LightningNode, PayResult, Received } from './lightning.ts'
import type { NodeOptions } from './node-options.ts'

type Answer = { status: number; body: unknown }

/** Requests that one kind of node takes, and its answers. */
type Wire = {
  headers: Record<string, string>
  node(ask: Ask): Promise<string>
  create(ask: Ask, order: { msat: bigint; memo: string; expirySeconds: number }): Promise<string>
  pay(ask: Ask, invoice: string): Promise<PayResult>
  find(ask: Ask, invoice: string): Promise<PayResult | undefined>
  received(ask: Ask, since: Date): Promise<Received[]>
}

type Ask = (method: 'GET' | 'POST', path: string, body?: object | URLSearchParams) => Promise<Answer>

const maxBytes = 1 << 20

/** Invoices of one page of a list, which fit into an answer. */
const listedAtOnce = 200
const timeoutMs = 30_000

const Failure = z.object({ message: z.string().optional(), reason: z.string().optional() })

const failureText = (body: unknown): string => {
  const { data } = Failure.safeParse(body)
  return (data?.message ?? data?.reason ?? 'the node gives no reason').slice(0, 200)
}

/** Refusals of an invoice that is being paid by an earlier try: whether it comes off is not known yet. */
const isUnderWay = (failure: string): boolean => /in transition|in[ -]?(flight|progress)/i.test(failure)

/** Refusals of an invoice that an earlier try has paid. */
const isPaidBefore = (failure: string): boolean => /already (been )?paid/i.test(failure)

/** The answer where it succeeded. Throws where it did not. */
const readAnswer = <T>(shape: z.ZodType<T>, { status, body }: Answer): T => {
  const { success, data } = shape.safeParse(body)
  if (status >= 200 && status < 300 && success) return data
  throw new Error(`the Lightning node answered ${status}`)
}

const neverTried: PayResult = { state: 'failed', detail: 'the node was never asked' }

const base64ToHex = (text: string): string => Buffer.from(text, 'base64').toString('hex')

const lnd = ({ macaroon }: Extract<NodeOptions, { kind: 'lnd' }>): Wire => ({
  headers: { 'grpc-metadata-macaroon': macaroon },
  node: async ask =>
    readAnswer(z.object({ identity_pubkey: z.string() }), await ask('GET', '/v1/getinfo')).identity_pubkey,
  create: async (ask, { msat, memo, expirySeconds }) => {
    const body = { value_msat: String(msat), memo, expiry: String(expirySeconds) }
    return readAnswer(z.object({ payment_request: z.string() }), await ask('POST', '/v1/invoices', body))
      .payment_request
  },
  pay: async (ask, invoice) => {
    const shape = z.object({ payment_error: z.string(), payment_preimage: z.string().nullish() })
    const body = { payment_request: invoice, fee_limit: { percent: '1' } }
    const { payment_error: error, payment_preimage: preimage } = readAnswer(
      shape,
      await ask('POST', '/v1/channels/transactions', body),
    )
    if (isUnderWay(error)) throw new Error('the payment is under way')
    if (isPaidBefore(error)) return { state: 'paid', preimage: '' }
    if (error !== '') return { state: 'failed', detail: error.slice(0, 200) }
    return { state: 'paid', preimage: base64ToHex(preimage ?? '') }
  },
  find: async (ask, invoice) => {
    const hash = Buffer.from(decodeInvoice(invoice).paymentHash, 'hex').toString('base64url')
    const answer = await ask('GET', `/v2/router/track/${hash}?no_inflight_updates=true`)
    if (answer.status === 404 && /isn't initiated/i.test(failureText(answer.body))) return neverTried
    const shape = z.object({
      result: z.object({ status: z.string(), payment_preimage: z.string().nullish() }),
    })
    const { status, payment_preimage: preimage } = readAnswer(shape, answer).result
    if (status === 'SUCCEEDED') return { state: 'paid', preimage: preimage ?? '' }
    return status === 'FAILED' ? { state: 'failed', detail: 'the payment failed' } : undefined
  },
  received: async (ask, since) => {
    const shape = z.object({
      invoices: z
        .array(
          z.object({
            r_hash: z.string(),
            state: z.string(),
            amt_paid_msat: z.string(),
            settle_date: z.string(),
          }),
        )
        .default([]),
      last_index_offset: z.string(),
    })
    const found: Received[] = []
    for (let offset = '0'; ; ) {
      const query = new URLSearchParams({
        index_offset: offset,
        num_max_invoices: String(listedAtOnce),
        creation_date_start: String(Math.floor(since.getTime() / 1000)),
      })
      const page = readAnswer(shape, await ask('GET', `/v1/invoices?${query}`))
      for (const { r_hash: hash, state, amt_paid_msat: msat, settle_date: at } of page.invoices)
        if (state === 'SETTLED')
          found.push({
            paymentHash: base64ToHex(hash),
            msat: BigInt(msat),
            at: new Date(Number(at) * 1000),
          })
      if (page.invoices.length < listedAtOnce) return found
      offset = page.last_index_offset
    }
  },
})

const phoenixd = ({ password }: Extract<NodeOptions, { kind: 'phoenixd' }>): Wire => ({
  headers: { authorization: `Basic ${Buffer.from(`:${password}`).toString('base64')}` },
  node: async ask => readAnswer(z.object({ nodeId: z.string() }), await ask('GET', '/getinfo')).nodeId,
  create: async (ask, { msat, memo, expirySeconds }) => {
    const form = new URLSearchParams({
      amountSat: String(msat / 1000n),
      description: memo,
      expirySeconds: String(expirySeconds),
    })
    return readAnswer(z.object({ serialized: z.string() }), await ask('POST', '/createinvoice', form))
      .serialized
  },
  pay: async (ask, invoice) => {
    const answer = await ask('POST', '/payinvoice', new URLSearchParams({ invoice }))
    const paid = z.object({ paymentPreimage: z.string() }).safeParse(answer.body)
    if (answer.status === 200 && paid.success) return { state: 'paid', preimage: paid.data.paymentPreimage }
    const failure = failureText(answer.body)
    if (isUnderWay(failure)) throw new Error('the payment is under way')
    if (isPaidBefore(failure)) return { state: 'paid', preimage: '' }
    // phoenixd tells in the answer that a payment failed for good; anything else says nothing of it.
    if (answer.status === 200 || answer.status === 400) return { state: 'failed', detail: failure }
    throw new Error(`the Lightning node answered ${answer.status}`)
  },
  find: async (ask, invoice) => {
    const answer = await ask('GET', `/payments/outgoingbyhash/${decodeInvoice(invoice).paymentHash}`)
    // Older ones do not know the question, and answer it as if there were no such payment.
    if (answer.status === 404) return undefined
    const shape = z.object({
      isPaid: z.boolean(),
      preimage: z.string().nullish(),
      completedAt: z.number().nullish(),
    })
    const { isPaid, preimage, completedAt } = readAnswer(shape, answer)
    if (isPaid) return { state: 'paid', preimage: preimage ?? '' }
    return completedAt == null ? undefined : { state: 'failed', detail: 'the payment failed' }
  },
  received: async (ask, since) => {
    const shape = z.array(
      z.object({ paymentHash: z.string(), receivedSat: z.number().int(), completedAt: z.number() }),
    )
    const found: Received[] = []
    for (let offset = 0; ; offset += listedAtOnce) {
      const query = new URLSearchParams({
        from: String(since.getTime()),
        limit: String(listedAtOnce),
        offset: String(offset),
      })
      const page = readAnswer(shape, await ask('GET', `/payments/incoming?${query}`))
      for (const { paymentHash, receivedSat, completedAt } of page)
        found.push({ paymentHash, msat: BigInt(receivedSat) * 1000n, at: new Date(completedAt) })
      if (page.length < listedAtOnce) return found
    }
  },
})

/** Errors of `pay` after which nothing is under way: no route, expired, failed at its destination, already tried for good. */
const finalErrors: ReadonlySet<number> = new Set([203, 205, 206, 207, 210])

const cln = ({ rune }: Extract<NodeOptions, { kind: 'cln' }>): Wire => ({
  headers: { rune },
  node: async ask => readAnswer(z.object({ id: z.string() }), await ask('POST', '/v1/getinfo', {})).id,
  create: async (ask, { msat, memo, expirySeconds }) => {
    const label = `octagent-${randomBytes(12).toString('hex')}`
    const body = { amount_msat: Number(msat), label, description: memo, expiry: expirySeconds }
    return readAnswer(z.object({ bolt11: z.string() }), await ask('POST', '/v1/invoice', body)).bolt11
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
  find: async (ask, invoice) => {
    const shape = z.object({
      pays: z.array(z.object({ status: z.string(), preimage: z.string().nullish() })),
    })
    const { pays } = readAnswer(shape, await ask('POST', '/v1/listpays', { bolt11: invoice }))
    const paid = pays.find(({ status }) => status === 'complete')
    if (paid) return { state: 'paid', preimage: paid.preimage ?? '' }
    if (pays.length === 0) return neverTried
    return pays.every(({ status }) => status === 'failed')
      ? { state: 'failed', detail: 'the payment failed' }
      : undefined
  },
  received: async (ask, since) => {
    const shape = z.object({
      invoices: z.array(
        z.object({
          payment_hash: z.string(),
          status: z.string(),
          paid_at: z.number().optional(),
          amount_received_msat: z.union([z.number(), z.string()]).optional(),
          updated_index: z.number().int().optional(),
        }),
      ),
    })
    const found: Received[] = []
    for (let start = 0; ; ) {
      const body = { index: 'updated', start, limit: listedAtOnce }
      const { invoices } = readAnswer(shape, await ask('POST', '/v1/listinvoices', body))
      for (const { payment_hash: paymentHash, status, paid_at: paidAt = 0, ...paid } of invoices)
        if (status === 'paid' && paidAt * 1000 >= since.getTime())
          found.push({
            paymentHash,
            msat: BigInt(String(paid.amount_received_msat ?? 0).replace('msat', '')),
            at: new Date(paidAt * 1000),
          })
      const last = invoices.at(-1)?.updated_index
      if (invoices.length < listedAtOnce || last === undefined) return found
      start = last + 1
    }
  },
})

type RestOptions = Exclude<NodeOptions, { kind: 'nwc' }>

const toWire = (options: RestOptions): Wire => {
  if (options.kind === 'lnd') return lnd(options)
  return options.kind === 'phoenixd' ? phoenixd(options) : cln(options)
}

/** Calls of a node, however it is reached; each throws where the node does not answer as it should. */
type Backend = {
  node: string
  ping(): Promise<unknown>
  create(order: { msat: bigint; memo: string; expirySeconds: number }): Promise<string>
  pay(invoice: string): Promise<PayResult>
  find(invoice: string): Promise<PayResult | undefined>
  received?(since: Date): Promise<Received[]>
  close(): Promise<void>
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

const openRest = async (options: RestOptions): Promise<Backend> => {
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

  return {
    node: await wire.node(ask),
    ping: () => wire.node(ask),
    create: order => wire.create(ask, order),
    pay: invoice => wire.pay(ask, invoice),
    find: invoice => wire.find(ask, invoice),
    received: since => wire.received(ask, since),
    close: () => dispatcher.close(),
  }
}

const openWallet = async (
  connection: Extract<NodeOptions, { kind: 'nwc' }>['uri'],
  now: () => Date,
): Promise<Backend> => {
  const { openSockets } = await import('../sockets/sockets.ts')
  const { openNwc } = await import('./nwc/nwc.ts')
  return openNwc(connection, { sockets: openSockets(), now, timeoutMs })
}

/**
 * A Lightning node of the operator, over its REST API or as a wallet over a Nostr relay. It is the operator's own configuration, often a
 * private address, so it is asked directly and not through the guarded fetch; redirects are not followed. Throws `upstream` when it does
 * not answer as it should.
 */
export const openLightningNode = async (
  options: NodeOptions,
  now: () => Date = () => new Date(),
): Promise<LightningNode> => {
  const backend = await orUpstream('be asked for its name', () =>
    options.kind === 'nwc' ? openWallet(options.uri, now) : openRest(options),
  )
  return {
    node: backend.node,
    ping: () => orUpstream('answer', async () => void (await backend.ping())),
    createInvoice: order =>
      orUpstream('make an invoice', async (): Promise<Invoice> => {
        const invoice = await backend.create(order)
        const { msat, paymentHash, expiresAt } = decodeInvoice(invoice)
        if (msat !== order.msat) throw new Error('the invoice is over another amount')
        if (expiresAt <= now()) throw new Error('the invoice is expired')
        return { invoice, paymentHash, expiresAt }
      }),
    pay: invoice => orUpstream('pay', () => backend.pay(invoice)),
    find: invoice => orUpstream('tell what became of a payment', () => backend.find(invoice)),
    ...(backend.received && {
      received: since =>
        orUpstream('list what it was paid', async () => (await backend.received?.(since)) ?? []),
    }),
    close: () => backend.close(),
  }
}
