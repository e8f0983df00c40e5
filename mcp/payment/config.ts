import { z } from 'zod'
import { settings, toSecret } from '../kernel/setting.ts'
import { absoluteUrl, jsonText, list } from '../lib/setting-texts.ts'
import { parseKeySecret } from '../ports/facilitator/auth.ts'
import { NodeOptions } from '../ports/lightning/node-options.ts'

const networkNames = ['base', 'base-sepolia', 'arbitrum', 'arc', 'solana', 'solana-devnet'] as const

const networks = list.transform((pairs, context) =>
  pairs.flatMap(pair => {
    const cut = pair.indexOf('=')
    const name = networkNames.find(candidate => candidate === pair.slice(0, cut))
    const rpc = absoluteUrl.safeParse(pair.slice(cut + 1))
    if (name && rpc.success) return [{ name, rpc: toSecret(rpc.data) }]
    context.addIssue({
      code: 'custom',
      message: `each is name=URL, with a name of ${networkNames.join(', ')}`,
    })
    return []
  }),
)

/** Dollars for one unit of another price, `sat=0.0006`. */
const rates = list.transform((pairs, context) => {
  const rates: { sat?: string; credit?: string } = {}
  for (const pair of pairs) {
    const [, unit, usd] = /^(sat|credit)=(\d{1,9}(?:\.\d{1,18})?)$/.exec(pair) ?? []
    if ((unit === 'sat' || unit === 'credit') && usd !== undefined && Number(usd) > 0) rates[unit] = usd
    else context.addIssue({ code: 'custom', message: 'each is unit=USD, such as sat=0.0006' })
  }
  return rates
})

const privateKey = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'a private key: 0x and 64 hexadecimal digits')

const solanaKey = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{80,90}$/, 'a Solana secret key: base58 of 64 bytes')

const credentials = z.record(
  z.string(),
  z.union(
    [
      z.strictObject({ headers: z.record(z.string().regex(/^[\w-]+$/), z.string().regex(/^[\x20-\x7e]+$/)) }),
      z.strictObject({
        keyId: z.string().min(1),
        keySecret: z.string().refine(text => parseKeySecret(text) !== undefined),
      }),
    ],
    'either headers, or keyId and keySecret: the PEM of a P-256 key, or base64 of the 64 bytes of an Ed25519 key',
  ),
)

