import { collection } from '../../../kernel/collection.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { type Account, accountsIn } from '../account/account.ts'
import { emitEvent } from '../event/event.ts'
import { domainGrant } from '../money/fees.ts'
import { addCredits } from '../money/wallet.ts'
import type { DomainChallenge } from './challenge.ts'

/** A domain whose grant was taken; `id` is the domain. */
type DomainGrant = { id: string; account: string; granted_at: string }

const grantedIn = collection<DomainGrant>({
  name: 'broker.granted-domains',
  bounded: 'One for each registrable domain that proved itself.',
})

export type NoGrant = 'ephemeral_domain_no_grant' | 'grant_taken_by_account' | 'grant_taken_for_domain'

/** Why a proven domain brings no grant; null when it does. */
export const refusalReason = async (
  tx: Tx,
  account: Account,
  { domain, shared }: DomainChallenge,
): Promise<NoGrant | null> => {
  if (shared) return 'ephemeral_domain_no_grant'
  if (account.granted_domain !== null) return 'grant_taken_by_account'
  return (await grantedIn(tx).get(domain)) ? 'grant_taken_for_domain' : null
}

/** Gives the grant of a proven domain, once per domain and once per account, whoever races whom. */
export const grant = async (
  tx: Tx,
  ledger: Ports['ledger'],
  account: Account,
  challenge: DomainChallenge,
  now: Date,
): Promise<NoGrant | null> => {
  const { domain } = challenge
  const reason = await refusalReason(tx, account, challenge)
  if (reason !== null) return reason
  const grantRow = { id: domain, account: account.id, granted_at: now.toISOString() }
  if (!(await grantedIn(tx).insert(grantRow))) return 'grant_taken_for_domain'
  await accountsIn(tx).update(account.id, row => ({ ...row, granted_domain: domain }))
  const move = {
    id: `broker-grant:${domain}`,
    account: account.id,
    credits: domainGrant,
    memo: `domain ${domain}`,
  }
  await addCredits(tx, ledger, { ...move, from: 'grants' })
  await emitEvent(tx, [account.id], { kind: 'domain_granted', credits: domainGrant })
  return null
}
