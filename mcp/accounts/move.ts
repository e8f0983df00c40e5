import { collection, indexesOf } from '../kernel/collection.ts'
import type { CardLoss, CardPayment } from '../lib/card-payment.ts'
import type { ApiKey } from '../ports/keys/port.ts'
import type { Store, Tx } from '../ports/store/port.ts'
import { booksIn, toBook } from './books.ts'
import { cardTopUpsIn, lossesIn } from './card-top-ups.ts'
import { withdrawalsIn } from './withdrawal/withdrawal.ts'

/** A move that is done. `id` is its name. */
const movesIn = collection<{ id: string; rows: number; at: string }>({
  name: 'accounts.moves',
  bounded: 'One for each move.',
})

type Stored = { id: string }

/** Data earlier versions kept elsewhere: its collection, and how a row moves. A row that has moved is left as it is. */
type Move<Row extends Stored = Stored> = {
  name: string
  from: string
  /** True for a row that moved before. */
  isMoved?(row: Row): boolean
  /** Writes the row where it belongs now, and what stays of it. */
  move(tx: Tx, row: Row, stay: (rest: Row | undefined) => Promise<unknown>): Promise<void>
}

const saveBook = async (tx: Tx, id: string, debt: string, withdrawable: string): Promise<void> => {
  if (debt !== '0' || withdrawable !== '0') await booksIn(tx).insert({ id, debt, withdrawable })
}

type ProofAccount = Stored & { debt?: string; withdrawable?: string }

const proofBooks: Move<ProofAccount> = {
  name: 'books of verification',
  from: 'proof.accounts',
  isMoved: ({ debt }) => debt === undefined,
  async move(tx, { debt = '0', withdrawable = '0', ...rest }, stay) {
    await saveBook(tx, `agent:proof:${rest.id}`, debt, withdrawable)
    await stay(rest)
  },
}

const debts: Move<Stored & { usd: string }> = {
  name: 'debts of people',
  from: 'accounts.debts',
  async move(tx, { id, usd }, stay) {
    await saveBook(tx, toBook(id).account, usd, '0')
    await stay(undefined)
  },
}

const proofCards: Move<CardPayment & { sats: number; credited: string; moves: number; '~'?: unknown }> = {
  name: 'card payments of verification',
  from: 'proof.card_top_ups',
  async move(tx, { sats, '~': _, ...row }, stay) {
    const book = { account: `agent:proof:${row.account}`, unit: 'msat' } as const
    await cardTopUpsIn(tx).insert({ ...row, book, value: String(sats * 1000) })
    await stay(undefined)
  },
}

const proofLosses: Move<CardLoss> = {
  name: 'card losses of verification',
  from: 'proof.card_losses',
  async move(tx, loss, stay) {
    // Both webhooks were told of every payment: the newer word of each dispute is the one that ends it.
    const known = await lossesIn(tx).get(loss.id)
    const disputes = { ...known?.disputes }
    for (const [id, dispute] of Object.entries(loss.disputes))
      if (disputes[id] === undefined || disputes[id].state === 'open') disputes[id] = dispute
    await lossesIn(tx).put({ id: loss.id, refunded: Math.max(loss.refunded, known?.refunded ?? 0), disputes })
    await stay(undefined)
  },
}

type ProofWithdrawal = Stored & {
  account: string
  invoice: string
  payment_hash: string
  sats: number
  fee_sats: number
  state: 'queued' | 'sent' | 'failed'
  preimage: string | null
} & Record<'begun_at' | 'lease' | 'problem' | 'ended_at', string | null> &
  Record<'next_at' | 'expires_at' | 'created_at', string> & { tries: number; '~'?: unknown }

const proofWithdrawals: Move<ProofWithdrawal> = {
  name: 'withdrawals of verification',
  from: 'proof.withdrawals',
  async move(tx, { account: holder, invoice, sats, fee_sats, preimage, '~': _, ...row }, stay) {
    const account = `agent:proof:${holder}` as const
    await withdrawalsIn(tx).insert({
      ...row,
      account,
      book: { account, unit: 'msat' },
      way: 'lightning',
      to: invoice,
      value: String(sats * 1000),
      fee: String(fee_sats * 1000),
      proof: preimage,
      held: 'escrow:proof-withdrawals',
      from: null,
    })
    await stay(undefined)
  },
}

type TasksWithdrawal = Stored & {
  account: string
  to: string
  amount: string
  state: 'queued' | 'sent'
} & Record<'from' | 'transaction' | 'problem' | 'sent_at', string | null> & {
    created_at: string
    '~'?: unknown
  }

