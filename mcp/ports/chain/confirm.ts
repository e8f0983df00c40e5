import type { Hash, Hex, PublicClient, TransactionReceipt } from 'viem'

/** How often a node is asked whether a transaction is mined: at first after `firstMs`, later every `maxMs`. */
export type PollPace = { firstMs: number; maxMs: number }

/** `from` and `nonce` where we sent it ourselves. */
type Sent = { hash: Hash; from?: Hex; nonce?: number }

const pause = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))

/** The receipt, or undefined where there is none yet or the node does not answer. */
const readReceipt = (reader: PublicClient, hash: Hash): Promise<TransactionReceipt | undefined> =>
  reader.getTransactionReceipt({ hash }).catch(() => undefined)

/** True when another transaction took the place of one: its number is used, and the chain knows nothing of it. */
const isReplaced = async (reader: PublicClient, { hash, from, nonce }: Sent): Promise<boolean> => {
  if (from === undefined || nonce === undefined) return false
  const count = await reader.getTransactionCount({ address: from, blockTag: 'latest' }).catch(() => 0)
  if (count <= nonce) return false
  // Nodes behind one address differ for a moment: what it says now counts.
  return (await readReceipt(reader, hash)) === undefined
}

/**
 * Waits for a receipt. Resolves to `replaced` when another transaction of the same account was mined in its place, and to
 * undefined when the time is over: it may still come.
 */
export const confirm = async (
  reader: PublicClient,
  sent: Sent,
  { firstMs, maxMs }: PollPace,
  timeoutMs: number,
): Promise<TransactionReceipt | 'replaced' | undefined> => {
  const end = performance.now() + timeoutMs
  let waitMs = firstMs
  for (let polls = 1; ; polls++) {
    if (waitMs > 0) await pause(Math.min(waitMs, Math.max(0, end - performance.now())))
    const receipt = await readReceipt(reader, sent.hash)
    if (receipt) return receipt
    if (polls > 3 && (await isReplaced(reader, sent))) return 'replaced'
    if (performance.now() >= end) return undefined
    waitMs = Math.min(maxMs, Math.max(25, waitMs * 2))
  }
}
