import type { Address, Transaction } from '@solana/kit'
import { ToolError } from '../../../../kernel/error.ts'

/** Lamports that the sponsor pays for one transaction at most. */
const maxFee = 50_000n
/** The cluster's fee for each signature. */
const signatureFee = 5_000n
const maxUnits = 1_400_000n
const usualUnits = 200_000n
/** So that it fits into one packet. */
const maxBytes = 1_232

const computeBudget = 'ComputeBudget111111111111111111111111111111'
/** Programs that check signatures of others, each of which is paid for; the first byte says how many. */
const signatureCheckers: readonly string[] = [
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
]

/** A transaction that the sponsor would pay for. */
export type Reviewed = { transaction: Transaction; fee: bigint; blockhash: string }

const refuse = (reason: string, message: string): ToolError =>
  new ToolError('invalid_input', `transaction: ${message}.`, {
    reason,
    issues: [{ path: 'transaction', message }],
    hint: 'Nothing was signed and nothing charged.',
  })

type Message = {
  version: unknown
  header: { numSignerAccounts: number }
  staticAccounts: readonly Address[]
  lifetimeToken?: string
  instructions: readonly {
    programAddressIndex: number
    accountIndices?: readonly number[]
    data?: { readonly length: number; readonly [index: number]: number }
  }[]
  addressTableLookups?: readonly unknown[]
}

const bytesOf = (data: Message['instructions'][number]['data']): Buffer => Buffer.from(data ?? [])

/** The most that the cluster takes from the fee payer: for signatures, and for the units that it may use at its own price. */
const computeFee = ({ header, instructions, staticAccounts }: Message): bigint => {
  let units = usualUnits * BigInt(instructions.length)
  let price = 0n
  let signatures = BigInt(header.numSignerAccounts)
  for (const { programAddressIndex, data } of instructions) {
    const program = staticAccounts[programAddressIndex] ?? ''
    const bytes = bytesOf(data)
    if (signatureCheckers.includes(program)) signatures += BigInt(bytes[0] ?? 0)
    if (program !== computeBudget) continue
    if (bytes[0] === 2 && bytes.length === 5) units = BigInt(bytes.readUInt32LE(1))
    else if (bytes[0] === 3 && bytes.length === 9) price = bytes.readBigUInt64LE(1)
    else if (bytes[0] !== 1 && bytes[0] !== 4)
      throw refuse('unknown_compute_budget', 'has a compute budget that cannot be read')
  }
  const spent = (units > maxUnits ? maxUnits : units) * price
  return signatureFee * signatures + (spent + 999_999n) / 1_000_000n
}

const decode = async (base64: string): Promise<{ transaction: Transaction; message: Message }> => {
  const kit = await import('@solana/kit')
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length > maxBytes) throw refuse('too_long', `is longer than ${maxBytes} bytes`)
  try {
    const transaction = kit.getTransactionDecoder().decode(bytes)
    const message = kit.getCompiledTransactionMessageDecoder().decode(transaction.messageBytes) as Message
    // What is read is what is signed: no second spelling, and nothing behind it.
    const again = kit.getTransactionEncoder().encode(transaction)
    if (Buffer.from(again as Uint8Array).equals(bytes)) return { transaction, message }
  } catch {
    throw refuse('unreadable', 'is no transaction that can be read')
  }
  throw refuse('unreadable', 'is no transaction that can be read')
}

/**
 * The rule of the sponsor: it lends its signature for the fee and for nothing else. It is account 0 and appears in no instruction, so
 * that no program is given its signature; everybody else has signed; and the fee is bounded. Throws `invalid_input` with the reason.
 */
export const reviewTransaction = async (base64: string, sponsor: string): Promise<Reviewed> => {
  const kit = await import('@solana/kit')
  const { transaction, message } = await decode(base64)
  const { staticAccounts: accounts, instructions, addressTableLookups = [], lifetimeToken = '' } = message
  if (message.version !== 0 && message.version !== 'legacy')
    throw refuse('unknown_version', 'has a version that is not known')
  if (addressTableLookups.length > 0)
    throw refuse('lookup_tables', 'uses address lookup tables, whose accounts cannot be seen')
  if (accounts[0] !== sponsor)
    throw refuse('sponsor_is_not_fee_payer', `must have ${sponsor} as its fee payer`)
  if (instructions.length === 0) throw refuse('empty', 'has no instruction')
  const isUsed = instructions.some(
    ({ programAddressIndex, accountIndices = [] }) =>
      programAddressIndex === 0 || accountIndices.includes(0) || programAddressIndex >= accounts.length,
  )
  if (isUsed) throw refuse('sponsor_used_by_instruction', 'has an instruction that names the fee payer')
  const fee = computeFee(message)
  if (fee > maxFee) throw refuse('fee_above_cap', `costs ${fee} lamports, and ${maxFee} is the most`)
  for (const [signer, signature] of Object.entries(transaction.signatures)) {
    if (signer === sponsor) continue
    if (!signature) throw refuse('missing_signature', `is not signed by ${signer}`)
    const key = await kit.getPublicKeyFromAddress(signer as Address)
    if (!(await kit.verifySignature(key, signature, transaction.messageBytes)))
      throw refuse('wrong_signature', `has a signature of ${signer} that does not fit it`)
  }
  return { transaction, fee, blockhash: lifetimeToken }
}
