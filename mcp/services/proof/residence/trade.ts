import { collection } from '../../../kernel/collection.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { countActs, countDeals } from './activity.ts'
import { areRelated } from './owner-mark.ts'

/** Trade between two accounts; `low` is the one whose id comes first. */
type Pair = {
  id: string
  /** Sats that `high` earned from `low`, less what `low` earned from `high`. */
  net: number
  /** Sales of each that were counted. */
  sales_low: number
  sales_high: number
}

const pairsIn = collection<Pair>({
  name: 'proof.trading_pairs',
  bounded: 'One for each two accounts that traded for money.',
})

/** Sats that one payer can add to what another has earned, and sales to it that are judged. */
export const maxSatsOfOnePayer = 10_000
export const maxSalesToOneBuyer = 3

/** Counts the sats earned from another account: not what came back, nor what is past the limit. */
const countedSats = (net: number): number => Math.min(maxSatsOfOnePayer, Math.max(0, net))

type Trade = {
  payer: string
  payee: string
  /** Sats the payee got. */
  sats: number
  now: Date
}

const addToPair = async (
  tx: Tx,
  { payer, payee, sats }: Trade,
  isSale: boolean,
): Promise<{ isJudged: boolean }> => {
  const isLow = payer < payee
  const id = isLow ? `${payer} ${payee}` : `${payee} ${payer}`
  const pair = (await pairsIn(tx).get(id)) ?? { id, net: 0, sales_low: 0, sales_high: 0 }
  const net = pair.net + (isLow ? sats : -sats)
  const side = isLow ? 'sales_high' : 'sales_low'
  const isJudged = isSale && pair[side] < maxSalesToOneBuyer
  await pairsIn(tx).put({ ...pair, net, [side]: pair[side] + (isJudged ? 1 : 0) })
  const [before, after] = isLow ? [pair.net, net] : [-pair.net, -net]
  await countDeals(tx, payee, {
    earned_sats: countedSats(after) - countedSats(before),
    sales: isJudged ? 1 : 0,
  })
  await countDeals(tx, payer, { earned_sats: countedSats(-after) - countedSats(-before), sales: 0 })
  return { isJudged }
}

/** Counts a payment between accounts, unless they look like those of one owner. True where the sale is one to judge its seller by. */
export const countTrade = async (
  tx: Tx,
  { isSale, ...trade }: Trade & { isSale: boolean },
): Promise<boolean> => {
  if (await areRelated(tx, trade.payer, trade.payee)) return false
  const { isJudged } = await addToPair(tx, trade, isSale)
  await countActs(tx, trade.payer, {}, trade.now)
  return isJudged
}

/** Counts a message that was paid for: the payer has spent what the house keeps, the rest is the recipient's. */
export const countMessage = async (tx: Tx, { fee, ...trade }: Trade & { fee: number }): Promise<void> => {
  if (await areRelated(tx, trade.payer, trade.payee)) return
  await addToPair(tx, trade, false)
  await countActs(tx, trade.payer, { calls: 1, spent_sats: fee }, trade.now)
}
