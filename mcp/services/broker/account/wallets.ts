import { collection } from '../../../kernel/collection.ts'
import { canonicalAddress } from '../../../lib/chain-address.ts'
import type { Tx } from '../../../ports/store/port.ts'

/** A wallet that has paid for an account. */
type Paying = { id: string; account: string; wallet: string }

const walletsIn = collection<Paying>({
  name: 'broker.wallets',
  indexes: [{ name: 'account', fields: ['account'] }],
  bounded: 'One for each wallet that paid for an account.',
})

const walletId = (account: string, wallet: string): string => `${account} ${wallet}`

/** Remembers who paid for an account: two accounts that one wallet pays for have one owner. */
export const rememberWallet = async (tx: Tx, account: string, payer: string): Promise<void> => {
  const wallet = canonicalAddress(payer)
  await walletsIn(tx).put({ id: walletId(account, wallet), account, wallet })
}

/** Wallets of an account that are compared; each of them has paid 0.50 USD at least. */
const maxCompared = 1000

/** True when some wallet has paid for an account. */
export const hasPaid = async (tx: Tx, account: string): Promise<boolean> =>
  (await walletsIn(tx).count({ index: 'account', where: { account } })) > 0

/** True when one wallet has paid for both accounts. */
export const sharesWallet = async (tx: Tx, one: string, other: string): Promise<boolean> => {
  const { rows } = await walletsIn(tx).find({ index: 'account', where: { account: one }, limit: maxCompared })
  for (const { wallet } of rows) if (await walletsIn(tx).get(walletId(other, wallet))) return true
  return false
}
