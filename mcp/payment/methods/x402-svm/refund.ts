import { createHash } from 'node:crypto'
import { ToolError } from '../../../kernel/error.ts'
import { base58, fromBase58 } from '../../../ports/solnet/base58.ts'
import { findTokenAccount, type SolanaNetwork, tokenProgram } from '../../../ports/solnet/network.ts'
import type { RefundNotes } from '../../method.ts'
import { type Cluster, onSolana } from './cluster.ts'

type Options = {
  network: SolanaNetwork
  cluster(): Promise<Cluster>
  /** Secret keys, base58 of 64 bytes: who pays the fee, by default the wallet itself, and the wallet that the money comes from. */
  feePayer?: () => Promise<string>
  wallet: (() => Promise<string>) | undefined
  confirmMs: number
}

type Made = { wire: string; signature: string; blockhash: string }
type Refund = { payer: string; amount: string; made?: Made; running?: Promise<string> }
type Notes = RefundNotes | undefined

const loadSigner = async (key: string) => {
  const { createKeyPairSignerFromBytes } = await import('@solana/kit')
  return createKeyPairSignerFromBytes(new Uint8Array(fromBase58(key) ?? []))
}

/** An address that stands for a refund and for nothing else, as Solana Pay does it: the chain finds transactions by it. */
const toReference = (network: SolanaNetwork, wallet: string, id: string): string =>
  base58(
    createHash('sha256')
      .update(JSON.stringify(['refund', network.id, wallet, id]))
      .digest(),
  )

/**
 * Refunds as plain transfers from the wallet that is paid to the payer's associated token account. A transfer carries a
 * reference made of its id, which is looked for on the chain first, so one id is paid once, over restarts too. An
 * account that the payer has closed is not opened again: its rent is more than most refunds.
 */
export const openSvmRefunds = ({ network, cluster, feePayer, wallet, confirmMs }: Options) => {
  const refunds = new Map<string, Refund>()

  const make = async (key: string, reference: string, payer: string, amount: bigint): Promise<Made> => {
    const kit = await import('@solana/kit')
    const { getTransferCheckedInstruction } = await import('@solana-program/token')
    const [from, fees, node] = await Promise.all([
      loadSigner(key),
      loadSigner(feePayer ? await feePayer() : key),
      cluster(),
    ])
    const [source, destination] = await Promise.all([
      findTokenAccount(network.mint, from.address),
      findTokenAccount(network.mint, payer),
    ])
    if (((await node.balance(source)) ?? 0n) < amount)
      throw new ToolError(
        'conflict',
        `The wallet that refunds come from holds too little on ${network.title}.`,
        {
          hint: 'Fund it and ask for the refund again.',
        },
      )
    if ((await node.balance(destination)) === undefined)
      throw new ToolError('conflict', 'The payer has no token account to refund to any more.', {
        hint: 'Open the associated token account of the payer and ask for the refund again.',
      })
    const transfer = getTransferCheckedInstruction(
      {
        source: kit.address(source),
        mint: kit.address(network.mint),
        destination: kit.address(destination),
        authority: from,
        amount,
        decimals: network.decimals,
      },
      { programAddress: kit.address(tokenProgram) },
    )
    const mark = { address: kit.address(reference), role: kit.AccountRole.READONLY }
    const markedTransfer = { ...transfer, accounts: [...transfer.accounts, mark] }
    const latest = await node.latestBlockhash()
    const lifetime = { ...latest, blockhash: kit.blockhash(latest.blockhash) }
    const message = kit.pipe(
      kit.createTransactionMessage({ version: 0 }),
      empty => kit.setTransactionMessageFeePayerSigner(fees, empty),
      paid => kit.setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
      timed => kit.appendTransactionMessageInstruction(markedTransfer, timed),
    )
    const signed = await kit.signTransactionMessageWithSigners(message)
    const signature = kit.getSignatureFromTransaction(signed)
    return { wire: kit.getBase64EncodedWireTransaction(signed), signature, blockhash: latest.blockhash }
  }

  const send = async (key: string, id: string, refund: Refund, notes: Notes): Promise<string> => {
    const node = await cluster()
    const reference = toReference(network, (await loadSigner(key)).address, id)
    const over = refund.made === undefined || (await node.isExpired(refund.made.blockhash))
    if (refund.made && (await node.status(refund.made.signature)) === 'done') return refund.made.signature
    const [landed] = await node.landedWith(reference)
    if (landed) return landed
    if (over || !refund.made) refund.made = await make(key, reference, refund.payer, BigInt(refund.amount))
    if (notes && notes.last !== refund.made.signature) await notes.note(refund.made.signature)
    const { wire, signature } = refund.made
    const handed = await node.send(wire)
    const refused = handed === 'refused'
    const status = await (refused ? node.status(signature) : node.wait(signature, confirmMs))
    if (status === 'done') return signature
    if (status === 'failed' || (status === 'none' && refused)) delete refund.made
    throw new ToolError('upstream', `${network.title} has not carried out the refund yet.`, {
      hint: 'Ask for the same refund again; it is paid once.',
      retryAfter: 5,
    })
  }

  return async (id: string, payer: string, amount: string, notes?: RefundNotes): Promise<string> => {
    if (!wallet)
      throw new ToolError('unavailable', `There is no key to refund with on ${network.title}.`, {
        hint: 'Send the money from your own wallet.',
      })
    if (fromBase58(payer)?.length !== 32)
      throw new ToolError('invalid_input', 'payer is not a Solana address.')
    if (!/^[1-9]\d{0,18}$/.test(amount))
      throw new ToolError('invalid_input', 'amount is not a positive number of atomic units.')
    const refund = refunds.get(id) ?? { payer, amount }
    if (refund.payer !== payer || refund.amount !== amount)
      throw new ToolError('conflict', 'This refund was made before with another payer or amount.')
    refunds.set(id, refund)
    refund.running ??= onSolana(network, async () => send(await wallet(), id, refund, notes)).finally(() => {
      delete refund.running
    })
    return refund.running
  }
}
