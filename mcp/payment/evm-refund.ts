import type { Hex, PublicClient } from 'viem'
import { ToolError } from '../kernel/error.ts'
import { usdcAbi } from '../lib/evm-abi.ts'
import { onChain } from '../ports/chain/failure.ts'
import type { Chain, SignedTransaction } from '../ports/chain/port.ts'
import type { RefundNotes } from './method.ts'

type Refund = { payer: string; amount: string; sent: Promise<Hex> }

/** Blocks after which a number that another transaction took counts as taken on every node behind an address. */
const settledBlocks = 100n

const readNote = (note: string | undefined): readonly SignedTransaction[] =>
  note === undefined ? [] : (JSON.parse(note) as SignedTransaction[])

const receiptOf = (reader: PublicClient, hash: Hex) =>
  reader.getTransactionReceipt({ hash }).catch((cause: unknown) => {
    if (cause instanceof Error && cause.name === 'TransactionReceiptNotFoundError') return undefined
    throw cause
  })

const unknownYet = (title: string) =>
  new ToolError('upstream', `${title} has not carried out the refund yet.`, {
    hint: 'Ask for the same refund again; it is paid once.',
    retryAfter: 5,
  })

type Way = { chain: Chain; reader: PublicClient; from: Hex; confirmMs: number }

/**
 * What became of transfers that were signed for a refund: the hash of the one that happened or may still do so, sent again; undefined
 * once it is sure that none of them ever will. Throws `upstream` while nobody can know.
 */
const follow = async (
  { chain, reader, from, confirmMs }: Way,
  signed: readonly SignedTransaction[],
): Promise<Hex | undefined> => {
  // The number is read before the receipts: one that was taken in between would look like another's.
  const block = await reader.getBlockNumber()
  const settled = block > settledBlocks ? block - settledBlocks : 0n
  const [next, taken] = await Promise.all([
    reader.getTransactionCount({ address: from }),
    reader.getTransactionCount({ address: from, blockNumber: settled }),
  ])
  let open: SignedTransaction | undefined
  for (const transaction of signed) {
    const receipt = await receiptOf(reader, transaction.hash)
    if (receipt?.status === 'success') return transaction.hash
    if (!receipt && transaction.nonce >= taken) open = transaction
  }
  if (!open) return undefined
  if (open.nonce < next) throw unknownYet(chain.network.title)
  // A node that has it already refuses it, which says nothing of what becomes of it: the receipt does.
  await reader.sendRawTransaction({ serializedTransaction: open.serialized }).catch(() => undefined)
  const receipt = await reader
    .waitForTransactionReceipt({ hash: open.hash, timeout: confirmMs })
    .catch(() => undefined)
  if (receipt?.status === 'success') return open.hash
  throw unknownYet(chain.network.title)
}

const transfer = async (
  chain: Chain,
  key: Hex,
  { payer, amount }: { payer: Hex; amount: bigint },
  confirmMs: number,
  notes: RefundNotes | undefined,
): Promise<Hex> => {
  const { encodeFunctionData } = await import('viem')
  const [reader, wallet] = await Promise.all([chain.reader(), chain.wallet(key)])
  const before = readNote(notes?.last)
  const way = { chain, reader, from: wallet.address, confirmMs }
  const earlier = before.length > 0 ? await follow(way, before) : undefined
  if (earlier) return earlier
  const { address } = chain.network.token
  const balance = await reader.readContract({
    address,
    abi: usdcAbi,
    functionName: 'balanceOf',
    args: [wallet.address],
  })
  if (balance < amount)
    throw new ToolError(
      'conflict',
      `The wallet that refunds come from holds too little on ${chain.network.title}.`,
      {
        hint: 'Fund it and ask for the refund again.',
      },
    )
  const data = encodeFunctionData({ abi: usdcAbi, functionName: 'transfer', args: [payer, amount] })
  const hash = await wallet.send({
    to: address,
    data,
    ...(notes && {
      onSigned: signed => notes.note(JSON.stringify([...readNote(notes.last), signed])),
    }),
  })
  const receipt = await reader.waitForTransactionReceipt({ hash, timeout: confirmMs }).catch(() => undefined)
  if (receipt?.status === 'reverted')
    throw new ToolError('upstream', `${chain.network.title} did not carry out the refund.`)
  if (!receipt && notes) throw unknownYet(chain.network.title)
  // Without notes a wait that runs out is no failure: the transfer is on its way, and sending it again would pay twice.
  return hash
}

/**
 * Refunds as plain transfers from the wallet of `key`. One id is sent once in this process: a repetition gets the same
 * transaction, and only a refund that surely did not happen may be tried again. With `notes` each transfer is noted before it is sent,
 * so that whoever goes on with it sends the same one again, in another process too.
 */
export const openRefunds = (chain: Chain, key: (() => Promise<Hex>) | undefined, confirmMs: number) => {
  const refunds = new Map<string, Refund>()

  return async (id: string, payer: string, amount: string, notes?: RefundNotes): Promise<string> => {
    if (!key)
      throw new ToolError('unavailable', `There is no key to refund with on ${chain.network.title}.`, {
        hint: 'Send the money from your own wallet.',
      })
    if (!/^0x[0-9a-f]{40}$/i.test(payer)) throw new ToolError('invalid_input', 'payer is not an EVM address.')
    if (!/^[1-9]\d{0,30}$/.test(amount))
      throw new ToolError('invalid_input', 'amount is not a positive number of atomic units.')
    const before = refunds.get(id)
    if (before && (before.payer !== payer.toLowerCase() || before.amount !== amount))
      throw new ToolError('conflict', 'This refund was made before with another payer or amount.')
    if (before) return before.sent
    const sending = onChain(chain.network, async () => {
      const target = { payer: payer.toLowerCase() as Hex, amount: BigInt(amount) }
      return transfer(chain, await key(), target, confirmMs, notes)
    })
    refunds.set(id, { payer: payer.toLowerCase(), amount, sent: sending })
    // With notes, what was sent is looked up on the chain each time: it may have been taken back.
    sending.then(
      () => notes && refunds.delete(id),
      () => refunds.delete(id),
    )
    return sending
  }
}
