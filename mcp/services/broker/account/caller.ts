import { ToolError } from '../../../kernel/error.ts'
import { identify } from '../../../kernel/service.ts'
import type { Caller } from '../../../kernel/tool.ts'
import type { Store, Tx } from '../../../ports/index.ts'
import { type Account, accountsIn, keyPrefix } from './account.ts'

/** Notes the first use of a key that a payment opened: from then on nobody gets another one for that payment. */
const noteUse = async (store: Store, { id, key_hash }: Account): Promise<boolean> => {
  const after = await accountsIn(store).update(id, row =>
    row.key_hash === key_hash ? { ...row, key_used: true } : row,
  )
  return after?.key_hash === key_hash
}

/** Tells whose API key it is. */
export const identifyAccount = identify({ needs: ['store', 'keys'], prefix: keyPrefix }).run(
  async ({ store, keys }, { value }) => {
    if (!value.startsWith(`${keyPrefix}_`)) return undefined
    const accounts = await accountsIn(store).find({
      index: 'key',
      where: { key_hash: keys.hash(value) },
      limit: 1,
    })
    const [account] = accounts.rows
    if (!account) return undefined
    const isNew = typeof account.opened_by === 'string' && account.key_used !== true
    if (isNew && !(await noteUse(store, account))) return undefined
    return { id: account.id, via: 'apiKey' }
  },
)

/** The account of a caller. Throws `unauthenticated` when there is none. */
export const requireAccount = async (tx: Tx, caller: Caller | undefined): Promise<Account> => {
  const account = caller && (await accountsIn(tx).get(caller.id))
  if (account) return account
  throw new ToolError('unauthenticated', 'This needs the key of an account.', {
    hint: 'Register, and send the key as Authorization: Bearer <key> or X-API-Key.',
    next: ['register_account'],
  })
}
