import { randomBytes } from 'node:crypto'
import type { FailedTransactionMetadata, LiteSVM, TransactionMetadata } from 'litesvm'
import { ToolError } from '../../kernel/error.ts'
import { base58 } from './base58.ts'
import { tokenProgram } from './network.ts'
import { readTransaction, type SolanaTransaction } from './transaction.ts'

const slotMs = 400
const life = 150

/**
 * Recent blockhashes of a chain that makes one each 400 ms, good for 150 slots, as on Solana. They are random: litesvm's
 * own repeat from one process to the next, and with them a transaction of an earlier chain could be sent again.
 */
const openBlockhashes = (now: () => number) => {
  const started = now()
  const issued = new Map<string, number>()
  let newest = { blockhash: '', slot: 0 }

  const slot = (): number => Math.floor((now() - started) / slotMs) + 1
  const isValid = (blockhash: string): boolean => {
    const since = issued.get(blockhash)
    return since !== undefined && slot() - since <= life
  }

  return {
    slot,
    isValid,
    latest: () => {
      if (newest.slot !== slot()) {
        newest = { blockhash: base58(randomBytes(32)), slot: slot() }
        for (const old of issued.keys()) if (!isValid(old)) issued.delete(old)
        issued.set(newest.blockhash, newest.slot)
      }
      return { blockhash: newest.blockhash, lastValidBlockHeight: newest.slot + life }
    },
  }
}

/** Outcome of a transaction: `err` as Solana's JSON-RPC tells it, null for success. */
export type TransactionOutcome = { err: unknown; logs: string[]; units: number }

export type LandedTransaction = TransactionOutcome & {
  signature: string
  slot: number
  at: number
  wire: string
  accounts: string[]
}

export type BankAccount = { data: Uint8Array; lamports: bigint; owner: string; executable: boolean }

/** The ledger of the local chain, without its wire. */
export type Bank = {
  slot(): number
  latestBlockhash(): { blockhash: string; lastValidBlockHeight: number }
  isValid(blockhash: string): boolean
  account(address: string): BankAccount | undefined
  /** Writes an account that holds `data` for the token program. */
  put(address: string, data: Uint8Array): void
  airdrop(address: string, lamports: bigint): void
  /** Runs without effect. Signatures count only when `check` is set. */
  simulate(wire: Buffer, check: boolean): TransactionOutcome
  /** Runs and keeps. A transaction that was here before is not run again; one that cannot run is not kept. */
  send(wire: Buffer): TransactionOutcome & { signature: string }
  landed(signature: string): LandedTransaction | undefined
  /** Newest first. */
  landedWith(account: string): LandedTransaction[]
}

const maxTransactions = 100_000
const toRejection = (err: string): TransactionOutcome => ({ err, logs: [], units: 0 })

const encodeSignature = ({ signatures }: SolanaTransaction): string =>
  base58(signatures[0] ?? Buffer.alloc(64))

const isBlank = (signature: Buffer): boolean => signature.every(byte => byte === 0)

/** litesvm takes transactions in the shape of its own `@solana/kit`: plain bytes by address. */
const toKitTransaction = ({ message, accounts, signatures }: SolanaTransaction) =>
  ({
    messageBytes: new Uint8Array(message),
    signatures: Object.fromEntries(
      signatures.map((bytes, index) => [accounts[index], isBlank(bytes) ? null : new Uint8Array(bytes)]),
    ),
  }) as unknown as Parameters<LiteSVM['sendTransaction']>[0]

const toRpcFailure = (failed: FailedTransactionMetadata): unknown => {
  const error = failed.err()
  if (typeof error === 'number') return failed.toString().match(/err: (\w+)/)?.[1] ?? 'Failed'
  if (!('index' in error) || !('err' in error)) return failed.constructor.name
  const cause = error.err()
  const custom = typeof cause === 'object' && 'code' in cause
  return { InstructionError: [error.index, custom ? { Custom: cause.code } : String(cause)] }
}

const unreadable = () => new ToolError('invalid_input', 'failed to deserialize transaction')

