import { z } from 'zod'
import { calldataFields } from '../calldata/schema.ts'

const textOrNull = (what: string) => z.string().nullable().describe(what)

const RelayFields = z.object({
  ...calldataFields(
    z.object({
      recipient: z.string().describe('Who receives'),
      amount: z.string().describe('What is minted, USDC'),
    }),
  ),
})

/** A burn by CCTP V2, whoever made it. */
export const BurnFields = z.object({
  nonce: textOrNull("Number of Circle's message; null until it is attested"),
  to: textOrNull('Chain that it is minted on; null for one that is not in the table'),
  destination_domain: z.number().int().describe("Circle's number of that chain"),
  recipient: z.string().describe('Who receives'),
  amount: z.string().describe('What was burned, USDC'),
  fee: z.string().describe('What Circle takes of it, USDC; known once it is attested'),
  state: z
    .enum(['burned', 'attested', 'minted', 'expired'])
    .describe('How far it is; expired: a new attestation has to be asked for'),
  forward: textOrNull("What Circle's forwarder says; null where it was not asked to mint"),
  mint: textOrNull('Transaction of the forwarder that minted it'),
  delay_reason: textOrNull('Why Circle waits'),
  relay: RelayFields.nullable().describe(
    'The call that mints it, for whoever wants to send it; null when there is none',
  ),
  relay_reason: textOrNull('Why there is no such call'),
})

export type Burn = z.input<typeof BurnFields>
