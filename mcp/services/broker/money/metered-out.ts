import { z } from 'zod'

/** Fields of a metered read about its own cost. */
export const MeteredOut = {
  credits_spent: z.number().int().describe('Credits this call took'),
  opened_account: z
    .object({
      account_id: z.string().describe('The account that the payment of this call opened'),
      api_key: z.string().describe('Its key, shown this once'),
    })
    .nullable()
    .describe('Set when a payment without a key opened an account'),
}