/** A fresh chain inside litesvm: its programs, SPL Token among them, really run. Throws `unavailable` where it is not installed. */
export const openBank = async (now: () => number): Promise<Bank> => {
  const { LiteSVM, FailedTransactionMetadata } = await import('litesvm').catch(() => {
    throw new ToolError('unavailable', 'There is no local Solana: litesvm is not installed.', {
      hint: 'Run `npm install litesvm@1.5.0`, which has binaries for Linux (x64, arm64) and macOS; or set an RPC endpoint.',
    })
  })
  // Blockhashes and repetitions are looked after here; litesvm's own history forgets after 32 transactions.
  const svm = new LiteSVM().withBlockhashCheck(false).withTransactionHistory(0n).withNativeMints()
  type Address = Parameters<LiteSVM['getAccount']>[0]
  const transactions = new Map<string, LandedTransaction>()
  const blockhashes = openBlockhashes(now)

  const toOutcome = (meta: TransactionMetadata, err: unknown): TransactionOutcome => ({
    err,
    logs: meta.logs(),
    units: Number(meta.computeUnitsConsumed()),
  })

  const readOrThrow = (wire: Buffer): SolanaTransaction => {
    const transaction = readTransaction(wire)
    if (!transaction) throw unreadable()
    return transaction
  }

  const refusal = (transaction: SolanaTransaction): TransactionOutcome | undefined => {
    if (transactions.has(encodeSignature(transaction))) return toRejection('AlreadyProcessed')
    return blockhashes.isValid(transaction.blockhash) ? undefined : toRejection('BlockhashNotFound')
  }

  const keep = (transaction: SolanaTransaction, wire: Buffer, outcome: TransactionOutcome): void => {
    const signature = encodeSignature(transaction)
    const { accounts } = transaction
    const at = Math.floor(now() / 1_000)
    transactions.set(signature, {
      ...outcome,
      signature,
      slot: blockhashes.slot(),
      at,
      wire: wire.toString('base64'),
      accounts,
    })
    if (transactions.size > maxTransactions) transactions.delete(transactions.keys().next().value ?? '')
  }

  return {
    slot: blockhashes.slot,
    latestBlockhash: blockhashes.latest,
    isValid: blockhashes.isValid,
    account: address => {
      const account = svm.getAccount(address as Address)
      if (!account.exists) return undefined
      const { data, lamports, programAddress, executable } = account
      return { data: new Uint8Array(data), lamports, owner: programAddress, executable }
    },
    put: (address, data) =>
      svm.setAccount({
        address: address as Address,
        data: new Uint8Array(data),
        executable: false,
        lamports: 10_000_000n as Parameters<LiteSVM['airdrop']>[1],
        programAddress: tokenProgram as Address,
        space: BigInt(data.length),
      }),
    airdrop: (address, lamports) => {
      svm.airdrop(address as Address, lamports as Parameters<LiteSVM['airdrop']>[1])
    },
    simulate: (wire, check) => {
      const transaction = readOrThrow(wire)
      const failure = refusal(transaction)
      if (failure) return failure
      svm.withSigverify(check)
      try {
        const result = svm.simulateTransaction(toKitTransaction(transaction))
        const failed = result instanceof FailedTransactionMetadata
        return toOutcome(result.meta(), failed ? toRpcFailure(result) : null)
      } finally {
        svm.withSigverify(true)
      }
    },
    send: wire => {
      const transaction = readOrThrow(wire)
      const signature = encodeSignature(transaction)
      const failure = refusal(transaction)
      if (failure) return { ...failure, signature }
      if (transaction.signatures.some(isBlank)) return { ...toRejection('SignatureFailure'), signature }
      const result = svm.sendTransaction(toKitTransaction(transaction))
      const failed = result instanceof FailedTransactionMetadata
      const outcome = failed ? toOutcome(result.meta(), toRpcFailure(result)) : toOutcome(result, null)
      // What fails inside an instruction is on the ledger all the same, and has cost its fee.
      if (typeof outcome.err !== 'string') keep(transaction, wire, outcome)
      return { ...outcome, signature }
    },
    landed: signature => transactions.get(signature),
    landedWith: account =>
      [...transactions.values()].filter(({ accounts }) => accounts.includes(account)).reverse(),
  }
}
