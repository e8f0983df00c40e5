import { ToolError } from '../../../kernel/error.ts'
import { identifyByKey } from '../../../kernel/service.ts'
import type { Caller } from '../../../kernel/tool.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { type Account, accountForm, accountsIn, addressOf, keyPrefix } from './account.ts'

/** Tells whose wallet a key stands for. */
export const identifyKey = identifyByKey({ prefix: keyPrefix, via: 'apiKey' })

/** The id of a caller. Throws `unauthenticated` when there is none. */
export const requireCaller = (caller: Caller | undefined): string => {
  if (caller) return caller.id
  throw new ToolError('unauthenticated', 'This needs a signature of your wallet, or its key.', {
    hint: 'Sign the request (ERC-8128), or send a key of your wallet as Authorization: Bearer <key>.',
    next: ['make_key'],
  })
}

/** The account of a wallet, opened with its first write. */
export const ensureAccount = async (tx: Tx, id: string, now: Date): Promise<Account> => {
  const before = await accountsIn(tx).get(id)
  if (before) return before
  if (!accountForm.test(id)) throw new Error(`${id}: no account of a wallet`)
  const account: Account = {
    id,
    address: addressOf(id),
    kind: null,
    name: null,
    bio: null,
    skills: [],
    created_at: now.toISOString(),
  }
  await accountsIn(tx).insert(account)
  return account
}
