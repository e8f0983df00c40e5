import { link } from '../../../kernel/service.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { accountsIn } from './account.ts'
import { signatureChains } from './signature.ts'

const chains = Object.keys(signatureChains).map(Number)

/** The accounts that wallets may have: of a key on each chain, of a smart account on its own. */
const toNames = (wallet: string): string[] => {
  const [address = '', chain] = wallet.split(':').reverse()
  return (chain === undefined ? chains : [Number(chain)]).map(id => `eip155:${id}:${address}`)
}

/** Those of the accounts that wallets may have which there are. */
export const findWalletAccounts = async (
  tx: Pick<Tx, 'collection'>,
  wallets: readonly string[],
): Promise<string[]> => {
  const names = wallets.flatMap(toNames)
  const rows = await Promise.all(names.map(name => accountsIn(tx).get(name)))
  return rows.flatMap(row => row?.id ?? [])
}

/**
 * Who a signed-in person is here: the wallet that they sign in with, since accounts are wallets, and money goes to them. Of several the
 * first that has an account, else the oldest, on Base.
 */
export const linkWallet = link({
  needs: ['store'],
  missing:
    'Accounts of this marketplace are wallets, and yours has none: add one on the page of your account, /auth/account, or sign requests with a wallet (ERC-8128).',
}).run(async ({ store }, person) => {
  const wallets = await person.wallets()
  const [known] = await findWalletAccounts(store, wallets)
  const id = known ?? toNames(wallets[0] ?? '')[0]
  return wallets.length === 0 || id === undefined ? undefined : { id, via: 'erc8128' }
})
