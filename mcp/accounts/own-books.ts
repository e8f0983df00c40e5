import { listWallets } from '../kernel/person.ts'
import type { ServiceBook } from '../kernel/service.ts'
import type { Book } from '../ports/books/port.ts'
import { bookKind, personKind, toBook } from './books.ts'
import type { AccountDeps } from './deps.ts'
import { toBookName } from './statement.ts'

/** What callers of a service pay from, and what they earn on. */
export type NamedServiceBook = ServiceBook & { slug: string; name: string }

/** A book of a person, and what people call it. */
export type OwnBook = { book: Book; name: string; title: string }

type Deps = Pick<AccountDeps, 'store' | 'keys' | 'serviceBooks'>

/** Wallets that a person has shown to hold, that payouts on Base reach. */
export const listPayoutWallets = async (
  { store }: Pick<Deps, 'store'>,
  account: string,
): Promise<string[]> => {
  const wallets = await listWallets(store, account)
  return wallets.flatMap(wallet => /^(?:8453:)?(0x[0-9a-f]{40})$/.exec(wallet)?.[1] ?? [])
}

/** The only wallet that a book pays out to, where it is that of a wallet; undefined for others. */
export const findBookWallet = ({ account }: Book): string | undefined =>
  /:(0x[0-9a-f]{40})$/.exec(account)?.[1]

/** All books of a person: their dollars, and what they have at each service by profile, by key or by wallet. */
export const listOwnBooks = async (deps: Deps, account: string): Promise<OwnBook[]> => {
  const { store, keys, serviceBooks = [] } = deps
  const own = await keys.listOf(store, account)
  const wallets = await listWallets(store, account)
  const books: Book[] = [toBook(account)]
  for (const { slug, prefix, unit, isOpen, findWallets } of serviceBooks) {
    const holders = [...own.profiles, ...own.keys]
      .filter(each => each.prefix === prefix)
      .map(each => each.holder)
    const ofWallets = (await findWallets?.(store, wallets)) ?? []
    for (const holder of new Set([...holders, ...ofWallets]))
      books.push({ account: `agent:${slug}:${holder}`, unit, ...(isOpen && { isOpen }) })
  }
  const toTitle = (book: Book): string =>
    bookKind(book) === personKind
      ? 'Your dollars'
      : (serviceBooks.find(({ slug }) => slug === bookKind(book))?.name ?? bookKind(book))
  return books.map(book => ({ book, name: toBookName(book), title: toTitle(book) }))
}
