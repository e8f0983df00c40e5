import type { Page } from '../../internet/web-server.ts'

type Fields = Record<string, unknown>

export const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64')

export const payee = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C'
const usdcOnBase = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

export const offer = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '10000',
  asset: usdcOnBase,
  payTo: payee,
  maxTimeoutSeconds: 60,
  extra: { name: 'USD Coin', version: '2' },
}

export const quote = (accepts: readonly Fields[] = [offer], more: Fields = {}) => ({
  x402Version: 2,
  error: 'Payment required',
  resource: { url: 'http://shop.example.com/paid', description: 'A thing', mimeType: 'application/json' },
  accepts,
  ...more,
})

export const offerV1 = {
  scheme: 'exact',
  network: 'base',
  maxAmountRequired: '10000',
  resource: 'http://shop.example.com/paid',
  description: 'A thing',
  mimeType: 'application/json',
  payTo: payee,
  maxTimeoutSeconds: 60,
  asset: usdcOnBase,
  extra: { name: 'USD Coin', version: '2' },
}

export const quoteV1 = (accepts: readonly Fields[] = [offerV1]) => ({
  x402Version: 1,
  error: 'X-PAYMENT header is required',
  accepts,
})

const json = { 'content-type': 'application/json' }

/** A server that asks in version 2. */
export const asking = (value: unknown, body: unknown = {}): Page => ({
  status: 402,
  headers: { ...json, 'PAYMENT-REQUIRED': base64(value) },
  body: JSON.stringify(body),
})

/** A server that puts everything into the body. */
export const askingInBody = (body: unknown, headers: Record<string, string> = {}): Page => ({
  status: 402,
  headers: { ...json, ...headers },
  body: JSON.stringify(body),
})

const offering = (more: Fields): Page => asking(quote([{ ...offer, ...more }]))

/** Servers with one fault each, and how it is named. */
export const brokenShops: readonly [fault: string, code: string, path: string, page: Page][] = [
  [
    'signs under the name that USDC has on Base Sepolia',
    'wrong_domain_name',
    'PAYMENT-REQUIRED.accepts[0].extra.name',
    offering({ extra: { name: 'USDC', version: '2' } }),
  ],
  [
    'does not say what payers sign under',
    'no_domain',
    'PAYMENT-REQUIRED.accepts[0].extra',
    offering({ extra: {} }),
  ],
  ['puts version 2 into the body only', 'v2_without_header', 'PAYMENT-REQUIRED', askingInBody(quote())],
  ['puts version 1 into the header of version 2', 'v1_in_v2_header', 'PAYMENT-REQUIRED', asking(quoteV1())],
  [
    'sends the header as JSON',
    'header_not_base64',
    'PAYMENT-REQUIRED',
    { status: 402, headers: { 'PAYMENT-REQUIRED': JSON.stringify(quote()) } },
  ],
  [
    'sends a header that was cut',
    'header_unreadable',
    'PAYMENT-REQUIRED',
    { status: 402, headers: { 'PAYMENT-REQUIRED': base64(quote()).slice(0, 200) } },
  ],
  [
    'asks in the header that payments come in',
    'wrong_header',
    'X-PAYMENT',
    askingInBody({}, { 'X-PAYMENT': base64(quote()) }),
  ],
  [
    'calls the price as version 1 does',
    'v1_field_in_v2',
    'PAYMENT-REQUIRED.accepts[0].maxAmountRequired',
    offering({ amount: undefined, maxAmountRequired: '10000' }),
  ],
  [
    'names the network as version 1 does',
    'network_not_caip2',
    'PAYMENT-REQUIRED.accepts[0].network',
    offering({ network: 'base' }),
  ],
  [
    'forgets what is paid for',
    'no_resource',
    'PAYMENT-REQUIRED.resource',
    asking(quote([offer], { resource: undefined })),
  ],
  [
    'asks for dollars in place of the smallest unit',
    'amount_not_atomic',
    'PAYMENT-REQUIRED.accepts[0].amount',
    offering({ amount: '0.01' }),
  ],
  [
    'counts USDC with 18 decimals',
    'wrong_decimals',
    'PAYMENT-REQUIRED.accepts[0].amount',
    offering({ amount: '10000000000000000' }),
  ],
  [
    'wants the USDC of Arbitrum on Base',
    'asset_of_another_chain',
    'PAYMENT-REQUIRED.accepts[0].asset',
    offering({ asset: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831' }),
  ],
  [
    'mistypes its own address',
    'payee_checksum',
    'PAYMENT-REQUIRED.accepts[0].payTo',
    offering({ payTo: payee.replace('0x2096', '0x2097') }),
  ],
  [
    'leaves a second to pay in',
    'timeout_too_short',
    'PAYMENT-REQUIRED.accepts[0].maxTimeoutSeconds',
    offering({ maxTimeoutSeconds: 1 }),
  ],
  ['offers nothing', 'no_offers', 'PAYMENT-REQUIRED.accepts', asking(quote([]))],
  [
    'asks for less in version 1',
    'versions_disagree',
    'body.accepts',
    asking(quote(), quoteV1([{ ...offerV1, maxAmountRequired: '100' }])),
  ],
  ['asks for nothing', 'not_asked_to_pay', 'status 200', { status: 200, headers: json, body: '{}' }],
  [
    'reads the input before it quotes',
    'input_before_price',
    'status 422',
    { status: 422, headers: json, body: '{}' },
  ],
  [
    'redirects payers',
    'redirect',
    'status 308',
    { status: 308, headers: { location: 'https://shop.example.com/elsewhere' } },
  ],
  [
    'asks for no more than a name in L402',
    'no_quote',
    'PAYMENT-REQUIRED',
    {
      status: 402,
      headers: { 'WWW-Authenticate': 'L402 macaroon="x", invoice="y"' },
    },
  ],
  [
    'pays the zero address',
    'payee_zero',
    'PAYMENT-REQUIRED.accepts[0].payTo',
    offering({ payTo: `0x${'0'.repeat(40)}` }),
  ],
  ['fails', 'server_fault', 'status 500', { status: 500 }],
]

/** Servers that all payers understand. */
export const soundShops: readonly [name: string, page: Page, defaultClientPays: boolean][] = [
  ['in version 2', asking(quote()), true],
  ['in both versions', asking(quote(), quoteV1()), true],
  ['in version 1 only', askingInBody(quoteV1()), true],
  [
    'in a lower-case address',
    offering({ asset: usdcOnBase.toLowerCase(), payTo: payee.toLowerCase() }),
    true,
  ],
  ['for more than a dollar', offering({ amount: '1500000' }), false],
  [
    'on Solana',
    offering({
      network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
      asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
      payTo: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
      extra: { feePayer: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' },
    }),
    true,
  ],
  [
    'on Arc, whose USDC the stock client does not know',
    offering({
      network: 'eip155:5042',
      asset: '0x3600000000000000000000000000000000000000',
      extra: { name: 'USDC', version: '2' },
    }),
    false,
  ],
]
