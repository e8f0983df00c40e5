import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import { identify } from '../../../kernel/service.ts'
import type { Caller } from '../../../kernel/tool.ts'
import type { Tx } from '../../../ports/index.ts'
import { type Account, accountsIn, keyPrefix } from './account.ts'
import { balanceUnit, toWallet } from './wallet.ts'

/** The id of an account in an input. */
export const accountId = z.string().regex(/^[0-9a-f]{24}$/, 'must be 24 hexadecimal digits')

/** Tells whose API key it is, and names the balance that its calls are paid from. */
export const identifyAccount = identify({ needs: ['store', 'keys', 'clock'], prefix: keyPrefix }).run(
  async ({ store, keys, clock }, { value }) => {
    if (!value.startsWith(`${keyPrefix}_`)) return undefined
    const { rows } = await accountsIn(store).find({
      index: 'key',
      where: { key_hash: keys.hash(value) },
      limit: 1,
    })
    const [account] = rows
    if (!account) return undefined
    const today = clock.now().toISOString().slice(0, 10)
    if (account.used_on !== today) {
      const used = await accountsIn(store).update(account.id, row => ({ ...row, used_on: today }))
      // It expired just now.
      if (!used) return undefined
    }
    return { id: account.id, via: 'bearer', balance: { account: toWallet(account.id), unit: balanceUnit } }
  },
)

/** The account of a caller. Throws `unauthenticated` when there is none. */
export const requireAccount = async (
  tx: Pick<Tx, 'collection'>,
  caller: Caller | undefined,
): Promise<Account> => {
  const account = caller && (await accountsIn(tx).get(caller.id))
  if (account) return account
  throw new ToolError('unauthenticated', 'This needs the key of an account.', {
    hint: 'Register, and send the key as Authorization: Bearer <key> or X-API-Key.',
    next: ['register'],
  })
}
