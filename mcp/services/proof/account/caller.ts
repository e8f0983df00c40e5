import { z } from 'zod'
import { ToolError } from '../../../kernel/error.ts'
import { identifyByKey } from '../../../kernel/service.ts'
import type { Caller } from '../../../kernel/tool.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { type Account, accountsIn, keyPrefix } from './account.ts'
import { toWalletAccount, walletUnit } from './wallet.ts'

/** The id of an account in an input. */
export const accountId = z.string().regex(/^[0-9a-f]{24}$/, 'must be 24 hexadecimal digits')

/** Tells whose API key it is, and names the balance that its calls are paid from. */
export const identifyAccount = identifyByKey({
  prefix: keyPrefix,
  via: 'bearer',
  more: holder => ({ balance: { account: toWalletAccount(holder), unit: walletUnit } }),
})

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
