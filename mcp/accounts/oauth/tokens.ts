import { listWallets } from '../../kernel/person.ts'
import type { SignIn } from '../../kernel/sign-in.ts'
import { balanceUnit, toWallet } from '../account.ts'
import type { AccountDeps } from '../deps.ts'
import { type ProtectedResources, scope } from './resources.ts'
import { accessTokenPrefix, oauthRowsIn, toRowId } from './row.ts'

const form = new RegExp(`^${accessTokenPrefix}[\\w-]{43}$`)

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/**
 * Sign-in by access tokens of our own authorization server: opaque, read from the store by their hash once a request, so that one that
 * was taken back is good for nothing the moment after.
 */
export const openSignIn = (
  { store, clock, keys }: Pick<AccountDeps, 'store' | 'clock' | 'keys'>,
  resources: ProtectedResources,
): SignIn => ({
  isToken: credential => credential.startsWith(accessTokenPrefix),

  async readToken(token, resource) {
    if (!form.test(token)) return undefined
    const row = await oauthRowsIn(store).get(toRowId(keys, 'AccessToken', token))
    if (!row || row.expires_at <= clock.now().toISOString()) return undefined
    const { account, client, grant, payload } = row
    if (account === null || client === null || grant === null || payload.aud !== resource) return undefined
    const extra = payload.extra
    const name =
      typeof extra === 'object' && extra !== null && 'client_name' in extra ? extra.client_name : ''
    return {
      account,
      client: { id: client, name: text(name) || client },
      grant,
      balance: { account: toWallet(account), unit: balanceUnit, spender: grant },
      wallets: () => listWallets(store, account),
    }
  },

  challenge(resource, { error, host } = {}) {
    const metadata = `resource_metadata="${resources.documentUrl(resource, host)}"`
    return error ? `Bearer error="${error}", ${metadata}` : `Bearer ${metadata}, scope="${scope}"`
  },
})
