import { randomUUID } from 'node:crypto'
import type { PaywallConfig, PaywallProvider } from '@x402/core/server'
import type { PaymentRequired, PaymentRequirements } from '@x402/core/types'
import { encode } from 'uqr'
import type { PaidForm, PayCard, RenderedPage, Shell } from '../../mcp/kernel/page.ts'
import { type Html, html } from '../../mcp/lib/text/html.ts'
import { openShell } from '../shell.ts'
import { paywallScript } from './script.ts'
import { networkTitle, priceInWords } from './words.ts'

/** JSON as it may stand in a script element. */
const embedJson = (value: object): string =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** True when a browser wallet can sign it: EIP-3009 of a token whose name and version are told. */
const isSignable = ({ scheme, network, extra }: PaymentRequirements): boolean =>
  scheme === 'exact' &&
  /^eip155:\d+$/.test(network) &&
  typeof extra?.name === 'string' &&
  typeof extra.version === 'string' &&
  (extra.assetTransferMethod === undefined || extra.assetTransferMethod === 'eip3009')

const toOption = (accepts: PaymentRequirements) => ({
  accepts,
  words: priceInWords(accepts),
  network: networkTitle(accepts.network),
  chainId: Number(accepts.network.slice('eip155:'.length)),
})

type Option = ReturnType<typeof toOption>

const logo = ({ appLogo }: PaywallConfig): Html | false =>
  appLogo !== undefined &&
  /^(https:\/\/|\/(?!\/)|data:image\/)/i.test(appLogo) &&
  html`<img src="${appLogo}" alt="">`

const banner = (config: PaywallConfig): Html | false =>
  Boolean(config.appName || config.appLogo) &&
  html`<div class="seller">${logo(config)}<span>${config.appName}</span></div>`

const isTest = ({ accepts: { network, extra } }: Option): boolean =>
  extra?.devnet === true ||
  ['eip155:84532', 'eip155:11155111', 'eip155:421614', 'eip155:11155420'].includes(network)

const facts = ({ accepts, network, words }: Option): Html => html`<dl>
<dt>Price</dt><dd id="price">${words}</dd>
<dt>Network</dt><dd id="network">${network}</dd>
<dt>Paid to</dt><dd><code id="payee">${accepts.payTo}</code></dd>
<dt>Token</dt><dd><code id="token">${accepts.asset}</code></dd>
</dl>`

const choice = (options: readonly Option[]): Html | false =>
  options.length > 1 &&
  html`<label for="option">Pay with</label><select id="option">${options.map(
    ({ words, network }, at) => html`<option value="${at}">${words} on ${network}</option>`,
  )}</select>`

const hidden = (fields: Readonly<Record<string, string>>): Html[] =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)

/** The form of the tool once more, with a payment: works without scripts. */
const payForm = ({ action, fields }: PaidForm, payment: Readonly<Record<string, string>>, content: Html) =>
  html`<form method="post" action="${action}#answer">${hidden({ ...fields, ...payment })}${content}</form>`

const balanceWay = (form: PaidForm, price: string): Html | false => {
  const { balance, signIn } = form
  if (!balance)
    return signIn !== undefined && html`<p><a href="${signIn}">Sign in</a> to pay from a balance.</p>`
  const { available, topUp } = balance
  if (/^[0.]+$/.test(available))
    return html`<p>Your balance is empty. <a href="${topUp}">Add to it</a> to pay with one click.</p>`
  // Each page pays once, however often its button is pressed or its answer loaded again.
  const payment = { 'pay.with': 'balance', 'pay.key': randomUUID() }
  return payForm(
    form,
    payment,
    html`<button>Pay ${price} from your balance</button><p class="note">It has ${available} USD.</p>`,
  )
}

/** The demo wallet of local chains. */
const demoWay = (form: PaidForm): Html | false =>
  form.hasDemo &&
  payForm(
    form,
    { 'pay.with': 'demo' },
    html`<button${form.balance && html` class="quiet"`}>Pay from the demo wallet</button><p class="note">Its money is of the local chain and worth nothing.</p>`,
  )

/** A text as a QR code. Capitals make the code of an invoice smaller, and mean the same (BOLT 11). */
export const qrCode = (text: string, label: string): Html => {
  const { data, size } = encode(text.toUpperCase(), { border: 4 })
  const dots = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])))
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}"><rect width="${size}" height="${size}" fill="#fff"/><path d="${dots.join('')}" fill="#000"/></svg>`
}

