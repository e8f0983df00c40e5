import { z } from 'zod'

export const BalanceOut = z.object({
  account_id: z.string().describe('The account'),
  available_usd: z.string().describe('What it can spend'),
})
