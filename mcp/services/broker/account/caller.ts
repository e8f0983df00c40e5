import { ToolError } from '../../../kernel/error.ts'
import { identifyByKey } from '../../../kernel/service.ts'
import type { Caller } from '../../../kernel/tool.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { type Account, accountsIn, keyPrefix } from './account.ts'

/** Tells whose API key it is. */
export const identifyAccount = identifyByKey({ prefix: keyPrefix, via: 'apiKey' })

/** The account of a caller. Throws `unauthenticated` when there is none. */
export const requireAccount = async (tx: Tx, caller: Caller | undefined): Promise<Account> => {
  const account = caller && (await accountsIn(tx).get(caller.id))
  if (account) return account
  throw new ToolError('unauthenticated', 'This needs the key of an account.', {
    hint: 'Register, and send the key as Authorization: Bearer <key> or X-API-Key.',
    next: ['register_account'],
  })
}
