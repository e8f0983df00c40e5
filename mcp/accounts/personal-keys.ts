import { randomBytes } from 'node:crypto'
import { ToolError } from '../kernel/error.ts'
import { findWalletOwner, listWallets } from '../kernel/person.ts'
import type { SignIn } from '../kernel/sign-in.ts'
import type { ApiKey, NewKey } from '../ports/keys/port.ts'
import type { Tx } from '../ports/store/port.ts'
import { balanceUnit, toWallet } from './account.ts'
import { checkServices, readAmount, type WrittenLimits } from './change-limits.ts'
import type { AccountDeps } from './deps.ts'
import { refuseFrozen } from './freeze.ts'
import { limitsIn, type SpendingLimits } from './limits.ts'

/** What keys of a person for all services begin with. */
export const personalPrefix = 'oct'

const maxKeys = 20

type Deps = Pick<AccountDeps, 'store' | 'clock' | 'keys' | 'services'>

/** A key of a person, with what it may do. */
export type PersonalKey = Pick<ApiKey, 'holder' | 'preview' | 'created_at' | 'used_on' | 'ends_at'> & {
  scope: SpendingLimits
}

/** The keys of a person for all services, the oldest first. One that is being replaced is there twice. */
export const listPersonalKeys = async (
  { keys }: Pick<Deps, 'keys'>,
  tx: Tx,
  account: string,
): Promise<PersonalKey[]> => {
  const own = (await keys.listOf(tx, account)).keys.filter(({ prefix }) => prefix === personalPrefix)
  const rows = await Promise.all(
    own.map(async key => {
      const scope = await limitsIn(tx).get(key.holder)
      return scope ? [{ ...key, scope }] : []
    }),
  )
  return rows.flat().sort((one, other) => one.created_at.localeCompare(other.created_at))
}

/**
 * Makes a key that acts as a person at the services of its scope, to read or to write, and spends within limits of its own. It is shown
 * once. Throws `conflict` past twenty, `invalid_input` for what is no name, amount or service.
 */
export const makePersonalKey = (
  { store, clock, keys, services = [] }: Deps,
  account: string,
  written: WrittenLimits & { name: string; access: 'read' | 'write' },
): Promise<NewKey> =>
  store.transaction(async tx => {
    const holders = new Set((await listPersonalKeys({ keys }, tx, account)).map(({ holder }) => holder))
    if (holders.size >= maxKeys)
      throw new ToolError('conflict', `An account has ${maxKeys} keys at most.`, {
        hint: 'Remove one that is not used.',
      })
    checkServices(
      written.services,
      services.map(({ slug }) => slug),
    )
    const now = clock.now()
    const holder = `key_${randomBytes(12).toString('hex')}`
    await limitsIn(tx).insert({
      id: holder,
      account,
      client: { id: holder, name: written.name },
      per_call: readAmount(written.per_call, 'per_call'),
      per_day: readAmount(written.per_day, 'per_day'),
      services: written.services,
      access: written.access,
      updated_at: now.toISOString(),
    })
    return keys.issue(tx, { prefix: personalPrefix, holder, person: account, now })
  })

const requireOwn = async ({ keys }: Pick<Deps, 'keys'>, tx: Tx, account: string, holder: string) => {
  const key = { prefix: personalPrefix, holder }
  const [found] = await keys.list(tx, key)
  if (found?.person !== account) throw new ToolError('not_found', 'Your account has no such key.')
  return key
}

/** Replaces a key of a person; the old one works on for some minutes. Throws `not_found` for one of somebody else. */
export const rotatePersonalKey = (
  deps: Deps,
  account: string,
  holder: string,
  overlapMinutes: number,
): Promise<NewKey> =>
  deps.store.transaction(async tx => {
    const key = await requireOwn(deps, tx, account, holder)
    return deps.keys.rotate(tx, { ...key, now: deps.clock.now(), overlapMinutes })
  })

/** Ends a key of a person, with what it could spend. Throws `not_found` for one of somebody else. */
export const removePersonalKey = (deps: Deps, account: string, holder: string): Promise<void> =>
  deps.store.transaction(async tx => {
    await deps.keys.revoke(tx, await requireOwn(deps, tx, account, holder))
    await limitsIn(tx).delete(holder)
  })

/**
 * Sign-in that takes keys and wallets of people beside access tokens. What a key may do is in its scope, not in the address that it is
 * used at; a wallet pays what it signs, and spends no balance.
 */
export const withPersonalKeys = (signIn: SignIn, deps: Pick<Deps, 'store' | 'clock' | 'keys'>): SignIn => {
  const isKey = (credential: string) => credential.startsWith(`${personalPrefix}_`)
  return {
    ...signIn,
    isToken: credential => isKey(credential) || signIn.isToken(credential),
    async readToken(token, resource) {
      if (!isKey(token)) return signIn.readToken(token, resource)
      const key = await deps.keys.find(deps, personalPrefix, token)
      const scope = key && (await limitsIn(deps.store).get(key.holder))
      if (!scope || scope.account !== key.person) return undefined
      const { account, client, services, access = 'read' } = scope
      return {
        account,
        client,
        grant: key.holder,
        balance: { account: toWallet(account), unit: balanceUnit, spender: key.holder },
        scope: { services, access },
        wallets: () => listWallets(deps.store, account),
      }
    },
    async readWallet(wallet) {
      const account = await findWalletOwner(deps.store, wallet)
      if (account === undefined) return undefined
      await refuseFrozen(deps.store, account)
      const wallets = () => listWallets(deps.store, account)
      return { account, client: { id: wallet, name: 'Wallet' }, grant: wallet, wallet, wallets }
    },
  }
}
