import type { Account, Client, Hash, Hex, HttpTransport, PublicClient, Chain as ViemChain } from 'viem'
import { makeQueue } from './queue.ts'

/** An account that sends transactions on one chain, each in its turn. */
export type Wallet = {
  address: Hex
  /**
   * Signs and sends one call. Throws when the chain refuses it; when it is not known whether the chain got it, resolves
   * to the hash all the same, which a receipt then decides.
   */
  send(call: { to: Hex; data: Hex; gas?: bigint }): Promise<Hash>
}

export type Connection = {
  reader: PublicClient
  writer: Client<HttpTransport, ViemChain>
}

const refusals = new Set(['RpcRequestError', 'TransactionRejectedRpcError', 'InvalidInputRpcError'])

/** True when the chain itself said no. A broken or late connection says nothing about the transaction. */
const isRefused = (thrown: unknown): boolean => {
  for (let error = thrown; error instanceof Error; error = error.cause)
    if (refusals.has(error.name)) return true
  return false
}

/** Must be the only wallet of its account on its chain, in this process and elsewhere. */
export const openWallet = async (
  account: Account & { address: Hex },
  connect: () => Promise<Connection>,
): Promise<Wallet> => {
  const { keccak256 } = await import('viem')
  const { prepareTransactionRequest, sendRawTransaction, signTransaction } = await import('viem/actions')
  const inTurn = makeQueue()

  const send: Wallet['send'] = async ({ to, data, gas }) => {
    const { reader, writer } = await connect()
    const prepared = await prepareTransactionRequest(writer, {
      account,
      to,
      data,
      ...(gas !== undefined && { gas }),
    })
    const signed = await signTransaction(writer, { ...prepared, account } as never)
    const hash = keccak256(signed)
    try {
      await sendRawTransaction(writer, { serializedTransaction: signed })
    } catch (thrown) {
      // A node also refuses what it already has, after a retry of the connection.
      const known = await reader.getTransaction({ hash }).catch(() => undefined)
      if (!known && isRefused(thrown)) throw thrown
    }
    return hash
  }

  return { address: account.address, send: call => inTurn(() => send(call)) }
}
