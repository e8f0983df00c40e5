import { randomBytes } from 'node:crypto'
import type { PaywallConfig, PaywallProvider } from '@x402/core/server'
import type { PaymentRequired, PaymentRequirements } from '@x402/core/types'
import { script } from './script.ts'
import { style } from './style.ts'
import { networkTitle, priceInWords } from './words.ts'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeText = (text: unknown): string =>
  String(text ?? '').replace(/[&<>"']/g, character => entities[character] ?? '')

/** JSON as it may stand in a script element. */
const embedded = (value: object): string =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** What a browser wallet can sign: EIP-3009 of a token whose name and version are told. */
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

const logo = ({ appLogo }: PaywallConfig): string =>
  appLogo !== undefined && /^(https:\/\/|\/(?!\/)|data:image\/)/i.test(appLogo)
    ? `<img src="${escapeText(appLogo)}" alt="">`
    : ''

const banner = (config: PaywallConfig): string => {
  const { appName } = config
  return appName || config.appLogo
    ? `<header>${logo(config)}<span>${escapeText(appName)}</span></header>`
    : ''
}

const isTest = ({ accepts: { network, extra } }: Option): boolean =>
  extra?.devnet === true ||
  ['eip155:84532', 'eip155:11155111', 'eip155:421614', 'eip155:11155420'].includes(network)

const facts = ({ accepts, network }: Option): string => `<dl>
<dt>Network</dt><dd id="network">${escapeText(network)}</dd>
<dt>Paid to</dt><dd><code id="payee">${escapeText(accepts.payTo)}</code></dd>
<dt>Token</dt><dd><code id="token">${escapeText(accepts.asset)}</code></dd>
</dl>`

const choice = (options: readonly Option[]): string =>
  options.length < 2
    ? ''
    : `<fieldset><label for="option">Pay with</label><select id="option">${options
        .map(
          ({ words, network }, at) =>
            `<option value="${at}">${escapeText(words)} on ${escapeText(network)}</option>`,
        )
        .join('')}</select></fieldset>`

const request = (options: readonly Option[]): string => {
  const [first] = options
  if (!first)
    return '<p>No wallet of a browser can pay this. A program can: the offers are in the header PAYMENT-REQUIRED of this answer.</p>'
  return `<p class="price" id="price">${escapeText(first.words)}</p>
${facts(first)}
${choice(options)}<fieldset id="wallets" hidden><label for="wallet">Wallet</label><select id="wallet"></select></fieldset>
<button id="pay" type="button">Pay ${escapeText(first.words)}</button>
<p class="note">Your wallet signs a transfer of exactly this amount to this address. It costs you no gas.${
    isTest(first) ? ' This is a test network: its money is worth nothing.' : ''
  }</p>`
}

const policyFor = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "img-src 'self' https: data: blob:",
    "connect-src 'self'",
    "frame-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')

/** A page, and the Content-Security-Policy that its own nonce is in. */
export type PaywallPage = { html: string; policy: string }

/** The page for people who meet a price: what it is, what it costs, who is paid, and a button that has their wallet sign. */
const paywallPage = (quote: PaymentRequired, config: PaywallConfig = {}): PaywallPage => {
  const nonce = randomBytes(16).toString('base64')
  const policy = policyFor(nonce)
  const { resource, accepts, extensions } = quote
  const options = accepts.filter(isSignable).map(toOption)
  const title = resource?.description || resource?.serviceName || 'This page has a price'
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeText(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><meta name="referrer" content="no-referrer">
<title>Payment required</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${style}</style></head>
<body><main>
${banner(config)}
<h1>${escapeText(title)}</h1>
<p class="note">${escapeText(resource?.url ?? config.currentUrl)}</p>
<div id="ask">${request(options)}</div>
<p id="status" role="status" aria-live="polite"></p>
<noscript><p>Paying here needs JavaScript and a wallet in your browser.</p></noscript>
<section id="answer" aria-label="The answer"></section>
</main>
<script type="application/json" id="quote">${embedded({ quote: { resource, ...(extensions && { extensions }) }, options })}</script>
<script nonce="${nonce}">${script}</script>
</body></html>
`
  return { html, policy }
}

/** The page as the stock middleware and ours take it. */
export const paywall: PaywallProvider = {
  generateHtml: (quote, config) => paywallPage(quote, config).html,
}

/** The page where a wallet of a browser can pay the quote; undefined where only programs can. */
export const payablePage = (quote: PaymentRequired): PaywallPage | undefined =>
  quote.accepts.some(isSignable) ? paywallPage(quote) : undefined
