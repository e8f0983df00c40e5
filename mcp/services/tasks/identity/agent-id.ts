import { z } from 'zod'

/** The number of an agent in the identity registry: a token id, in decimal. */
export const agentIdInput = z
  .union([z.string(), z.number().int().nonnegative()])
  .transform(String)
  .refine(text => /^(?:0|[1-9]\d{0,76})$/.test(text), 'a whole number')
  .describe('Number of the agent in the identity registry')

/** A call that a wallet is to sign and send. */
export const CallOut = z
  .object({
    chain_id: z.number().int().describe('EIP-155 id of the chain'),
    to: z.string().describe('The contract'),
    data: z.string().describe('Data of the call'),
    value: z.literal('0').describe('No ether is sent'),
  })
  .nullable()
