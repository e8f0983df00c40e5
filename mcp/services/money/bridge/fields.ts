import { z } from 'zod'
import { EvmAddressInput, readAddress } from '../address.ts'
import { AmountInput, toText } from './amount.ts'
import { type Source, sources } from './chains.ts'
import { HealthFields } from './health.ts'
import type { Quoted, TransferRequest } from './quote.ts'
import { transferStates } from './transfer.ts'

/** Fields of a request to the bridge. */
export const askedFields = {
  from: z.enum(sources).describe('Chain that is paid on'),
  to: z
    .string()
    .regex(/^[a-z]{1,20}$/, 'must be the name of a chain, such as arc')
    .describe('Chain that the money arrives on; bridge_routes lists them'),
  amount: AmountInput,
  ref: EvmAddressInput.optional().describe(
    'Who earns a share of our margin; it changes nothing for the payer',
  ),
}

export type AskedInput = { from: Source; to: string; amount: string; ref?: string | undefined }

/** Reads what is asked for. Throws `invalid_input` for a referrer with a wrong checksum. */
export const readAsked = async ({ from, to, amount, ref }: AskedInput): Promise<TransferRequest> => ({
  from,
  to,
  amount,
  ref: ref === undefined ? undefined : await readAddress(ref, 'ref'),
})

const usdc = (what: string) => z.string().describe(`${what}, USDC`)

const PartsFields = z
  .object({
    amount: usdc('What arrives'),
    margin: usdc('What the bridge earns'),
    forward_fee: usdc("What Circle's forwarder takes for the mint"),
    protocol_fee: usdc('What Circle takes for attesting before finality'),
    gas: usdc('Gas of the burn'),
  })
  .describe('What the price is the sum of')

const ReceivesFields = z
  .object({
    amount: usdc('What arrives'),
    exactly: z.boolean().describe('True: this much, and no more. False: this much at least'),
    at: z.string().describe('Where: the address that pays, on the destination'),
  })
  .describe('What arrives')

const chainFields = z.object({
  name: z.string().describe('Name'),
  title: z.string().describe('Name, for people'),
  chainId: z.number().int().describe('EIP-155 id'),
  domain: z.number().int().describe("Circle's number of it"),
  usdc: z.string().describe('Its USDC'),
})

export const RouteFields = z.object({
  route: z.string().describe('Name of the route'),
  from: chainFields.describe('Chain that is paid on'),
  to: chainFields.describe('Chain that the money arrives on'),
  state: z.enum(['on', 'off']).describe('Whether it can be used now'),
  reason: z.string().nullable().describe('Why it is off; null when it is on'),
  lane: z.string().nullable().describe('The contract that is paid; null when it is off'),
  health: HealthFields,
})

export const quotedFields = {
  route: z.string().describe('Name of the route'),
  price: usdc('What has to be paid'),
  price_atomic: z.string().describe('The same in the smallest unit: the exact amount of the 402'),
  parts: PartsFields,
  receives: ReceivesFields,
  mode: z
    .enum(['upfront', 'max_fee'])
    .describe('How Circle is paid: upfront, by a quote it signed; max_fee, from what it mints'),
  finality: z.enum(['fast', 'final']).describe('Whether the burn is attested before its chain is final'),
  payTo: z
    .string()
    .describe('What is paid: an address of these terms alone, so the payer signs where the money goes'),
  referral: z.string().nullable().describe('What the referrer gets of the margin, USDC; null without one'),
  health: HealthFields,
  note: z.string().describe('What a payer has to know'),
}

/** Refusals of stock clients, in words for those who run them. */
const payerNote = ({ route: { from }, parts }: Quoted): string =>
  [
    parts.total > 1_000_000n &&
      `Stock x402 clients refuse more than $1 a payment unless they are told otherwise: raise the limit of yours (@x402: spend controls) to ${toText(parts.total)} USDC.`,
    from.name === 'arc' &&
      'Stock x402 clients do not know the USDC of Arc: allow the asset in the spend controls of yours.',
    `The money is minted to the address that pays. A payer that is a contract needs the same code at its address there.`,
  ]
    .filter(part => part !== false)
    .join(' ')

/** A price as answers have it. */
export const toQuotedAnswer = (quoted: Quoted) => {
  const { route, parts, mode, fast, payTo, referral } = quoted
  return {
    route: route.name,
    price: toText(parts.total),
    price_atomic: String(parts.total),
    parts: {
      amount: toText(parts.amount),
      margin: toText(parts.margin),
      forward_fee: toText(parts.forward),
      protocol_fee: toText(parts.protocol),
      gas: toText(parts.gas),
    },
    receives: {
      amount: toText(parts.amount),
      exactly: mode === 'upfront',
      at: `the payer's own address on ${route.to.title}`,
    },
    mode,
    finality: fast ? ('fast' as const) : ('final' as const),
    payTo,
    referral: referral > 0n ? toText(referral) : null,
    note: payerNote(quoted),
  }
}

const textOrNull = (what: string) => z.string().nullable().describe(what)

export const TransferFields = z.object({
  id: z.string().describe('Id of the transfer, as bridge_status takes it: that of the receipt'),
  state: z
    .enum(transferStates)
    .describe(
      'quoted: the payment is on its way; paid: it came without its burn; burned, attested, minted; forward_failed: anybody may mint it; self_relay: we do; stuck: the operator is needed; returned: it went back to its payer; refused: no money moved',
    ),
  route: z.string().describe('Name of the route'),
  payer: z.string().describe('Who paid, and receives'),
  paid: usdc('What was paid'),
  amount: usdc('What was asked for'),
  received: textOrNull('What arrived, USDC; null until it did, and where the destination cannot be read'),
  exactly: z.boolean().describe('True: exactly the amount arrives. False: the amount at least'),
  burn: textOrNull('Transaction of payment and burn, which are one'),
  nonce: textOrNull("Number of Circle's message"),
  mint: textOrNull('Transaction that minted it'),
  created_at: z.string().describe('When the payment came, ISO 8601'),
  burned_at: textOrNull('When the burn was seen, ISO 8601'),
  minted_at: textOrNull('When the mint was seen, ISO 8601'),
  late: z.boolean().describe('On its way for more than 30 minutes'),
  next: z.string().describe('What happens next, in words'),
})
