import { collection, withClient } from '../kernel/collection.ts'
import { findPerson } from '../kernel/person.ts'
import type { KeyHolder } from '../ports/keys/port.ts'
import type { Store } from '../ports/store/port.ts'
import { accountsIn } from './account.ts'
import type { AccountPart } from './deps.ts'

/** One call as the person sees it for whom it was made: what was called, by which client, and what came of it. Nothing that was sent or answered. */
export type OwnCall = {
  /** Rises with each call of the account. */
  number: number
  at: string
  service: string
  tool: string
  channel: string
  /** Name of the client, a stranger's words; null for a key of the service. */
  client: string | null
  /** Price in its own unit, `0.10 usd`; null where the call ended before it had one. */
  price: string | null
  /** `ok`, or the code of the refusal. */
  code: string
  reason: string | null
  ms: number
  receipt: string | null
}

type Row = OwnCall & { id: string; account: string }

/** Calls that an account keeps: the newest take the places of the oldest. */
const places = 200

const callsIn = collection<Row>({
  name: 'accounts.calls',
  indexes: [{ name: 'account', fields: ['account', 'number'] }],
  budget: {
    what: 'calls of people',
    owner: row => row.account,
    each: { rows: places, bytes: places << 10 },
    network: { rows: 20_000, bytes: 20 << 20 },
    allBytes: 64 << 20,
    ends: `Each account keeps its last ${places} calls.`,
  },
})

const countsIn = collection<{ id: string; calls: number }>({
  name: 'accounts.call_counts',
  bounded: 'One for each account.',
})

/** What a call leaves behind, as the log has it. */
type CallNote = {
  service: string
  tool: string
  channel: string
  caller: string | undefined
  person?: { account: string; client: string } | undefined
  payer?: string | undefined
  address?: string
  price: { amount: string; unit: string } | undefined
  receipt: string | undefined
  ms: number
  code: string
  reason?: string | undefined
}

type Waiting = {
  account: string | undefined
  holder: KeyHolder
  address: string
  calls: Omit<OwnCall, 'number'>[]
}

/** How long calls wait to be written: what comes meanwhile is one transaction for each person. */
const writeMs = 5000

/** Callers whose calls wait; those of more are not noted. */
const maxWaiting = 2000

type Options = {
  store: Store
  now(): Date
  /** Prefix of the keys of a service. */
  prefixOf(service: string): string
}

export type Activity = {
  /** Takes a call down, to be written later: no call waits for it. */
  note(call: CallNote): void
  /** The last calls of an account, the newest first. */
  list(account: string): Promise<OwnCall[]>
  /** Its place in the export and the deletion of an account. */
  part: AccountPart
  /** Writes what waits. */
  close(): Promise<void>
}

const toOwnCall = (
  { caller: _, person, address: __, price, receipt, reason, ...call }: CallNote,
  at: Date,
): Omit<OwnCall, 'number'> => ({
  at: at.toISOString(),
  service: call.service,
  tool: call.tool,
  channel: call.channel,
  client: person?.client.slice(0, 60) ?? null,
  price: price === undefined ? null : `${price.amount} ${price.unit}`,
  code: call.code,
  reason: reason ?? null,
  ms: Math.round(call.ms * 10) / 10,
  receipt: receipt ?? null,
})

const readAll = async (tx: Pick<Store, 'collection'>, account: string): Promise<Row[]> => {
  const query = { index: 'account', where: { account }, order: 'desc', limit: places } as const
  return (await callsIn(tx).find(query)).rows
}

/**
 * The last calls of each person over all transports, written behind: calls wait in memory for some seconds and none becomes a commit of
 * its own. What a crash takes are seconds of this record; money has its own.
 */
export const openActivity = ({ store, now, prefixOf }: Options): Activity => {
  let waiting = new Map<string, Waiting>()
  let writing: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  const write = async ({ holder, address, calls, ...known }: Waiting): Promise<void> => {
    const account = known.account ?? (await findPerson(store, holder))
    if (account === undefined) return
    await withClient(store, address).transaction(async tx => {
      // Whoever deleted the account in these seconds leaves nothing behind.
      if (!(await accountsIn(tx).get(account))) return
      const before = (await countsIn(tx).get(account))?.calls ?? 0
      await countsIn(tx).put({ id: account, calls: before + calls.length })
      for (const [at, call] of calls.entries()) {
        const number = before + at
        await callsIn(tx).put({ ...call, id: `${account} ${number % places}`, account, number })
      }
    })
  }

  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const batch = waiting
    waiting = new Map()
    writing = writing.then(async () => {
      // A full budget, or a store that is away, costs a person this record and no call anything.
      for (const one of batch.values()) await write(one).catch(() => undefined)
    })
    return writing
  }

  const list = async (account: string): Promise<OwnCall[]> => {
    await flush()
    return (await readAll(store, account)).map(({ id: _, account: __, ...call }) => call)
  }

  return {
    note(call) {
      const { person, caller, payer, service, address = '' } = call
      // A stranger's call is a person's where the wallet that paid it signs in to an account.
      const name = caller ?? payer
      if (person === undefined && name === undefined) return
      const key = person === undefined ? `${service} ${name}` : person.account
      const before = waiting.get(key)
      if (!before && waiting.size >= maxWaiting) return
      const holder = { prefix: prefixOf(service), holder: name ?? '' }
      const one = before ?? { account: person?.account, holder, address, calls: [] }
      one.calls.push(toOwnCall(call, now()))
      if (one.calls.length > places) one.calls.shift()
      waiting.set(key, one)
      timer ??= setTimeout(flush, writeMs).unref()
    },
    list,
    part: {
      name: 'calls',
      read: list,
      async remove(tx, account) {
        for (const { id } of await readAll(tx, account)) await callsIn(tx).delete(id)
        await countsIn(tx).delete(account)
      },
    },
    close: flush,
  }
}
