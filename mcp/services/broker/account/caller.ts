import { ToolError } from '../../../kernel/error.ts'
import { identify } from '../../../kernel/service.ts'
import type { Caller } from '../../../kernel/tool.ts'
import type { Tx } from '../../../ports/index.ts'
import { type Account, accountsIn, keyPrefix } from './account.ts'

/** Tells whose API key it is. */
export const identifyAccount = identify({ needs: ['store', 'keys'] }).run(
  async ({ store, keys }, { value }) => {
    if (!value.startsWith(`${keyPrefix}_`)) return undefined
    const found = await accountsIn(store).find({
      index: 'key',
      where: { key_hash: keys.hash(value) },
      limit: 1,
    })
    return found.rows[0] && { id: found.rows[0].id, via: 'apiKey' }
  },
)

/** The account of a caller. Throws `unauthenticated` when there is none. */
export const accountOf = async (tx: Tx, caller: Caller | undefined): Promise<Account> => {
  const account = caller && (await accountsIn(tx).get(caller.id))
  if (account) return account
  throw new ToolError('unauthenticated', 'This needs the key of an account.', {
    hint: 'Register at POST /v1/account/register and send the key as X-API-Key.',
  })
}
