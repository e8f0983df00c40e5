import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import type { CardEvent } from '../../lib/card-payment.ts'
import { parseJson } from '../../lib/json.ts'
import type { Clock } from '../clock/port.ts'
import type { Fetch } from '../fetch/port.ts'
import type { Card, CheckoutOrder, PaidCheckout } from './port.ts'

/** Seconds that a signed event may be old, or ahead of our clock. */
const toleranceSeconds = 300

/**
 * Whether Stripe signed these bytes lately: `Stripe-Signature: t=<seconds>,v1=<hex HMAC-SHA256 over "t.body">`. While a secret is
 * being changed there are several `v1`; any one suffices.
 */
const isSigned = (header: string | undefined, body: Uint8Array, secret: string, now: Date): boolean => {
  if (header === undefined || header.length > 2000) return false
  const fields = header.split(',').map(field => field.trim().split('=', 2))
  const times = fields.filter(([name]) => name === 't').map(([, value = '']) => value)
  const [time = ''] = times
  if (times.length !== 1 || !/^\d{1,12}$/.test(time)) return false
  if (Math.abs(now.getTime() / 1000 - Number(time)) > toleranceSeconds) return false
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest()
  return fields.some(([name, value = '']) => {
    if (name !== 'v1' || !/^[0-9a-f]{64}$/.test(value)) return false
    return timingSafeEqual(Buffer.from(value, 'hex'), expected)
  })
}

type Options = {
  fetch: Fetch
  clock: Clock
  /** `https://api.stripe.com` */
  api: string
  key: string
  /** One, or several with commas: each endpoint of the processor has its own. */
  webhookSecret: string
}

/** The version of the API whose words are read here. */
const version = '2024-06-20'

/** Minutes for which a page can be paid on; the processor takes 30 at least. */
const pageMinutes = 60

const Session = z.object({ id: z.string().min(1), url: z.url(), expires_at: z.number().int() })
const Failure = z.object({ error: z.object({ message: z.string() }) })
const id = z.string().min(1).max(255)

const CheckoutSession = z.object({
  client_reference_id: id.nullish(),
  payment_status: z.enum(['paid', 'unpaid', 'no_payment_required']),
  payment_intent: id.nullish(),
  amount_total: z.number().int().nonnegative().nullish(),
  currency: z.string().nullish(),
})

const Sessions = z.object({
  data: z.array(CheckoutSession.extend({ id, created: z.number().int() })),
  has_more: z.boolean(),
})

const Charge = z.object({ payment_intent: id.nullish(), amount_refunded: z.number().int().nonnegative() })

const Dispute = z.object({
  id,
  payment_intent: id.nullish(),
  amount: z.number().int().nonnegative(),
  status: z.string(),
})

const Event = z.object({ type: z.string(), data: z.object({ object: z.unknown() }) })
const other: CardEvent = { kind: 'other' }

const readSession = (type: string, object: unknown): CardEvent => {
  const session = CheckoutSession.parse(object)
  const { client_reference_id: order, payment_status: status, payment_intent: payment } = session
  if (!order) return other
  if (type === 'checkout.session.expired' || type === 'checkout.session.async_payment_failed')
    return { kind: 'failed', order }
  if (status !== 'paid' || !payment) return { kind: 'waiting', order }
  return { kind: 'paid', order, payment, cents: session.amount_total ?? 0, currency: session.currency ?? '' }
}

/** A warning takes no money; what is lost or still open is not ours. */
const disputeState = (type: string, status: string): 'open' | 'won' | 'lost' => {
  if (status === 'won' || status.startsWith('warning_')) return 'won'
  return type === 'charge.dispute.closed' || status === 'lost' ? 'lost' : 'open'
}

const readObject = (type: string, object: unknown): CardEvent => {
  if (type.startsWith('checkout.session.')) return readSession(type, object)
  if (type === 'charge.refunded') {
    const { payment_intent: payment, amount_refunded: cents } = Charge.parse(object)
    return payment ? { kind: 'refunded', payment, cents } : other
  }
  if (type.startsWith('charge.dispute.')) {
    const { id: dispute, payment_intent: payment, amount: cents, status } = Dispute.parse(object)
    return payment ? { kind: 'disputed', payment, dispute, cents, state: disputeState(type, status) } : other
  }
  return other
}

