import { credits } from '../../mcp/payment/ledger/amount.ts'
import { audit } from '../../mcp/payment/ledger/audit.ts'
import { openLedger } from '../../mcp/payment/ledger/index.ts'
import { openPostgres } from '../../store/postgres/open.ts'
import { contest } from '../contestant.ts'
import { watchGaps } from '../gaps.ts'
import { type ObservedStore, openObserved } from '../observed.ts'
import { writeFor } from '../writing.ts'

type Place = { dir: string } | { url: string }

/** Our ledger on the embedded store or on PostgreSQL, in a process of its own. */
let handle: ObservedStore | undefined
let last = 0
const ledger = openLedger()

const current = (): ObservedStore => {
  if (!handle) throw new Error('no store is open')
  return handle
}

const openPlace = async (place: Place): Promise<ObservedStore> => {
  if ('dir' in place) return openObserved(place.dir)
  return { store: await openPostgres({ url: place.url }), checkpoints: [], gaps: watchGaps() }
}

const move = (from: 'world:in' | `user:${number}`, to: 'house:fees' | `user:${number}`, value: bigint) => {
  last++
  const entry = {
    id: `entry-${last}`,
    unit: 'credit' as const,
    memo: 'a fee',
    postings: [
      { account: from, amount: credits(-value) },
      { account: to, amount: credits(value) },
    ],
  }
  return current().store.transaction(tx => ledger.post(tx, entry))
}

contest(
  undefined,
  {
    /** Opens an empty folder or database and gives credits to so many accounts. */
    open: async ({ accounts, ...place }: Place & { accounts: number }) => {
      handle = await openPlace(place)
      await Promise.all(
        Array.from({ length: accounts }, (_, n) => move('world:in', `user:${n}`, 1_000_000_000n)),
      )
    },
    /** Each entry takes a fee from an account at random; all pay to the same one. */
    write: ({ accounts, ...asked }: { accounts: number; writers: number; ms: number; until: number }) => {
      const { checkpoints, gaps } = current()
      const fee = () => move(`user:${Math.floor(Math.random() * accounts)}`, 'house:fees', 1n)
      return writeFor(fee, asked, checkpoints, gaps)
    },
    /** Throws when the balances are not what the journal says. */
    audit: async () => {
      const { entries, faults } = await audit(current().store)
      if (faults.length > 0) throw new Error(`the ledger is wrong: ${faults.slice(0, 3).join('; ')}`)
      return entries
    },
  },
  async () => {
    await handle?.store.close()
    handle?.gaps.stop()
  },
)
