import { z } from 'zod'

const decimal = (what: string) => z.string().regex(/^\d+$/).describe(what)

const CallFields = z.object({
  to: z.string().describe('Contract that is called'),
  data: z.string().describe('Calldata, in hex'),
  value: decimal('Coins sent along, in wei'),
  gas: decimal('Gas limit to send it with; do not estimate it anew'),
})

const SimulationFields = z.object({
  ok: z.literal(true).describe('True: a call that fails is never answered'),
  block: decimal('Newest block that the calls were tried on'),
  gas_used: z.array(decimal('Gas')).describe('Gas that each call used'),
})

/**
 * What a tool answers that prepares transactions: unsigned calls that the account sends in this order, one by one or as one
 * batch. `expect` is what the caller should see afterwards; it is the tool's own shape.
 */
export const calldataFields = <const expect extends z.ZodType>(expect: expect) => ({
  chainId: z.number().int().describe('EIP-155 id of the chain'),
  calls: z
    .array(CallFields)
    .describe('Unsigned calls, to be sent in this order: one by one, or as one batch (EIP-7702)'),
  expect: expect.describe('What the account should see afterwards, as the dry run gave it'),
  simulation: SimulationFields.describe('What the dry run of all calls in a row gave'),
  expires_at: z.string().describe('Send the calls before, ISO 8601'),
})

/** A call as an answer has it. */
export type PublicCall = z.output<typeof CallFields>

/** Result of the dry run, as an answer has it. */
export type PublicSimulation = z.output<typeof SimulationFields>
