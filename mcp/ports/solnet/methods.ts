import { amountIn } from './accounts.ts'
import type { Bank, LandedTransaction } from './bank.ts'
import { fromBase58 } from './base58.ts'
import type { SolanaNetwork } from './network.ts'

/** A JSON-RPC error, with Solana's own codes. */
export class RpcError extends Error {
  readonly code: number
  readonly data: unknown
  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

type Options = Readonly<Record<string, unknown>>
type Method = (params: readonly unknown[]) => unknown

const textAt = (params: readonly unknown[], index: number): string => {
  const value = params[index]
  if (typeof value !== 'string') throw new RpcError(-32602, `parameter ${index} is not a string`)
  return value
}

const addressAt = (params: readonly unknown[], index: number): string => {
  const text = textAt(params, index)
  if (fromBase58(text)?.length !== 32) throw new RpcError(-32602, `parameter ${index} is not an address`)
  return text
}

const optionsAt = (params: readonly unknown[], index: number): Options => {
  const value = params[index] ?? {}
  if (typeof value !== 'object') throw new RpcError(-32602, `parameter ${index} is not an object`)
  return value as Options
}

const wireAt = (params: readonly unknown[]): Buffer => {
  if (optionsAt(params, 1).encoding !== 'base64') throw new RpcError(-32602, 'only base64 is understood here')
  return Buffer.from(textAt(params, 0), 'base64')
}

const toStatus = ({ slot, err }: LandedTransaction) => ({
  slot,
  confirmations: null,
  err,
  status: err === null ? { Ok: null } : { Err: err },
  confirmationStatus: 'finalized',
})

/** The part of Solana's JSON-RPC that wallets, x402 clients and facilitators ask. */
export const buildMethods = (
  bank: Bank,
  { genesis }: Pick<SolanaNetwork, 'genesis'>,
): Readonly<Record<string, Method>> => {
  const withContext = <T>(value: T) => ({ context: { apiVersion: '2.0.0', slot: bank.slot() }, value })

  const readAccount = (address: string) => {
    const account = bank.account(address)
    if (!account) return null
    const { data, lamports, owner, executable } = account
    const encoded = [Buffer.from(data).toString('base64'), 'base64']
    return { data: encoded, executable, lamports: Number(lamports), owner, rentEpoch: 0, space: data.length }
  }

  return {
    getHealth: () => 'ok',
    // As on the real cluster, whose name the local one takes.
    getGenesisHash: () => genesis,
    getVersion: () => ({ 'solana-core': '2.0.0', 'feature-set': 0 }),
    getSlot: () => bank.slot(),
    getBlockHeight: () => bank.slot(),
    getLatestBlockhash: () => withContext(bank.latestBlockhash()),
    isBlockhashValid: params => withContext(bank.isValid(textAt(params, 0))),
    getAccountInfo: params => withContext(readAccount(addressAt(params, 0))),
    getMultipleAccounts: params => {
      const addresses = Array.isArray(params[0]) ? params[0].slice(0, 100) : []
      return withContext(addresses.map((_, index) => readAccount(addressAt(addresses, index))))
    },
    getBalance: params => withContext(Number(bank.account(addressAt(params, 0))?.lamports ?? 0n)),
    getMinimumBalanceForRentExemption: params => (Number(params[0]) + 128) * 6_960,
    getTokenAccountBalance: params => {
      const account = bank.account(addressAt(params, 0))
      if (account?.data.length !== 165) throw new RpcError(-32602, 'Invalid param: could not find account')
      const amount = amountIn(account.data)
      const whole = Number(amount) / 1e6
      return withContext({
        amount: String(amount),
        decimals: 6,
        uiAmount: whole,
        uiAmountString: String(whole),
      })
    },
    getFeeForMessage: () => withContext(10_000),
    getRecentPrioritizationFees: () => [],
    simulateTransaction: params => {
      const { err, logs, units } = bank.simulate(wireAt(params), optionsAt(params, 1).sigVerify === true)
      const more = { accounts: null, returnData: null, innerInstructions: null }
      return withContext({ err, logs, unitsConsumed: units, ...more })
    },
    sendTransaction: params => {
      const { err, logs, signature } = bank.send(wireAt(params))
      if (err === 'SignatureFailure') throw new RpcError(-32003, 'Transaction signature verification failure')
      // Without preflight a node only passes transactions on, and hears nothing of what becomes of them.
      if (err !== null && optionsAt(params, 1).skipPreflight !== true)
        throw new RpcError(-32002, 'Transaction simulation failed', { err, logs })
      return signature
    },
    getSignatureStatuses: params => {
      const signatures = Array.isArray(params[0]) ? params[0].slice(0, 256) : []
      const results = signatures.map((_, index) => bank.landed(textAt(signatures, index)))
      return withContext(results.map(result => (result ? toStatus(result) : null)))
    },
    getSignaturesForAddress: params => {
      const { limit = 1_000, until } = optionsAt(params, 1)
      const landed = bank.landedWith(addressAt(params, 0))
      const end = landed.findIndex(({ signature }) => signature === until)
      const results = landed.slice(0, Math.min(Number(limit), end < 0 ? landed.length : end))
      return results.map(({ signature, slot, err, at }) => ({
        signature,
        slot,
        err,
        memo: null,
        blockTime: at,
        confirmationStatus: 'finalized',
      }))
    },
    getTransaction: params => {
      const transaction = bank.landed(textAt(params, 0))
      if (!transaction) return null
      const meta = { err: transaction.err, logMessages: transaction.logs, innerInstructions: [], fee: 10_000 }
      return {
        slot: transaction.slot,
        blockTime: transaction.at,
        version: 0,
        meta,
        transaction: [transaction.wire, 'base64'],
      }
    },
  }
}
