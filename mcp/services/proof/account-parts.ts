import { profile, type Service } from '../../kernel/service.ts'
import { accountsIn, keyPrefix, newAccountId } from './account/account.ts'
import { identifyAccount } from './account/caller.ts'
import cardReturn from './account/card-return.ts'
import { expireAccounts } from './account/expire.ts'
import { prepaid } from './account/prepaid.ts'
import statementCsv from './account/statement-csv.ts'
import { walletUnit } from './account/wallet.ts'
import { countActs } from './residence.ts'
import { markOwner, toPayerMark } from './trade.ts'
import { sweepWorkspaces } from './workspace.ts'

/**
 * Counts a paid call for the score of its account. A top-up is no spending, and a message is counted where it is delivered, since most
 * of its price is somebody else's. Whoever pays from an address of a chain is known by it from then on.
 */
export const countPaidCall: NonNullable<Service['onPaid']> = async (
  tx,
  { tool, caller, receipt, price, at },
) => {
  const mark = toPayerMark(receipt)
  if (mark !== undefined) await markOwner(tx, caller.id, mark)
  if (tool.prepaid === false || tool.name === 'message_dm' || price.unit !== 'sat') return
  await countActs(tx, caller.id, { calls: 1, spent_sats: Math.floor(Number(price.amount)) }, at)
}

/** A signed-in person's account. What was paid ahead with a key stays with that key's account, which they may claim. */
const linkAccount = profile({
  prefix: keyPrefix,
  via: 'bearer',
  has: async (tx, id) => (await accountsIn(tx).get(id)) !== undefined,
  async create(tx, { clock }) {
    const account = { id: newAccountId(), label: null, created_at: clock.now().toISOString() }
    if (!(await accountsIn(tx).insert(account))) throw new Error('an account id came up twice')
    return account.id
  },
})

/** Parts that accounts add to the service beside their tools; the service takes both in together. */
export const accountParts = {
  identify: { bearer: identifyAccount },
  link: linkAccount,
  book: { unit: walletUnit, prefix: keyPrefix },
  prepaid,
  onPaid: countPaidCall,
  endpoints: [statementCsv],
  documents: [cardReturn],
  jobs: [expireAccounts, sweepWorkspaces],
} satisfies Pick<
  Service,
  'identify' | 'link' | 'book' | 'prepaid' | 'onPaid' | 'endpoints' | 'documents' | 'jobs'
>
