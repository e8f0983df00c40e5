import { type CounterChange, countChanges, takeChanges, toClientDigest } from '../../kernel/allowance.ts'
import { collection } from '../../kernel/collection.ts'
import { ToolError } from '../../kernel/error.ts'
import { originOf, toNetwork } from '../../kernel/origin.ts'
import type { Clock } from '../clock/port.ts'
import type { Tx } from '../store/port.ts'
import type { StoredFile, UploadHold } from './port.ts'

/**
 * Bytes that have their room, once for each content. `until` is when the room of an announced upload ends; it is empty for what is kept
 * until it is removed. `holders` are whose announcement it is: an account and its network, as digests.
 */
type Content = { id: string; bytes: number; until: string; holders: string[] }

const contentsIn = collection<Content>({
  name: 'files.contents',
  indexes: [{ name: 'until', fields: ['until'] }],
  bounded:
    'One for each content of a file, announced or kept; all bytes together are within OCTAGENT_FILES_MAX_MB.',
})

/** How long an upload that has begun has its room. */
const receivingMs = 15 * 60_000

const full = (maxBytes: number) =>
  new ToolError('unavailable', `Files may take ${maxBytes} bytes here, and they do.`, {
    reason: 'files_full',
    hint: 'Try again later; the operator may raise OCTAGENT_FILES_MAX_MB.',
  })

const tooMuchAnnounced = ({ max }: CounterChange) =>
  new ToolError('too_many_requests', `Uploads that are announced here may have ${max.bytes} bytes.`, {
    reason: 'uploads_announced',
    hint: 'bytes: send what is announced, or wait until its addresses end.',
    retryAfter: receivingMs / 1000,
  })

/**
 * Bounds what files take, announced uploads with them: all together, and announced ones to a half, so that they keep nobody else from
 * bringing bytes; one account to an eighth and one network to a quarter. Counted in the transaction that writes, on every replica.
 */
export const openRoom = ({ clock, maxBytes }: { clock: Clock; maxBytes: number }) => {
  const toChanges = ({ bytes, until, holders }: Content, sign: 1 | -1): CounterChange[] => {
    const change = (id: string, share: number): CounterChange => ({
      id: `files ${id}`,
      rows: sign,
      bytes: sign * bytes,
      max: { rows: Number.POSITIVE_INFINITY, bytes: Math.floor(maxBytes / share) },
      full: id === 'all' ? 'all' : 'client',
    })
    const announced = [
      change('announced', 2),
      ...holders.map(holder => change(holder, holder.startsWith('account') ? 8 : 4)),
    ]
    return [change('all', 1), ...(until === '' ? [] : announced)]
  }

  const drop = async (tx: Tx, content: Content): Promise<void> => {
    await countChanges(tx, toChanges(content, -1))
    await contentsIn(tx).delete(content.id)
  }

  /** Ends the room of announced uploads whose addresses have ended. True where there may be more. */
  const endHolds = async (tx: Tx): Promise<boolean> => {
    const where = { until: { gt: '', lte: clock.now().toISOString() } }
    const { rows, next } = await contentsIn(tx).find({ index: 'until', where, limit: 100 })
    for (const row of rows) await drop(tx, row)
    return next !== undefined
  }

  const count = async (tx: Tx, before: Content | undefined, after: Content): Promise<void> => {
    if (before) await countChanges(tx, toChanges(before, -1))
    const changes = toChanges(after, 1)
    if (before && after.bytes <= before.bytes) return countChanges(tx, changes)
    let refused = await takeChanges(tx, changes)
    if (refused) {
      await endHolds(tx)
      refused = await takeChanges(tx, changes)
    }
    if (refused) throw refused.full === 'all' ? full(maxBytes) : tooMuchAnnounced(refused)
  }

  const put = async (tx: Tx, before: Content | undefined, after: Content): Promise<void> => {
    await count(tx, before, after)
    await contentsIn(tx).put(after)
  }

  return {
    /** Gives a content its room until it is removed. Throws `unavailable` where there is none. */
    async take(tx: Tx, { sha256, bytes }: StoredFile): Promise<void> {
      const before = await contentsIn(tx).get(sha256)
      if (before?.until !== '') await put(tx, before, { id: sha256, bytes, until: '', holders: [] })
    },

    /** Gives a content its room for a while. Throws `unavailable`, or `too_many_requests` where its share is used up. */
    async hold(tx: Tx, { sha256, bytes }: StoredFile, { until, account }: Partial<UploadHold> = {}) {
      const before = await contentsIn(tx).get(sha256)
      if (before?.until === '') return
      const end = (until ?? new Date(clock.now().getTime() + receivingMs)).toISOString()
      const client = originOf(tx)?.client
      const holders = [
        ...(account === undefined ? [] : [`account ${toClientDigest(account)}`]),
        ...(client === undefined ? [] : [`network ${toClientDigest(toNetwork(client))}`]),
      ]
      await put(tx, before, {
        id: sha256,
        bytes: Math.max(bytes, before?.bytes ?? 0),
        until: before && before.until > end ? before.until : end,
        holders: before?.holders ?? holders,
      })
    },

    /** Gives the room back of what was removed. */
    async free(tx: Tx, sha256: string): Promise<void> {
      const content = await contentsIn(tx).get(sha256)
      if (content) await drop(tx, content)
    },

    endHolds,
    has: async (tx: Pick<Tx, 'collection'>, sha256: string) =>
      (await contentsIn(tx).get(sha256)) !== undefined,
  }
}
