import { ToolError } from '../../../kernel/error.ts'
import type { SolanaNetwork } from '../../../ports/solnet/network.ts'

/** `seen` is in a block that may still be dropped; `done` and `failed` stay. */
export type SignatureStatus = 'none' | 'seen' | 'done' | 'failed'

/** The questions that a rail asks a Solana cluster. */
export type Cluster = {
  status(signature: string): Promise<SignatureStatus>
  /** Waits for `done` or `failed`; after `ms` milliseconds whatever there is. */
  wait(signature: string, ms: number): Promise<SignatureStatus>
  /** True when nothing with this blockhash can land any more. */
  isExpired(blockhash: string): Promise<boolean>
  /** Balance of a token account; undefined when there is none. */
  balance(tokenAccount: string): Promise<bigint | undefined>
  latestBlockhash(): Promise<{ blockhash: string; lastValidBlockHeight: bigint }>
  /** Transactions without error that name an address. */
  landedWith(address: string): Promise<string[]>
  /** Those of them in blocks since a time, the newest first. */
  landedSince(address: string, since: Date): Promise<string[]>
  /** Transactions without error that name an address, after one of them, the newest first; a thousand at most. */
  landedAfter(address: string, after: string | undefined): Promise<readonly { signature: string; at: Date }[]>
  /** A transaction that was carried out, base64; undefined when there is none under this signature. */
  transaction(signature: string): Promise<string | undefined>
  /** Sends a signed transaction, base64; `refused` when the node surely did not take it. */
  send(wire: string): Promise<'sent' | 'refused' | 'unknown'>
}

const pollMs = 250

/** Speaks Solana JSON-RPC. `rpc` is the operator's own endpoint, so it is asked directly. */
export const openCluster = async (rpc: string): Promise<Cluster> => {
  const { address, blockhash, createSolanaRpc, isSolanaError, signature } = await import('@solana/kit')
  const node = createSolanaRpc(rpc)

  const status: Cluster['status'] = async text => {
    const options = [signature(text)] as const
    const { value } = await node.getSignatureStatuses(options, { searchTransactionHistory: true }).send()
    const [signatures] = value
    if (!signatures) return 'none'
    if (signatures.confirmationStatus === 'processed') return 'seen'
    return signatures.err === null ? 'done' : 'failed'
  }

  const validAt = async (text: string, commitment: 'processed' | 'finalized'): Promise<boolean> =>
    (await node.isBlockhashValid(blockhash(text), { commitment }).send()).value

  return {
    status,
    wait: async (text, ms) => {
      const end = Date.now() + ms
      for (;;) {
        const now = await status(text).catch(() => 'none' as const)
        if (now === 'done' || now === 'failed' || Date.now() >= end) return now
        await new Promise(resolve => setTimeout(resolve, Math.min(pollMs, end - Date.now())))
      }
    },
    // A blockhash that is too new for the finalized bank is known to the processed one.
    isExpired: async text => !(await validAt(text, 'processed')) && !(await validAt(text, 'finalized')),
    balance: async account => {
      const options = { commitment: 'confirmed', encoding: 'base64' } as const
      const { value } = await node.getAccountInfo(address(account), options).send()
      return value === null ? undefined : Buffer.from(value.data[0], 'base64').readBigUInt64LE(64)
    },
    latestBlockhash: async () => (await node.getLatestBlockhash({ commitment: 'confirmed' }).send()).value,
    landedWith: async account => {
      const options = { commitment: 'confirmed', limit: 20 } as const
      const signatures = await node.getSignaturesForAddress(address(account), options).send()
      return signatures.filter(({ err }) => err === null).map(landed => landed.signature)
    },
    landedSince: async (account, since) => {
      const options = { commitment: 'confirmed', limit: 1_000 } as const
      const signatures = await node.getSignaturesForAddress(address(account), options).send()
      const seconds = Math.floor(since.getTime() / 1_000)
      return signatures
        .filter(({ err, blockTime }) => err === null && (blockTime === null || Number(blockTime) >= seconds))
        .map(one => one.signature)
    },
    landedAfter: async (account, after) => {
      const options = {
        commitment: 'finalized',
        limit: 1_000,
        ...(after !== undefined && { until: signature(after) }),
      } as const
      const signatures = await node.getSignaturesForAddress(address(account), options).send()
      return signatures
        .filter(({ err }) => err === null)
        .map(landed => ({
          signature: landed.signature,
          at: new Date(Number(landed.blockTime ?? 0) * 1_000),
        }))
    },
    transaction: async text => {
      const options = {
        commitment: 'confirmed',
        encoding: 'base64',
        maxSupportedTransactionVersion: 0,
      } as const
      const transaction = await node.getTransaction(signature(text), options).send()
      return transaction && transaction.meta?.err === null ? transaction.transaction[0] : undefined
    },
    send: async wire => {
      try {
        const transaction = wire as Parameters<typeof node.sendTransaction>[0]
        await node
          .sendTransaction(transaction, { encoding: 'base64', preflightCommitment: 'confirmed' })
          .send()
        return 'sent'
      } catch (error) {
        // JSON-RPC errors have negative codes: the node has answered, and said no.
        return isSolanaError(error) && error.context.__code < 0 ? 'refused' : 'unknown'
      }
    },
  }
}

/**
 * Runs what asks a cluster. A failure of its node becomes `upstream`, to be tried again; its own words are dropped, since
 * they quote addresses of nodes, keys in them, and whole transactions.
 */
export const onSolana = async <T>(network: SolanaNetwork, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ToolError) throw error
    throw new ToolError('upstream', `${network.title} does not answer just now.`, {
      hint: 'Repeat the call with the same payment in a few seconds.',
      retryAfter: 5,
      cause: new Error(error instanceof Error ? error.name : 'unknown failure'),
    })
  }
}
