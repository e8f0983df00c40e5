import type { Account } from '../../mcp/payment/ledger/account.ts'

type Postings = readonly { account: Account; value: bigint }[]

type Hold = { account: Account; value: bigint; until: number; state: 'held' | 'captured' | 'released' }

/** What a verb of the ledger answers, or the code or name of what it throws. */
export type Outcome = string

/**
 * The ledger as its documentation has it, with none of its code: every balance is added up anew from the entries. It
 * has one unit. `copy` is the state to go back to.
 */
export type Model = {
  post(id: string, postings: Postings): Outcome
  hold(id: string, account: Account, value: bigint, until: number): Outcome
  capture(id: string, to: Account, value: bigint): Outcome
  release(id: string): Outcome
  total(account: Account): bigint
  held(account: Account): bigint
  entries(): number
  copy(): Model
}

export const makeModel = (
  now: () => number,
  entries = new Map<string, Postings>(),
  holds = new Map<string, Hold>(),
): Model => {
  const total = (account: Account): bigint =>
    [...entries.values()]
      .flat()
      .filter(posting => posting.account === account)
      .reduce((sum, { value }) => sum + value, 0n)
  const held = (account: Account): bigint =>
    [...holds.values()]
      .filter(hold => hold.account === account && hold.state === 'held' && hold.until > now())
      .reduce((sum, { value }) => sum + value, 0n)
  const free = (account: Account): boolean => account.startsWith('house:') || account.startsWith('world:')
  const text = (postings: Postings): string =>
    postings
      .map(({ account, value }) => `${account} ${value}`)
      .sort()
      .join()

  return {
    total,
    held,
    entries: () => entries.size,
    copy: () =>
      makeModel(now, new Map(entries), new Map([...holds].map(([id, hold]) => [id, { ...hold }] as const))),
    post: (id, postings) => {
      const before = entries.get(id)
      if (before) return text(before) === text(postings) ? 'duplicate' : 'conflict'
      for (const { account, value } of postings)
        if (value < 0n && !free(account) && total(account) - held(account) + value < 0n) return 'insufficient'
      entries.set(id, postings)
      return 'posted'
    },
    hold: (id, account, value, until) => {
      const before = holds.get(id)
      if (before) return before.account === account && before.value === value ? 'duplicate' : 'conflict'
      if (total(account) - held(account) < value) return 'insufficient'
      holds.set(id, { account, value, until, state: 'held' })
      return 'held'
    },
    capture: (id, to, value) => {
      const hold = holds.get(id)
      if (!hold) return 'not_found'
      if (hold.state !== 'held') return 'conflict'
      if (hold.until <= now()) return 'gone'
      if (value > hold.value) return 'conflict'
      hold.state = 'captured'
      entries.set(`capture:${id}`, [
        { account: hold.account, value: -value },
        { account: to, value },
      ])
      return 'done'
    },
    release: id => {
      const hold = holds.get(id)
      if (!hold) return 'not_found'
      if (hold.state !== 'held') return 'conflict'
      if (hold.until > now()) hold.state = 'released'
      return 'any'
    },
  }
}
