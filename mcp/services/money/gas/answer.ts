import { z } from 'zod'

const decimal = (what: string) => z.string().describe(what)
const optionalText = (what: string) => z.string().nullable().describe(what)

/** Fields of a quote for an operation. */
export const QuoteFields = {
  chainId: z.number().int().describe('EIP-155 id of the chain'),
  sender: z.string().describe('The account'),
  nonce: decimal('Nonce of the operation at the EntryPoint'),
  price: decimal('What it costs, in USDC: max(0.03, 1.3 × cap), less the credit'),
  credit: decimal('What an earlier operation left to pay with, in USDC'),
  cap_wei: decimal('The most that the operation can cost, in wei: the sum of its limits at its highest fee'),
  cap_usd: decimal('The same in dollars'),
  limits: z
    .object({
      callGasLimit: decimal('Gas of its calls'),
      verificationGasLimit: decimal('Gas of the account and its check'),
      preVerificationGas: decimal('Gas of the transaction besides'),
      paymasterVerificationGasLimit: decimal('Gas of the check of the sponsor'),
      paymasterPostOpGasLimit: decimal('Gas of the sponsor afterwards: none'),
    })
    .describe('Limits that the signature of the sponsor will cover'),
  fees: z
    .object({
      maxFeePerGas: decimal('Wei for a unit of gas at most'),
      maxPriorityFeePerGas: decimal('Of that, the tip'),
    })
    .describe('Fees that the signature of the sponsor will cover'),
  delegation: z
    .object({
      current: optionalText('Code that the account delegates to now (EIP-7702)'),
      needed: optionalText(
        'Code that it has to delegate to with this operation; null when nothing is to be signed for that',
      ),
    })
    .describe('How the account comes to its code'),
  valid_for: z
    .number()
    .int()
    .describe('Seconds for which the operation can be submitted once it is paid for'),
}

/** Status fields of an operation. */
export const StatusFields = {
  id: optionalText('Id of the operation here; null where it was asked for by its hash'),
  state: z
    .enum(['paid', 'submitting', 'submitted', 'mined', 'failed', 'credited'])
    .describe(
      'Paid waits for a signature; submitted for a block; credited was not carried out, and its money pays for another operation',
    ),
  chainId: z.number().int().nullable().describe('EIP-155 id of the chain; null on Solana'),
  user_op_hash: optionalText('Hash of the operation; null where none was made'),
  transaction_hash: optionalText('The transaction that carries it'),
  success: z.boolean().nullable().describe('Whether its calls went through; null until it is mined'),
  block_number: optionalText('Block it is in'),
  gas_used: optionalText('Gas that it used'),
  gas_cost_wei: optionalText('What the sponsor paid for it, in wei'),
  revert_reason: optionalText('Why its calls reverted on the chain'),
  credit: optionalText('What it left to pay with, in USDC'),
  expires_at: optionalText('End of the time in which it can be submitted, ISO 8601'),
  detail: optionalText('Why it was not carried out'),
}

/** An id of ours. */
export const OperationId = z
  .string()
  .regex(/^gas_[0-9a-f]{32}$/, 'must be the id of an answer of gas_sponsor')
