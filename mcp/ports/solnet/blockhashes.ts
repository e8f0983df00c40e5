import { randomBytes } from 'node:crypto'
import { base58 } from './base58.ts'

const slotMs = 400
const life = 150

/**
 * Recent blockhashes of a chain that makes one each 400 ms, good for 150 slots, as on Solana. They are random: litesvm's
 * own repeat from one process to the next, and with them a transaction of an earlier chain could be sent again.
 */
export const openBlockhashes = (now: () => number) => {
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
