import type { Context } from '../../../kernel/tool.ts'
import { canonicalAddress } from '../../../lib/chain-address.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { type Account, accountsIn } from './account.ts'
import { requireAccount } from './caller.ts'
import { openAccount } from './open-account.ts'
import { hashOrigin } from './origin.ts'

/** The account that a call is for, new when a first payment came without a key; `api_key` is shown once then. */
export type PayingAccount = { account: Account; api_key: string | null }

/** The account of the caller, else of the wallet that paid. Throws `unauthenticated` when there is neither. */
export const findPayer = async (
  tx: Tx,
  { caller, receipt, keys, clock, client }: Context<'clock' | 'keys'>,
): Promise<PayingAccount> => {
  if (caller || !receipt) return { account: await requireAccount(tx, caller), api_key: null }
  const wallet = canonicalAddress(receipt.payer)
  const knownAccount = (await accountsIn(tx).find({ index: 'wallet', where: { wallet }, limit: 1 })).rows[0]
  if (knownAccount) return { account: knownAccount, api_key: null }
  const paid = { wallet, receipt: receipt.id }
  return openAccount(tx, keys, { now: clock.now(), origin: hashOrigin(keys, client), paid })
}
