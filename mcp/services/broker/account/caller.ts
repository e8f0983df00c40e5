import { ToolError } from '../../../kernel/error.ts'
import { identifyByKey } from '../../../kernel/service.ts'
import type { Caller } from '../../../kernel/tool.ts'
import type { Ports } from '../../../ports/ports.ts'
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

/** The first characters of the newest key of an account; empty for a person who has made none. */
export const keyPreview = async (tx: Tx, keys: Ports['keys'], holder: string) =>
  (await keys.list(tx, { prefix: keyPrefix, holder }))[0]?.preview ?? ''
