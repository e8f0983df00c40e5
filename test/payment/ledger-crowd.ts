import type { Account } from '../../mcp/payment/ledger/account.ts'
import { credits } from '../../mcp/payment/ledger/amount.ts'
import type { NewEntry } from '../../mcp/payment/ledger/entry.ts'
import { openLedger } from '../../mcp/payment/ledger/index.ts'
import { InsufficientBalance } from '../../mcp/payment/ledger/insufficient.ts'
import type { Store, Tx } from '../../store/index.ts'
import type { Random } from '../random.ts'

type Entry = NewEntry<'credit'>

export type Crowd = {
  /** Posts until so many postings are in the journal. */
  run(postings: number): Promise<void>
  /** What was acknowledged as posted, by id; each id once, or `twice` names it. */
  entries: ReadonlyMap<string, Entry['postings']>
  twice: string[]
  counts: { duplicate: number; insufficient: number; captured: number; released: number }
  /** Balances of callers that somebody saw below zero or below what is held. */
  below: string[]
  balance(account: Account): bigint
  accounts: ReadonlySet<Account>
}

type Size = { writers: number; owners: number; perTransaction: number }

const until = new Date('2999-01-01')

/** Writers who post at random at the same time: debits, credits, repeats of what others are posting, holds and captures. */
export const makeCrowd = (store: Store, random: Random, { writers, owners, perTransaction }: Size): Crowd => {
  const ledger = openLedger()
  const entries = new Map<string, Entry['postings']>()
  const twice: string[] = []
  const below: string[] = []
  const counts = { duplicate: 0, insufficient: 0, captured: 0, released: 0 }
  const accounts = new Set<Account>()
  const recent: Entry[] = []
  let count = 0
  let last = 0

  const owner = (): Account => `${random.chance(0.5) ? 'user' : 'agent'}:${random.below(owners)}`
  const entry = (): Entry => {
    last += 1
    const amounts = new Map<Account, bigint>()
    const size = 1 + random.below(3)
    while (amounts.size < size) amounts.set(owner(), BigInt(random.below(200) - 95) || 7n)
    const sum = [...amounts.values()].reduce((all, value) => all + value, 0n)
    if (sum !== 0n || size < 2) amounts.set(random.chance(0.7) ? 'house:fees' : 'world:in', -sum)
    const postings = [...amounts].map(([account, value]) => ({ account, amount: credits(value) }))
    const fresh: Entry = { id: `e${last}`, unit: 'credit', memo: 'at random', postings }
    if (recent.push(fresh) > 50) recent.shift()
    return fresh
  }
  const note = (id: string, postings: Entry['postings']): void => {
    if (entries.has(id)) twice.push(id)
    entries.set(id, postings)
    count += postings.length
    for (const { account } of postings) accounts.add(account)
  }
  const postOne = async (tx: Tx, entry: Entry): Promise<'posted' | 'duplicate' | 'insufficient'> => {
    try {
      return await ledger.post(tx, entry)
    } catch (error) {
      if (error instanceof InsufficientBalance) return 'insufficient'
      throw error
    }
  }
  const postSome = async (): Promise<void> => {
    const some = Array.from({ length: perTransaction }, () =>
      random.chance(0.1) && recent.length > 0 ? random.pick(recent) : entry(),
    )
    const words = await store.transaction(async tx => {
      const all: Awaited<ReturnType<typeof postOne>>[] = []
      for (const entry of some) all.push(await postOne(tx, entry))
      return all
    })
    for (const [at, { id, postings }] of some.entries()) {
      const word = words[at] ?? 'insufficient'
      if (word === 'posted') note(id, postings)
      else counts[word] += 1
    }
  }
  const holdSome = async (): Promise<void> => {
    last += 1
    const [id, account, value] = [`h${last}`, owner(), BigInt(2 + random.below(30))]
    const part = value / 2n
    const hold = { id, unit: 'credit', account, amount: credits(value), until } as const
    try {
      await store.transaction(tx => ledger.hold(tx, hold))
    } catch (error) {
      if (error instanceof InsufficientBalance) return
      throw error
    }
    if (random.chance(0.3)) {
      await store.transaction(tx => ledger.release(tx, id))
      counts.released += 1
      return
    }
    await store.transaction(tx => ledger.capture(tx, id, { amount: credits(part), to: 'escrow:deals' }))
    counts.captured += 1
    note(`capture:${id}`, [
      { account, amount: credits(-part) },
      { account: 'escrow:deals', amount: credits(part) },
    ])
  }
  /** Something to begin with, so that most debits find enough. */
  const grant = async (from: number): Promise<void> => {
    const names = Array.from({ length: Math.min(30, owners - from) }, (_, n) => from + n)
    const grants = names.flatMap(n => [
      { account: `user:${n}`, amount: credits(150n) } as const,
      { account: `agent:${n}`, amount: credits(150n) } as const,
    ])
    const all = { account: 'world:in', amount: credits(-150n * BigInt(grants.length)) } as const
    const entry: Entry = { id: `grant${from}`, unit: 'credit', memo: 'a grant', postings: [all, ...grants] }
    await store.transaction(tx => ledger.post(tx, entry))
    note(entry.id, entry.postings)
  }
  const look = async (): Promise<void> => {
    const account = owner()
    const { total, available } = await ledger.balance(store, 'credit', account)
    if (total.value < 0n || available.value < 0n) below.push(account)
  }
  const writer = async (postings: number): Promise<void> => {
    while (count < postings) {
      if (random.chance(0.05)) await look()
      await (random.chance(0.06) ? holdSome() : postSome())
    }
  }
  const balance = (account: Account): bigint => {
    let sum = 0n
    for (const postings of entries.values())
      for (const posting of postings) if (posting.account === account) sum += posting.amount.value
    return sum
  }
  return {
    run: async postings => {
      for (let from = 0; from < owners; from += 30) await grant(from)
      await Promise.all(Array.from({ length: writers }, () => writer(postings)))
    },
    entries,
    twice,
    counts,
    below,
    balance,
    accounts,
  }
}
