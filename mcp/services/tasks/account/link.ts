import { link } from '../../../kernel/service.ts'
import { accountsIn } from './account.ts'
import { signatureChains } from './signature.ts'

const chains = Object.keys(signatureChains).map(Number)

/**
 * Who a signed-in person is here: the wallet that they sign in with, since accounts are wallets, and money goes to them. Of several the
 * first that has an account, else the oldest, on Base.
 */
export const linkWallet = link({
  needs: ['store'],
  missing:
    'Accounts of this marketplace are wallets, and yours has none: add one on the page of your account, /auth/account, or sign requests with a wallet (ERC-8128).',
}).run(async ({ store }, person) => {
  const addresses = await person.wallets()
  const names = addresses.flatMap(address => chains.map(chain => `eip155:${chain}:${address}`))
  for (const name of names) if (await accountsIn(store).get(name)) return { id: name, via: 'erc8128' }
  const [address] = addresses
  return address === undefined ? undefined : { id: `eip155:8453:${address}`, via: 'erc8128' }
})
