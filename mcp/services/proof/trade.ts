import { createHash } from 'node:crypto'
import { collection } from '../../kernel/collection.ts'
import { areOfOnePerson } from '../../kernel/person.ts'
import type { PaidCall } from '../../kernel/service.ts'
import { canonicalAddress } from '../../lib/chain-address.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Tx } from '../../ports/store/port.ts'
import { keyPrefix } from './account/account.ts'
import { countActs, countDeals } from './residence.ts'

/** Mark that accounts may have one owner: the network address that registered them, an address that paid for them. */
type OwnerMark = { id: string; account: string; mark: string }

const marksIn = collection<OwnerMark>({
  name: 'proof.owner_marks',
  indexes: [{ name: 'account', fields: ['account'] }],
  bounded: 'A few for each account: its network, and who paid for it.',
})

/** Marks that are compared; an account with more is taken for related to everybody. */
const maxMarks = 32

const markId = (account: string, mark: string): string => `${account} ${mark}`

/** A network address as it is kept: an HMAC, which tells nobody the address. */
export const toNetworkMark = (keys: Ports['keys'], client: string): string =>
  `network:${keys.hash(`network address ${client}`)}`

/** The address on a chain that paid; undefined where a payment names nobody, as over Lightning. */
export const toPayerMark = ({ network, payer }: PaidCall['receipt']): string | undefined => {
  if (!/^(?:eip155|solana):/.test(network)) return undefined
  return `payer:${createHash('sha256').update(canonicalAddress(payer)).digest('hex').slice(0, 32)}`
}

/** Keeps a mark of an account; the same one again changes nothing. */
export const markOwner = async (tx: Tx, account: string, mark: string): Promise<void> => {
  await marksIn(tx).insert({ id: markId(account, mark), account, mark })
}

const listMarks = async (tx: Tx, account: string): Promise<readonly OwnerMark[]> =>
  (await marksIn(tx).find({ index: 'account', where: { account }, limit: maxMarks + 1 })).rows

/** True when two accounts look like those of one owner. That they do not proves nothing. */
export const areRelated = async (tx: Tx, one: string, other: string): Promise<boolean> => {
  if (await areOfOnePerson(tx, keyPrefix, one, other)) return true
  const [marks, others] = [await listMarks(tx, one), await listMarks(tx, other)]
  if (marks.length > maxMarks || others.length > maxMarks) return true
  const shared = new Set(others.map(({ mark }) => mark))
  return marks.some(({ mark }) => shared.has(mark))
}

/** Forgets the marks of an account that is gone. */
export const deleteMarks = async (tx: Tx, account: string): Promise<void> => {
  for (const { id } of await listMarks(tx, account)) await marksIn(tx).delete(id)
}

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
