import type { PaywallConfig, PaywallProvider } from '@x402/core/server'
import type { PaymentRequired, PaymentRequirements } from '@x402/core/types'
import type { RenderedPage, Shell } from '../../mcp/kernel/page.ts'
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

/** The form of a tool that met a price: what it said, and where it is sent again. */
type PaidForm = {
  title: string
  action: string
  fields: Readonly<Record<string, string>>
  input: object
  hasDemo: boolean
}

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

const facts = ({ accepts, network }: Option): Html => html`<dl>
<dt>Network</dt><dd id="network">${network}</dd>
<dt>Paid to</dt><dd><code id="payee">${accepts.payTo}</code></dd>
<dt>Token</dt><dd><code id="token">${accepts.asset}</code></dd>
</dl>`

const choice = (options: readonly Option[]): Html | false =>
  options.length > 1 &&
  html`<label for="option">Pay with</label><select id="option">${options.map(
    ({ words, network }, at) => html`<option value="${at}">${words} on ${network}</option>`,
  )}</select>`

/** The demo wallet of local chains: works without scripts. */
const demoForm = ({ action, fields }: PaidForm): Html =>
  html`<form method="post" action="${action}#answer">${Object.entries({ ...fields, 'pay.with': 'demo' }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button>Pay from the demo wallet</button><p class="note">Its money is of the local chain and worth nothing.</p></form>`

const request = (options: readonly Option[], form: PaidForm | undefined): Html => {
  const [first] = options
  if (!first)
    return html`<p>No wallet of a browser can pay this. A program can: the offers are in the header PAYMENT-REQUIRED of this answer.</p>`
  return html`<p class="price" id="price">${first.words}</p>
${form?.hasDemo && demoForm(form)}
${facts(first)}
${choice(options)}<div id="wallets" hidden><label for="wallet">Wallet</label><select id="wallet"></select></div>
<button id="pay" type="button"${form?.hasDemo && html` class="quiet"`}>Pay ${first.words}</button>
<p class="note">Your wallet signs a transfer of exactly this amount to this address. It costs you no gas.${
    isTest(first) && ' This is a test network: its money is worth nothing.'
  }</p>`
}

/** Policy for showing an answer: pictures of the seller, and pages in a frame. */
const policy = {
  'img-src': "'self' https: data: blob:",
  'frame-src': "'self' blob:",
  'form-action': "'none'",
}

/** The page for people who meet a price: what it is, what it costs, who is paid, and a button that has their wallet sign. */
const paywallPage = (
  shell: Shell,
  quote: PaymentRequired,
  config: PaywallConfig = {},
  form?: PaidForm,
): RenderedPage => {
  const { resource, accepts, extensions } = quote
  const options = accepts.filter(isSignable).map(toOption)
  const title = form?.title ?? (resource?.description || resource?.serviceName || 'This page has a price')
  const data = embedJson({
    quote: { resource, ...(extensions && { extensions }) },
    options,
    ...(form && { post: form.input }),
  })
  return shell({
    title: 'Payment required',
    width: 'narrow',
    script: paywallScript,
    policy: form ? { ...policy, 'form-action': "'self'" } : policy,
    body: html`${banner(config)}<h1>${title}</h1>
${!form && html`<p class="note">${resource?.url ?? config.currentUrl}</p>`}
<div id="ask">${request(options, form)}</div>
<p id="status" role="status" aria-live="polite"></p>
<noscript><p>Paying here needs JavaScript and a wallet in your browser.</p></noscript>
<section id="answer" aria-label="The answer"></section>
${form && html`<p><a href="${form.action}">Back to the tool</a></p>`}
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
  generateHtml: (quote, config) => withPolicy(paywallPage(openShell(), quote, config)),
}

/** The page where a wallet of a browser can pay the quote; undefined where only programs can. */
export const payablePage = (
  quote: PaymentRequired,
  shell: Shell,
  form?: PaidForm,
): RenderedPage | undefined =>
  quote.accepts.some(isSignable) ? paywallPage(shell, quote, undefined, form) : undefined
