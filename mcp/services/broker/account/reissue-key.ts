import { ToolError } from '../../../kernel/error.ts'
import type { Context } from '../../../kernel/tool.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { type Account, accountsIn, keyPrefix } from './account.ts'

const notAgain = (account: Account | undefined): ToolError =>
  account
    ? new ToolError('conflict', `The key of ${account.id} has been used, so it is not shown again.`, {
        reason: 'key_in_use',
        hint: 'What was paid is in that account: send its key as Authorization: Bearer or X-API-Key. The old key makes a new one.',
        next: ['rotate_key'],
        params: { account_id: account.id },
      })
    : new ToolError('conflict', 'This payment was answered, and the answer is kept no longer.', {
        reason: 'answer_not_kept',
        hint: 'The call has run; its receipt tells when.',
      })

/**
 * A new key for the account that a payment opened, in place of one that nobody has used: whoever lost the answer has lost
 * the key. Throws `conflict` once the key was used.
 */
export const reissueKey = async (
  tx: Tx,
  { receipt, keys, clock }: Context<'keys' | 'clock'>,
): Promise<{ account: Account; api_key: string }> => {
  const wallet = receipt?.payer.toLowerCase() ?? ''
  const { rows } = await accountsIn(tx).find({ index: 'wallet', where: { wallet }, limit: 1 })
  const account = rows.find(({ opened_by }) => opened_by === receipt?.id)
  const holder = { prefix: keyPrefix, holder: account?.id ?? '' }
  const [key] = await keys.list(tx, holder)
  if (!account || key?.used_on !== null) throw notAgain(account)
  await keys.revoke(tx, holder)
  const { api_key } = await keys.issue(tx, { ...holder, now: clock.now() })
  return { account, api_key }
}
