import { z } from 'zod'
import { collection } from '../../../kernel/collection.ts'
import type { Tx } from '../../../ports/store/port.ts'
import { addressOf } from '../account/account.ts'

/** Word of a publisher for a worker, by a test that was passed or by hand. */
export type Badge = {
  /** `<publisher> <address of the worker> <badge>` */
  id: string
  publisher: string
  /** Address of the worker: a wallet holds it on every chain. */
  address: string
  badge: string
  at: string
}

export const badgesIn = collection<Badge>({
  name: 'tasks.badges',
  indexes: [{ name: 'address', fields: ['address', 'publisher', 'badge'] }],
  budget: {
    what: 'badges of workers',
    owner: ({ publisher }) => publisher,
    each: { rows: 5000, bytes: 2 << 20 },
    network: { rows: 5000, bytes: 2 << 20 },
    allBytes: 32 << 20,
    ends: 'They stay until their publisher takes them back.',
  },
})

export const badgeName = z
  .string()
  .trim()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,39}$/u, '1 to 40 letters, digits, spaces, points or hyphens')

const badgeId = (publisher: string, worker: string, badge: string): string =>
  `${publisher} ${addressOf(worker)} ${badge.toLowerCase()}`

export const hasBadge = async (tx: Tx, publisher: string, worker: string, badge: string): Promise<boolean> =>
  (await badgesIn(tx).get(badgeId(publisher, worker, badge))) !== undefined

/** Gives a worker a badge of a publisher's; one that it holds stays as it is. */
export const grantBadge = async (
  tx: Tx,
  { publisher, worker, badge, now }: { publisher: string; worker: string; badge: string; now: Date },
): Promise<void> => {
  const id = badgeId(publisher, worker, badge)
  if (await badgesIn(tx).get(id)) return
  await badgesIn(tx).put({ id, publisher, address: addressOf(worker), badge, at: now.toISOString() })
}

export const revokeBadge = (tx: Tx, publisher: string, worker: string, badge: string) =>
  badgesIn(tx).delete(badgeId(publisher, worker, badge))

/** Names of the badges that a worker holds of a publisher, 50 at most. */
export const listBadges = async (tx: Tx, worker: string, publisher: string): Promise<string[]> => {
  const where = { address: addressOf(worker), publisher }
  return (await badgesIn(tx).find({ index: 'address', where, limit: 50 })).rows.map(({ badge }) => badge)
}