const toForm = ({ id: order, cents, title, returnUrl }: CheckoutOrder, expiresAt: number): string =>
  new URLSearchParams({
    mode: 'payment',
    client_reference_id: order,
    success_url: returnUrl,
    cancel_url: returnUrl,
    expires_at: String(expiresAt),
    'line_items[0][quantity]': '1',
    'line_items[0][price_data][currency]': 'usd',
    'line_items[0][price_data][unit_amount]': String(cents),
    'line_items[0][price_data][product_data][name]': title,
    'metadata[order]': order,
    'payment_intent_data[metadata][order]': order,
  }).toString()

/** Pages of a list that are read at most: a hundred sessions each. */
const maxPages = 500

/** Stripe Checkout: a hosted page by its API, and the events that its webhooks tell. */
export const openStripe = ({ fetch, clock, api, key, webhookSecret }: Options): Card => {
  const secrets = webhookSecret.split(',')
  return {
    async createCheckout(order) {
      const expiresAt = Math.floor(clock.now().getTime() / 1000) + pageMinutes * 60
      const cannot = (cause: unknown) =>
        new ToolError('upstream', 'The processor of cards makes no page right now; nothing was charged.', {
          cause,
          retryAfter: 10,
        })
      const answer = await fetch(`${api}/v1/checkout/sessions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/x-www-form-urlencoded',
          'idempotency-key': order.id,
          'stripe-version': version,
        },
        body: toForm(order, expiresAt),
        namedBy: 'operator',
        maxRedirects: 0,
        fresh: true,
      }).catch(error => {
        throw cannot(error)
      })
      const body = parseJson(answer.body.toString('utf8'))
      const session = Session.safeParse(body)
      if (answer.status === 200 && session.success) {
        const { id: sessionId, url, expires_at: ends } = session.data
        return { session: sessionId, url, expiresAt: new Date(ends * 1000) }
      }
      const { data: failure } = Failure.safeParse(body)
      throw cannot(
        new Error(`Stripe answered ${answer.status}: ${failure?.error.message.slice(0, 200) ?? ''}`),
      )
    },
    async listPaid(since) {
      const paid: PaidCheckout[] = []
      let after: string | undefined
      for (let page = 0; page < maxPages; page++) {
        const query = new URLSearchParams({
          limit: '100',
          status: 'complete',
          'created[gte]': String(Math.floor(since.getTime() / 1000)),
          ...(after !== undefined && { starting_after: after }),
        })
        const answer = await fetch(`${api}/v1/checkout/sessions?${query}`, {
          headers: { authorization: `Bearer ${key}`, 'stripe-version': version },
          namedBy: 'operator',
          maxRedirects: 0,
          fresh: true,
        }).catch((cause: unknown) => {
          throw new ToolError('upstream', 'The processor of cards lists no payments right now.', { cause })
        })
        const sessions = Sessions.safeParse(parseJson(answer.body.toString('utf8')))
        if (answer.status !== 200 || !sessions.success)
          throw new ToolError(
            'upstream',
            `The processor of cards lists no payments: it answered ${answer.status}.`,
          )
        for (const session of sessions.data.data) {
          after = session.id
          const { client_reference_id: order, payment_intent: payment, payment_status: status } = session
          // Pages of somebody else in the same account have no order of ours.
          if (!order || !payment || status !== 'paid') continue
          const at = new Date(session.created * 1000)
          paid.push({
            order,
            payment,
            cents: session.amount_total ?? 0,
            currency: session.currency ?? '',
            at,
          })
        }
        if (!sessions.data.has_more) return paid
      }
      throw new ToolError('upstream', 'The processor of cards lists more payments than can be read.')
    },
    readEvent(body, signature) {
      if (!secrets.some(secret => isSigned(signature, body, secret, clock.now())))
        throw new ToolError('forbidden', 'The event is not signed by the processor of cards, or it is old.', {
          reason: 'signature_invalid',
          hint: 'STRIPE_WEBHOOK_SECRET names the signing secret of this very endpoint.',
        })
      try {
        const { type, data } = Event.parse(parseJson(Buffer.from(body).toString('utf8')))
        return readObject(type, data.object)
      } catch (cause) {
        throw new ToolError('malformed', 'The body is no event of the processor of cards.', { cause })
      }
    },
  }
}
