import type { KeyHolder } from '../ports/keys/port.ts'
import type { Json, Tx } from '../ports/store/port.ts'
import { findPerson } from './person.ts'
import { topic } from './topic.ts'

/** What happened, as the inbox of a person has it: at which service, what, and about what. Ids only; the services tell the rest. */
export type InboxEvent = {
  service: string
  type: string
  /** Id of what it is about. */
  subject: string | null
  data: { readonly [field: string]: Json }
}

/** The log of what happened to a person, one for each. */
export const inboxEvents = topic({
  name: 'accounts.inbox',
  budget: {
    what: 'events of people',
    each: { rows: 6000, bytes: 3 << 20 },
    network: { rows: 30_000, bytes: 16 << 20 },
    allBytes: 128 << 20,
  },
})

/**
 * Tells the people whose accounts these are what happened, in the transaction in which it happens, each once. What is `isFunded` has money
 * behind it and counts as nothing.
 */
export const tellPeople = async (
  tx: Tx,
  accounts: readonly KeyHolder[],
  event: InboxEvent,
  options: { isFunded?: boolean } = {},
): Promise<void> => {
  const people = await Promise.all(accounts.map(account => findPerson(tx, account)))
  for (const person of new Set(people))
    if (person !== undefined) await inboxEvents.append(tx, person, event, options)
}