export const paymentSettings = settings({
  networks: {
    variable: 'OCTAGENT_NETWORKS',
    schema: networks,
    description:
      'Networks that payments are taken on, name=RPC URL, with the names base, base-sepolia, arbitrum, arc, solana and solana-devnet. Default: local chains, on loopback only.',
    example: 'base=https://rpc.example.net/key',
    // Addresses of nodes may hold keys.
    secret: 'parts',
  },
  payTo: {
    variable: 'OCTAGENT_PAY_TO',
    schema: z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'an EVM address'),
    description: 'EVM address that is paid. Needed with an EVM network.',
  },
  previousPayTo: {
    variable: 'OCTAGENT_PAY_TO_PREVIOUS',
    schema: z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'an EVM address'),
    description:
      'EVM address that was paid before OCTAGENT_PAY_TO was changed: quotes that name it hold until their time is over, five minutes.',
  },
  facilitatorKey: {
    variable: 'OCTAGENT_FACILITATOR_KEY',
    schema: privateKey,
    description:
      'Private key that pays the gas of settlements from this process. This or OCTAGENT_FACILITATOR_URL is needed with an EVM network.',
    secret: true,
  },
  relayerKey: {
    variable: 'OCTAGENT_RELAYER_KEY',
    schema: privateKey,
    description:
      'Private key of the account that calls contracts which collect payments themselves, such as the lanes of the bridge, and pays its gas. Default: OCTAGENT_FACILITATOR_KEY.',
    secret: true,
  },
  factories: {
    variable: 'OCTAGENT_ERC6492_FACTORIES',
    schema: list.pipe(z.array(z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'EVM addresses, between commas'))),
    description:
      'Factories that may deploy smart accounts which pay before they exist (ERC-6492), at the gas of OCTAGENT_FACILITATOR_KEY. Default: none, such payers deploy first.',
    example: '0x0BA5ED0c6AA8c49038F819E587E2633c4A9F428a',
  },
  facilitatorUrl: {
    variable: 'OCTAGENT_FACILITATOR_URL',
    schema: list.pipe(z.array(absoluteUrl).min(1)),
    description:
      'x402 facilitators elsewhere that settle, in order of preference: where one does not answer, the next one is asked.',
    example: 'https://facilitator.example.net',
  },
  facilitatorAuth: {
    variable: 'OCTAGENT_FACILITATOR_AUTH',
    schema: jsonText(credentials),
    description:
      'What facilitators ask to see, JSON by host: {"headers": {…}}, or {"keyId", "keySecret"} of a key that signs a JWT for each request, as the Coinbase Developer Platform asks.',
    example: '{"facilitator.example.net":{"headers":{"authorization":"Bearer token"}}}',
    secret: true,
  },
  refundKey: {
    variable: 'OCTAGENT_REFUND_KEY',
    schema: privateKey,
    description:
      'Private key of OCTAGENT_PAY_TO, for refunds by command and by payers. Without it refunds are unavailable.',
    secret: true,
  },
  solanaPayTo: {
    variable: 'OCTAGENT_SOLANA_PAY_TO',
    schema: z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'a Solana address'),
    description:
      'Solana wallet that is paid; it must have a USDC token account. Needed with a Solana network.',
  },
  previousSolanaPayTo: {
    variable: 'OCTAGENT_SOLANA_PAY_TO_PREVIOUS',
    schema: z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'a Solana address'),
    description:
      'Solana wallet that was paid before OCTAGENT_SOLANA_PAY_TO was changed: quotes that name it hold until their time is over.',
  },
  solanaFeeKey: {
    variable: 'OCTAGENT_SOLANA_FEE_KEY',
    schema: solanaKey,
    description:
      'Secret key of the wallet that pays the fees of settlements, another than the one that is paid. This or OCTAGENT_FACILITATOR_URL is needed with a Solana network.',
    secret: true,
  },
  solanaRefundKey: {
    variable: 'OCTAGENT_SOLANA_REFUND_KEY',
    schema: solanaKey,
    description:
      'Secret key of OCTAGENT_SOLANA_PAY_TO, for refunds by command and by payers. Without it refunds are unavailable.',
    secret: true,
  },
  chainRefundsPerDay: {
    variable: 'OCTAGENT_CHAIN_REFUNDS_PER_DAY',
    schema: z.coerce.number().int().min(0).max(100_000),
    default: '100',
    description:
      'Refunds of what is owed on chains that payers may start themselves in a UTC day, all together: each costs the gas of a transfer from the refund key. One address may start 5 of them. 0: only the operator refunds.',
  },
  lightning: {
    variable: 'OCTAGENT_LIGHTNING',
    schema: jsonText(NodeOptions),
    description:
      'Lightning node that is paid in sats, JSON: {"kind": "lnd", "url", "macaroon" (hex)}, {"kind": "phoenixd", "url", "password"}, {"kind": "cln", "url", "rune"}, with "ca" for its own certificate (PEM); or a wallet over Nostr Wallet Connect: {"kind": "nwc", "uri": "nostr+walletconnect://…"}. Default: a development node, on loopback only.',
    example: '{"kind":"phoenixd","url":"http://127.0.0.1:9740","password":"…"}',
    secret: true,
  },
  lightningNetwork: {
    variable: 'OCTAGENT_LIGHTNING_NETWORK',
    schema: z.enum(['mainnet', 'testnet', 'signet', 'regtest']),
    description: 'The network of that node.',
    default: 'mainnet',
  },
  rates: {
    variable: 'OCTAGENT_RATES',
    schema: rates,
    description:
      'What one unit of another price is worth in USD, unit=USD. A price in a unit without a rate cannot be paid in dollars. On local chains alone a sat without one counts as 0.0006, a development rate.',
    example: 'sat=0.0006',
  },
  watchSeconds: {
    variable: 'OCTAGENT_PAYMENT_WATCH',
    schema: z.coerce.number().int().min(0).max(86_400),
    default: '300',
    description:
      'Seconds for which a settled payment is watched: where the chain takes its transfer back, an alarm is raised and it is settled again. 0 for not at all.',
  },
})
