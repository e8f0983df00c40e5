import type { KeyPairSigner, Transaction } from '@solana/kit'
import { ToolError } from '../../../../kernel/error.ts'
import type { Solana } from '../../../../ports/solana/port.ts'

/** Outcome of a transaction: in no block, in one with success, or in one where it failed. */
export type Landed = 'none' | 'done' | 'failed'

/** The questions that the sponsor asks a cluster. */
export type SponsorCluster = {
  title: string
  sponsor: KeyPairSigner
  balance(): Promise<bigint>
  /** True while a transaction with this blockhash may land. */
  isValid(blockhash: string): Promise<boolean>
  /** Why a transaction would fail; undefined when it would not. */
  simulate(wire: string): Promise<string | undefined>
  /** Adds the signature of the sponsor: the transaction as it is sent, and its name. */
  sign(transaction: Transaction): Promise<{ wire: string; signature: string }>
  /** False when the node surely did not take it. */
  send(wire: string): Promise<boolean>
  status(signature: string): Promise<Landed>
  /** Waits until it is in a block, so many milliseconds at most. */
  wait(signature: string, ms: number): Promise<Landed>
}

const pollMs = 200

const errorText = (error: unknown): string =>
  JSON.stringify(error, (_, value) => (typeof value === 'bigint' ? String(value) : value)).slice(0, 200)

/** Opens the cluster with the wallet that pays fees there. Throws `unavailable` where there is no key. */
export const openSponsorCluster = async (solana: Solana, configuredKey: string): Promise<SponsorCluster> => {
  const kit = await import('@solana/kit')
  const key = solana.local ? await solana.localKey() : configuredKey
  if (key === '')
    throw new ToolError(
      'unavailable',
      'Gas is not sponsored on Solana here: MONEY_GAS_SOLANA_KEY is not set.',
      { reason: 'gas_off' },
    )
  const sponsor = await kit.createKeyPairSignerFromBytes(kit.getBase58Encoder().encode(key))
  const node = kit.createSolanaRpc(await solana.rpc())

  /** A failure of the node is retryable; its words are dropped, since they may hold its address. */
  const ask = async <T>(question: () => Promise<T>): Promise<T> => {
    try {
      return await question()
    } catch (error) {
      throw new ToolError('upstream', `${solana.title} does not answer just now.`, {
        hint: 'Repeat the call, with the same payment if you have paid, in a few seconds.',
        retryAfter: 5,
        cause: new Error(error instanceof Error ? error.name : 'unknown failure'),
      })
    }
  }

  const status: SponsorCluster['status'] = async text => {
    const { value } = await ask(() =>
      node.getSignatureStatuses([kit.signature(text)], { searchTransactionHistory: true }).send(),
    )
    const [landed] = value
    if (!landed || landed.confirmationStatus === 'processed') return 'none'
    return landed.err === null ? 'done' : 'failed'
  }

  return {
    title: solana.title,
    sponsor,
    balance: async () => (await ask(() => node.getBalance(sponsor.address).send())).value,
    isValid: async blockhash =>
      (await ask(() => node.isBlockhashValid(kit.blockhash(blockhash), { commitment: 'processed' }).send()))
        .value,
    simulate: async wire => {
      const options = { encoding: 'base64', sigVerify: false, commitment: 'confirmed' } as const
      const transaction = wire as Parameters<typeof node.simulateTransaction>[0]
      const { value } = await ask(() => node.simulateTransaction(transaction, options).send())
      return value.err === null ? undefined : errorText(value.err)
    },
    sign: async transaction => {
      const signed = await kit.partiallySignTransaction([sponsor.keyPair], transaction)
      return {
        wire: kit.getBase64EncodedWireTransaction(signed),
        signature: kit.getSignatureFromTransaction(signed),
      }
    },
    send: async wire => {
      try {
        const transaction = wire as Parameters<typeof node.sendTransaction>[0]
        await node
          .sendTransaction(transaction, { encoding: 'base64', preflightCommitment: 'confirmed' })
          .send()
        return true
      } catch (error) {
        // JSON-RPC errors have negative codes: the node has answered, and said no.
        return !(kit.isSolanaError(error) && error.context.__code < 0)
      }
    },
    status,
    wait: async (text, ms) => {
      const end = performance.now() + ms
      for (;;) {
        const landed = await status(text).catch(() => 'none' as const)
        if (landed !== 'none' || performance.now() >= end) return landed
        await new Promise(resolve => setTimeout(resolve, pollMs))
      }
    },
  }
}