const tasksWithdrawals: Move<TasksWithdrawal> = {
  name: 'withdrawals of the marketplace',
  from: 'tasks.withdrawals',
  async move(tx, { account: holder, amount, transaction, sent_at, '~': _, ...row }, stay) {
    const account = `agent:tasks:${holder}` as const
    await withdrawalsIn(tx).insert({
      ...row,
      account,
      book: { account, unit: 'USDC', isOpen: true },
      way: 'usdc',
      value: amount,
      fee: '0',
      payment_hash: null,
      proof: transaction,
      held: 'house:tasks-payouts',
      begun_at: row.from === null ? null : row.created_at,
      lease: null,
      tries: 0,
      next_at: row.created_at,
      expires_at: null,
      ended_at: sent_at,
    })
    await stay(undefined)
  },
}

const keys = 'accounts.api_keys'

type WithKey = Stored & {
  key_hash?: string | null
  key_preview?: string
  key_used?: boolean
  used_on?: string | null
  created_at?: string
  joined_at?: string
  registered_at?: string
}

/** Keys that services kept with their accounts; of what was never written down, the first characters are those of all. */
const keysOf = (from: string, prefix: string, toHolder = (id: string) => id): Move<WithKey> => ({
  name: `keys of ${from}`,
  from,
  isMoved: ({ key_hash }) => key_hash === undefined,
  async move(tx, { key_hash, key_preview = `${prefix}_…`, key_used, used_on, ...rest }, stay) {
    const created_at = rest.created_at ?? rest.joined_at ?? rest.registered_at ?? ''
    const day = created_at.slice(0, 10)
    if (key_hash)
      await tx.collection<ApiKey>(keys, indexesOf(keys)).insert({
        id: key_hash,
        prefix,
        holder: toHolder(rest.id),
        preview: key_preview,
        created_at,
        // Of accounts of verification that were stored before their use was written down, nobody knows: they stay.
        used_on: used_on === undefined ? (key_used === false ? null : day) : used_on,
        ends_at: null,
      })
    await stay(rest)
  },
})

const profileName = 'accounts.profiles'

/** Whom people are at a service, which it kept with its accounts. */
const peopleOf = (from: string, prefix: string): Move<Stored & { person?: string | null }> => ({
  name: `people of ${from}`,
  from,
  isMoved: ({ person }) => person === undefined,
  async move(tx, { person, ...rest }, stay) {
    const profiles = tx.collection(profileName, indexesOf(profileName))
    const profile = { id: `${prefix} ${person}`, person, prefix, holder: rest.id }
    if (person) await profiles.insert(profile)
    await stay(rest)
  },
})

const keyMoves = [
  keysOf('proof.accounts', 'prf'),
  keysOf('broker.accounts', 'brk'),
  keysOf('gateway.members', 'gwa'),
  keysOf('data.allies', 'ally', id => `ally:${id}`),
  keysOf('tasks.accounts', 'tsk'),
  peopleOf('proof.accounts', 'prf'),
  peopleOf('broker.accounts', 'brk'),
  peopleOf('gateway.members', 'gwa'),
]

const moves = [
  ...keyMoves,
  proofBooks,
  debts,
  proofCards,
  proofLosses,
  proofWithdrawals,
  tasksWithdrawals,
] as unknown as readonly Move[]

const moveRow = (store: Store, { from, isMoved, move }: Move, id: string): Promise<boolean> =>
  store.transaction(async tx => {
    const rows = tx.collection<Stored>(from)
    const row = await rows.get(id)
    if (!row || isMoved?.(row)) return false
    await move(tx, row, rest => (rest ? rows.put(rest) : rows.delete(id)))
    return true
  })

/**
 * Moves what earlier versions kept at services to where accounts are kept now: once, one row in each transaction, so that it goes on
 * where it was ended, and any number may do it at once. `onMoved` is told how many rows moved. With `dryRun` it counts only.
 */
export const moveAccounts = async (
  store: Store,
  {
    now,
    onMoved,
    dryRun = false,
  }: { now: Date; onMoved?: (name: string, rows: number) => void; dryRun?: boolean },
): Promise<void> => {
  const done: { id: string; rows: number; at: string }[] = []
  for (const each of moves) {
    if (await movesIn(store).get(each.name)) continue
    const indexes = indexesOf(each.from)
    const old = store.collection<Stored>(each.from, indexes)
    let moved = 0
    for (let after: string | undefined = ''; after !== undefined; ) {
      const { rows, next }: { rows: Stored[]; next: string | undefined } = await old.find({
        index: indexes[0]?.name ?? '',
        limit: 500,
        ...(after !== '' && { after }),
      })
      for (const row of rows)
        if (!each.isMoved?.(row) && (dryRun || (await moveRow(store, each, row.id)))) moved++
      after = next
    }
    done.push({ id: each.name, rows: moved, at: now.toISOString() })
    if (moved > 0) onMoved?.(each.name, moved)
  }
  if (done.length > 0 && !dryRun)
    await store.transaction(async tx => {
      for (const row of done) await movesIn(tx).put(row)
    })
}
