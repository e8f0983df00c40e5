import type { Client, Hash, HttpTransport, LocalAccount, PublicClient, Chain as ViemChain } from 'viem'
import { confirm, type PollPace } from './confirm.ts'
import { type FeeSource, openFees } from './fees.ts'
import type { Wallet, WalletCall } from './port.ts'

/**
 * Runs steps one after the other; one that fails does not stop the next. A wallet needs it: its transactions are numbered,
 * and two that are prepared at once take the same number. A counter instead would leave a gap after a refused one.
 */
const makeQueue = () => {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(step: () => Promise<T>): Promise<T> => {
    const turn = last.then(step)
    last = turn.catch(() => undefined)
    return turn
  }
}

export type ChainConnection = {
  reader: PublicClient
  writer: Client<HttpTransport, ViemChain>
  pace: PollPace
}

const refusals = new Set(['RpcRequestError', 'TransactionRejectedRpcError', 'InvalidInputRpcError'])
const causes = (cause: unknown): Error[] => (cause instanceof Error ? [cause, ...causes(cause.cause)] : [])

/** True when the chain itself said no. A broken or late connection says nothing about the transaction. */
const isRefused = (cause: unknown): boolean => causes(cause).some(({ name }) => refusals.has(name))

/** The number is used or reserved by another transaction of this account, in the words of several nodes. */
const numberTaken =
  /nonce.{0,3}too.{0,3}(?:low|high)|old.?nonce|nonce.?gap|invalid nonce|replacement|replace existing|price bump/i

/** The node has this very transaction. */
const alreadyKnownPattern = /already.?(?:known|imported|exists|in mempool)|known transaction/i

const feeTooLow = /underpriced|fee.{0,20}(?:too low|less than)|less than block base fee/i

const says = (cause: unknown, words: RegExp): boolean =>
  causes(cause).some(error => words.test('details' in error ? String(error.details) : error.message))

/** How long a refused number is tried anew, while others send from the same account. */
const contestMs = 10_000

const jitter = (attempt: number) =>
  new Promise<void>(resolve => setTimeout(resolve, Math.random() * Math.min(400, 20 * 2 ** attempt)))

/**
 * A wallet for one account. Other processes may send from the same account: numbers are asked of the chain each time, and a
 * refused one is replaced by a fresh one. Within a process there must be one wallet for an account on a chain.
 */
export const openWallet = async (
  account: LocalAccount,
  connect: () => Promise<ChainConnection>,
): Promise<Wallet> => {
  const { keccak256 } = await import('viem')
  const { estimateGas, getTransactionCount, sendRawTransaction } = await import('viem/actions')
  const inTurn = makeQueue()
  const from = account.address
  let last: { hash: Hash; nonce: number } | undefined
  let fees: { of: ChainConnection; source: FeeSource } | undefined

  const feesOn = (connection: ChainConnection): FeeSource => {
    if (fees?.of !== connection) fees = { of: connection, source: openFees(connection.writer) }
    return fees.source
  }

  const isThere = async (reader: PublicClient, hash: Hash): Promise<boolean> =>
    (await reader.getTransaction({ hash }).catch(() => undefined)) !== undefined

  const nextNonce = async ({ reader, writer }: ChainConnection): Promise<number> => {
    const count = await getTransactionCount(writer, { address: from, blockTag: 'pending' })
    if (last === undefined || count > last.nonce) return count
    // The node lags, and under the same number the next one would push ours aside; or it has dropped ours.
    return (await isThere(reader, last.hash)) ? last.nonce + 1 : count
  }

  const broadcast = async (connection: ChainConnection, call: WalletCall, gas: bigint) => {
    const { reader, writer } = connection
    const source = feesOn(connection)
    const end = performance.now() + contestMs
    for (let attempt = 0; ; attempt++) {
      const [nonce, fee] = await Promise.all([nextNonce(connection), call.fees ?? source.read()])
      const { to, data, value, authorizationList } = call
      const terms = { chainId: writer.chain.id, to, data, ...(value && { value }), gas, nonce, ...fee }
      const serializedTransaction = authorizationList
        ? await account.signTransaction({ ...terms, type: 'eip7702', authorizationList })
        : await account.signTransaction({ ...terms, type: 'eip1559' })
      const transaction = { hash: keccak256(serializedTransaction), nonce, from }
      await call.onSigned?.({ hash: transaction.hash, serialized: serializedTransaction, nonce })
      try {
        await sendRawTransaction(writer, { serializedTransaction })
        last = transaction
        return transaction
      } catch (cause) {
        const there =
          !isRefused(cause) || says(cause, alreadyKnownPattern) || (await isThere(reader, transaction.hash))
        if (there) {
          last = transaction
          return transaction
        }
        const contested = says(cause, numberTaken)
        const again = contested ? call.idempotent : call.fees === undefined && says(cause, feeTooLow)
        if (!again || performance.now() > end) throw cause
        if (!contested) source.forget()
        last = undefined
        await jitter(attempt)
      }
    }
  }

  /** The estimate is the last look at the call before gas is spent on it. */
  const deliver = async (connection: ChainConnection, call: WalletCall) => {
    const { to, data, value, authorizationList } = call
    const estimate = () =>
      estimateGas(connection.writer, {
        account: from,
        to,
        data,
        ...(value && { value }),
        ...(authorizationList && { authorizationList }),
      }).then(gas => (gas * 6n) / 5n)
    const [gas] = await Promise.all([call.gas ?? estimate(), call.fees ?? feesOn(connection).read()])
    return inTurn(() => broadcast(connection, call, gas))
  }

  return {
    address: from,
    send: async call => (await deliver(await connect(), call)).hash,
    carry: async (call, timeoutMs) => {
      const connection = await connect()
      const end = performance.now() + timeoutMs
      let transaction = await deliver(connection, { ...call, idempotent: true })
      for (;;) {
        const left = Math.max(0, end - performance.now())
        const outcome = await confirm(connection.reader, transaction, connection.pace, left)
        if (outcome !== 'replaced') return { hash: transaction.hash, receipt: outcome }
        // What was sent once is public, so a refusal now does not mean that the call was never carried out.
        const again = await deliver(connection, { ...call, idempotent: true }).catch(() => undefined)
        if (!again) return { hash: transaction.hash, receipt: undefined }
        transaction = again
      }
    },
  }
}
