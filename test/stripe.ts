import { createHmac, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { openFetch } from '../mcp/ports/fetch/fetch.ts'
import { webAddress } from './internet/zone-data.ts'

type Session = {
  id: string
  order: string
  cents: number
  payment: string
  form: Record<string, string>
  created: number
  isPaid: boolean
}

/** Small, so that a list of a few is read in pages. */
const pageSize = 2

const readText = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

const answer = (response: ServerResponse, status: number, body: object) => {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

const refuse = (response: ServerResponse, status: number, message: string) =>
  answer(response, status, { error: { type: 'invalid_request_error', message } })

const required = [
  'mode',
  'success_url',
  'line_items[0][quantity]',
  'line_items[0][price_data][currency]',
  'line_items[0][price_data][unit_amount]',
  'line_items[0][price_data][product_data][name]',
]

/** What sessions and events are named by. */
const newId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`

/**
 * A server with the wire format of Stripe Checkout (API version 2024-06-20): sessions by form with `Idempotency-Key`, and events signed
 * as its webhooks are. Nobody pays anything on it but by `complete` and its like.
 */
export const startStripe = async ({ key = 'sk_test_12345678', secret = 'whsec_12345678' } = {}) => {
  const sessions = new Map<string, Session>()
  const byKey = new Map<string, { form: string; session: Session }>()
  let outage: number | undefined

  const sessionObject = ({ id, order, cents, payment }: Session, paid: boolean) => ({
    id,
    object: 'checkout.session',
    client_reference_id: order,
    payment_status: paid ? 'paid' : 'unpaid',
    payment_intent: payment,
    amount_total: cents,
    currency: 'usd',
    status: 'complete',
  })

  const create = async (request: IncomingMessage, response: ServerResponse) => {
    const text = await readText(request)
    if (outage !== undefined) return refuse(response, outage, 'An error occurred.')
    if (request.method === 'GET' && request.url?.startsWith('/v1/checkout/sessions?')) {
      if (outage !== undefined) return refuse(response, outage, 'An error occurred.')
      if (request.headers.authorization !== `Bearer ${key}`)
        return refuse(response, 401, 'Invalid API Key provided.')
      const { searchParams } = new URL(request.url, 'http://stripe.example.com')
      const listed = [...sessions.values()].filter(({ isPaid }) => isPaid).reverse()
      const from = listed.findIndex(({ id }) => id === searchParams.get('starting_after')) + 1
      const page = listed.slice(from, from + pageSize)
      return answer(response, 200, {
        object: 'list',
        data: page.map(session => ({ ...sessionObject(session, true), created: session.created })),
        has_more: from + pageSize < listed.length,
      })
    }
    if (request.method !== 'POST' || request.url !== '/v1/checkout/sessions')
      return refuse(response, 404, `Unrecognized request URL (${request.method}: ${request.url}).`)
    if (request.headers.authorization !== `Bearer ${key}`)
      return refuse(response, 401, 'Invalid API Key provided.')
    if (request.headers['content-type'] !== 'application/x-www-form-urlencoded')
      return refuse(response, 400, 'Send a form.')
    const form = Object.fromEntries(new URLSearchParams(text))
    const missing = required.find(name => form[name] === undefined)
    if (missing) return refuse(response, 400, `Missing required param: ${missing}.`)
    const expires = Number(form.expires_at)
    if (!(expires > Date.now() / 1000 + 1799 && expires < Date.now() / 1000 + 86_401))
      return refuse(response, 400, 'The `expires_at` timestamp must be between 30 minutes and 24 hours.')
    const idempotencyKey = String(request.headers['idempotency-key'])
    const before = byKey.get(idempotencyKey)
    if (before && before.form !== text)
      return refuse(response, 400, 'Keys for idempotent requests can only be used with the same parameters.')
    const session = before?.session ?? {
      id: newId('cs_test'),
      order: form.client_reference_id ?? '',
      cents: Number(form['line_items[0][price_data][unit_amount]']),
      payment: newId('pi'),
      form,
      created: Math.floor(Date.now() / 1000),
      isPaid: false,
    }
    sessions.set(session.id, session)
    byKey.set(idempotencyKey, { form: text, session })
    answer(response, 200, {
      id: session.id,
      object: 'checkout.session',
      url: `https://checkout.example.com/c/pay/${session.id}`,
      expires_at: expires,
      payment_status: 'unpaid',
      status: 'open',
      client_reference_id: session.order,
    })
  }

  const server = createServer((request, response) => {
    create(request, response).catch(() => response.destroy())
  })
  server.on('error', () => undefined)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0

  const sign = (body: string, at = Math.floor(Date.now() / 1000), by = secret): string =>
    `t=${at},v1=${createHmac('sha256', by).update(`${at}.${body}`).digest('hex')},v0=${'0'.repeat(64)}`

  const event = (type: string, object: object): string =>
    JSON.stringify({ id: newId('evt'), object: 'event', type, livemode: false, data: { object } }, null, 2)

  return {
    secret,
    url: `http://127.0.0.1:${port}`,
    environment: {
      STRIPE_SECRET_KEY: key,
      STRIPE_WEBHOOK_SECRET: secret,
      STRIPE_API: 'http://stripe.example.com',
    },
    /** The guarded fetch of the program, to whom every name is this server. */
    fetch: openFetch({
      userAgent: 'Octagent/test',
      resolve: async () => [{ address: webAddress, family: 4 }],
      connect: () => ({ address: '127.0.0.1', port }),
    }),
    sessions: () => [...sessions.values()],
    fail: (status: number | undefined) => {
      outage = status
    },
    sign,
    event,
    completed: (session: Session, paid = true) => {
      session.isPaid = paid
      return event('checkout.session.completed', sessionObject(session, paid))
    },
    settledLater: (session: Session) =>
      event('checkout.session.async_payment_succeeded', sessionObject(session, true)),
    failedLater: (session: Session) =>
      event('checkout.session.async_payment_failed', sessionObject(session, false)),
    refunded: ({ payment, cents }: Session, refundedCents: number) =>
      event('charge.refunded', {
        id: newId('ch'),
        object: 'charge',
        payment_intent: payment,
        amount: cents,
        amount_refunded: refundedCents,
      }),
    disputed: (
      { payment }: Session,
      cents: number,
      { id = 'dp_1', type = 'charge.dispute.created', status = 'needs_response' } = {},
    ) => event(type, { id, object: 'dispute', payment_intent: payment, amount: cents, status }),
    stop: () => new Promise<void>(resolve => server.close(() => resolve())),
  }
}

export type Stripe = Awaited<ReturnType<typeof startStripe>>
