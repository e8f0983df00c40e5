import type { PaymentRequest, RequestedCall } from '../../mcp/accounts/payment-requests.ts'
import { type Html, html } from '../../mcp/lib/text/html.ts'
import { formatUsd } from '../../mcp/lib/usd.ts'
import { form } from './answer.ts'
import { limitsFields } from './limits-fields.ts'

type Limits = { per_call: string | null; per_day: string | null; services: readonly string[] | null }

/** Facts only for the account that asked. */
type Own = {
  client: string
  reason: string
  available: bigint
  /** Undefined where the client has no limits any more, because it was disconnected. */
  suggested: Limits | undefined
  services: readonly { slug: string; name: string }[]
}

type PayPage = {
  /** The path of the installation. */
  base: string
  request: PaymentRequest & { call: RequestedCall }
  own: Own | undefined
}

const reasons: Readonly<Record<string, string>> = {
  limit_per_call: 'costs more than you let it spend on one call',
  limit_per_day: 'would go past what you let it spend in a day',
  limit_service: 'is at a service that you do not let it pay',
  balance_too_low: 'costs more than there is on your balance',
}

const facts = ({ request: { amount, call, expires_at }, own }: PayPage): Html => html`<dl>
<dt>Service</dt><dd>${call.service_name}</dd>
<dt>Tool</dt><dd>${call.title} (<code>${call.tool}</code>)</dd>
<dt>Price</dt><dd>${formatUsd(BigInt(amount))} USD, once</dd>
${own ? html`<dt>Client</dt><dd>${own.client}</dd>` : ''}
<dt>Until</dt><dd>${expires_at.slice(11, 16)} UTC</dd>
</dl>`

const ownWays = ({ base, request: { id, amount } }: PayPage, own: Own): Html => {
  const price = formatUsd(BigInt(amount))
  const isEnough = own.available >= BigInt(amount)
  return html`<p>Your balance has ${formatUsd(own.available)} USD.${isEnough ? '' : html` <a href="${base}/auth/balance">Add to it</a>, or pay with a wallet.`}</p>
${isEnough && own.reason !== 'balance_too_low' ? form(`${base}/auth/pay/${id}/balance`, {}, html`<button>Pay ${price} USD from the balance, this once</button>`) : ''}
${
  own.suggested && isEnough && own.reason !== 'balance_too_low'
    ? html`<details><summary>Let ${own.client} spend more from now on</summary>
${form(
  `${base}/auth/pay/${id}/limits`,
  {},
  html`${limitsFields('limits', own.suggested, own.services)}
<button class="quiet">Save, and let the call go on</button>`,
)}</details>`
    : ''
}`
}

/** A call that waits for its person: what it is, what it costs, and the ways to cover it. */
export const payPage = (page: PayPage): Html => {
  const { base, request, own } = page
  const { call, id, amount } = request
  return html`<h1>${own ? `${own.client} asks to make a call` : 'A call waits to be paid'}</h1>
<p>${own ? `It ${reasons[own.reason] ?? 'is not covered'}.` : 'Pay it with a wallet, or sign in where it is your client that asked.'}</p>
${facts(page)}
<p>What it does: ${call.description}</p>
${own ? ownWays(page, own) : ''}
<p><a href="${base}/account/pay/${id}/wallet">Pay ${formatUsd(BigInt(amount))} USD with a wallet</a></p>
${own ? '' : html`<p><a href="${base}/auth/sign-in?${String(new URLSearchParams({ return: `/auth/pay/${id}` }))}">Sign in</a> to use the balance or change the limits of your client.</p>`}
<p class="note">What is paid is set aside for this one call. If no call takes it within an hour, it goes to the balance.</p>`
}

/** For the account whose call is covered. */
export const coveredPage = ({ call }: PayPage['request'], base: string): Html => html`<h1>You can go back</h1>
<p>${call.title} is covered. Where your client waits it goes on by itself; otherwise have it make the same call again.</p>
<p class="note"><a href="${base}/auth/balance">Your balance</a></p>`

/** The same for what is over, was paid, or never was: it tells nothing. */
export const overPage = html`<h1>This page is over</h1>
<p>It was for one call and ten minutes, or it never was. Have the client make its call again: it gets a new page.</p>`

/** For somebody who is signed in to another account. */
export const foreignPage = (base: string, id: string): Html => html`<h1>This is not of your account</h1>
<p>You are signed in to another account than the one that this page belongs to. <a href="${base}/auth/sign-in?${String(new URLSearchParams({ return: `/auth/pay/${id}`, again: '1' }))}">Sign in to that one</a>, or <a href="${base}/account/pay/${id}/wallet">pay with a wallet</a>.</p>`
