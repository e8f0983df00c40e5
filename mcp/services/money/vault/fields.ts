import { z } from 'zod'
import { EvmAddressInput } from '../address.ts'
import { calldataFields } from '../calldata/schema.ts'

/** A decimal number as text; one that JSON writes as a number is taken too. */
const decimalText = (pattern: RegExp, message: string) =>
  z.preprocess(
    value => (typeof value === 'number' ? String(value) : value),
    z.string().regex(pattern, message),
  )

export const OwnerInput = EvmAddressInput.describe('Account that owns the vault and sends the calls')

/** One USDC or more. */
export const VaultAmountInput = decimalText(
  /^(?!0)\d{1,13}(\.\d{1,6})?$/,
  'must be USDC from 1, in decimals, with up to 6 of them, such as "25" or "10.5"',
).describe('USDC to spend, from 1, such as "25" or "10.5"')

export const SharesInput = decimalText(
  /^(?=.*[1-9])\d{1,30}(\.\d{1,18})?$/,
  'must be shares above 0, in decimals, with up to 18 of them',
).describe('Shares to redeem, such as "9.9"; vault_status says how many there are')

const weight = z.number().int().min(1, 'must be at least 1').max(9_997).describe('Parts of ten thousand')

export const WeightsInput = z
  .array(weight)
  .length(4, 'must be four weights, one for each stock in the order of discover_index')
  .refine(weights => weights.reduce((sum, part) => sum + part, 0) === 10_000, 'must sum to 10000')
  .describe('Target weights of the four stocks, in the order of discover_index; they sum to 10000')

export const slippageInput = (what: string) =>
  z.number().int().min(1).max(500).describe(`${what}, parts of ten thousand`)

const text = (what: string) => z.string().describe(what)

export const AmountFields = z.object({
  symbol: text('Symbol of the token'),
  token: text('Its address'),
  amount: text('In whole tokens, decimals'),
})

/** A vault after the calls. */
export const AfterFields = z.object({
  shares: text('Shares of the account'),
  cash: text('USDC in the vault'),
  holdings: z.array(AmountFields).describe('Stocks in the vault'),
  weightsBps: z.array(z.number().int().describe('Parts of ten thousand')).describe('Target weights'),
  value: z.string().nullable().describe('In USDC by the oracle; null when a price is missing'),
})

/** Answer fields of every tool here that prepares calls. */
export const preparedFields = <const expect extends z.ZodType>(expect: expect) => ({
  ...calldataFields(expect),
  owner: text('Who sends the calls'),
  vault: text('The vault; its address is the same before it is created'),
  market: z
    .object({
      open: z.boolean().describe('The exchange trades now'),
      since: text('Since when it does or does not, ISO 8601'),
      oldest_price_at: z.string().nullable().describe('When the oldest price was told, ISO 8601'),
    })
    .describe('The exchange of the stocks, and the age of prices'),
  warnings: z.array(text('In words')).describe('What to know before the calls are sent'),
  simulated: z.boolean().describe('True on a local chain: stocks and prices are made up'),
})

export const costField = z
  .number()
  .int()
  .nullable()
  .describe('What the trades cost by the oracle, parts of ten thousand; null without prices')