/** An invoice as a picture to scan and a text to copy. What it is paid with in return proves the payment, so the person brings it. */
const lightningWay = (form: PaidForm, isOnlyWay: boolean): Html | false => {
  const { lightning } = form
  if (!lightning) return false
  const { invoice, token } = lightning
  return html`<details${isOnlyWay && html` open`}><summary>Pay over Lightning</summary>
${qrCode(`lightning:${invoice}`, 'The invoice as a QR code')}
<p><a class="button quiet" href="lightning:${invoice}">Open it in your wallet</a></p>
<button id="webln" type="button" data-invoice="${invoice}" hidden>Pay with the wallet of this browser</button>
<pre id="invoice" tabindex="0" aria-label="The invoice"><code>${invoice}</code></pre>
${payForm(
  form,
  { 'pay.token': token },
  html`<label for="preimage">Proof of payment (preimage), as your wallet shows it once it has paid</label>
<input id="preimage" name="pay.preimage" required pattern="\\s*[0-9a-fA-F]{64}\\s*" title="64 digits and letters from a to f" autocomplete="off" spellcheck="false">
<button class="quiet">I have paid</button>`,
)}</details>`
}

const walletWay = (options: readonly Option[], form: PaidForm | undefined): Html | false => {
  const [first] = options
  if (!first) return false
  const isFirstWay = !form?.hasDemo && !form?.balance
  return html`${facts(first)}
${choice(options)}<div id="wallets" hidden><label for="wallet">Wallet</label><select id="wallet"></select></div>
<button id="pay" type="button"${!isFirstWay && html` class="quiet"`}>Pay ${first.words}</button>
<p class="note">Your wallet signs a transfer of exactly this amount to this address. It costs you no gas.${
    isTest(first) && ' This is a test network: its money is worth nothing.'
  }</p>
${form && html`<form id="signed" method="post" action="${form.action}#answer" hidden>${hidden({ ...form.fields, 'pay.signature': '' })}</form>`}
<noscript><p>Paying with a wallet of the browser needs JavaScript.</p></noscript>`
}

const request = (options: readonly Option[], form: PaidForm | undefined): Html => {
  const price = dollars(options[0]) ?? 'it'
  const ways = [
    ...(form ? [balanceWay(form, price), demoWay(form)] : []),
    walletWay(options, form),
    form && lightningWay(form, options.length === 0),
  ].filter(way => way)
  return ways.length > 0
    ? html`${ways}`
    : html`<p>No wallet of a browser can pay this. A program can: the offers are in the header PAYMENT-REQUIRED of this answer.</p>`
}

/** Policy for showing an answer: pictures of the seller, and pages in a frame. */
const policy = {
  'img-src': "'self' https: data: blob:",
  'frame-src': "'self' blob:",
  'form-action': "'none'",
}

/** A price as people say it: "0.10 USD". Undefined for a token that may be no dollar. */
const dollars = (option: Option | undefined): string | undefined =>
  option?.words.endsWith(' USDC') ? option.words.replace(/USDC$/, 'USD') : undefined

/** The page for people who meet a price: what is bought, what it costs, why a payment was not taken, and the ways to pay. */
const paywallPage = (
  shell: Shell,
  quote: PaymentRequired,
  { title, back, refused, form }: PayCard,
  config: PaywallConfig = {},
): RenderedPage => {
  const { resource, accepts, extensions } = quote
  const options = accepts.filter(isSignable).map(toOption)
  const price = dollars(options[0])
  // A form leads on to `#answer`: empty on this page, it would take the keyboard past the ways to pay.
  const answer = !form && html`<section id="answer" aria-label="The answer"></section>`
  const data = embedJson({ quote: { resource, ...(extensions && { extensions }) }, options })
  return shell({
    title: 'Payment required',
    width: 'narrow',
    script: paywallScript,
    policy: form ? { ...policy, 'form-action': "'self'" } : policy,
    body: html`${banner(config)}<h1>${price === undefined ? title : `${title}: ${price}`}</h1>
${refused !== undefined && html`<p class="bad" role="alert">The payment was not taken. ${refused}</p>`}
${!form && html`<p class="note">${resource?.url ?? config.currentUrl}</p>`}
<div id="ask">${request(options, form)}</div>
<p id="status" role="status" aria-live="polite"></p>
${answer}
${back && html`<p><a href="${back.url}">${back.title}</a></p>`}
<script type="application/json" id="quote">${{ html: data }}</script>`.html,
  })
}

/** A page that brings its policy along, for servers that set no header of ours; `frame-ancestors` works in headers alone. */
const withPolicy = ({ html: text, headers }: RenderedPage): string => {
  const policy = (headers['Content-Security-Policy'] ?? '').replace(/; frame-ancestors [^;]*/, '')
  const meta = html`<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="robots" content="noindex"><meta name="referrer" content="no-referrer">`
  return text.replace('<meta charset="utf-8">', found => `${found}\n${meta.html}`)
}

/** The page as the stock middleware and ours take it: on the server of somebody else. */
export const paywallProvider: PaywallProvider = {
  generateHtml(quote, config) {
    const { resource } = quote
    const title = resource?.description || resource?.serviceName || 'This page has a price'
    return withPolicy(paywallPage(openShell(), quote, { title }, config))
  },
}

/** The page where a person can pay the quote; undefined where only programs can. */
export const payablePage = (quote: PaymentRequired, shell: Shell, card: PayCard): RenderedPage | undefined =>
  card.form || quote.accepts.some(isSignable) ? paywallPage(shell, quote, card) : undefined
