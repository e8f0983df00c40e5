import { collection } from '../../kernel/collection.ts'
import { ToolError } from '../../kernel/error.ts'
import type { Clock } from '../clock/port.ts'
import type { Store } from '../store/port.ts'
import type { FileStorage, Files, PromisedFile, StoredFile } from './port.ts'
import { openRoom } from './room.ts'

/** That somebody has a file; the id is of both. */
type Reference = { id: string; sha256: string }

/** Bytes that nobody has any more. `removing` is until when somebody removes them; empty while nobody does. */
type Dropped = { id: string; since: string; removing: string }

const references = collection<Reference>({
  name: 'files.references',
  indexes: [{ name: 'content', fields: ['sha256'] }],
  bounded: 'One for each file that a row names; those rows have budgets.',
})

const droppedFiles = collection<Dropped>({
  name: 'files.dropped',
  indexes: [{ name: 'since', fields: ['since'] }],
  bounded: 'One for each file that nothing names any more, until it is removed.',
})

const toId = (sha256: string, owner: string): string => `${sha256} ${owner}`

/** How long one removal may take: after half of it no bytes are touched any more, after all of it others go on. */
const removalMs = 60_000

const beingRemoved = () =>
  new ToolError('conflict', 'The same bytes are being removed.', {
    reason: 'file_being_removed',
    hint: 'Repeat in a second.',
    retryAfter: 1,
  })

/**
 * Lets several owners have the same bytes: a record for each, and one for bytes that the last has left. Whoever removes them claims that
 * record first, so that nobody comes to have bytes that are about to go.
 */
export const withOwners = (
  storage: FileStorage,
  { store, clock, maxBytes }: { store: Store; clock: Clock; maxBytes: number },
): Files => {
  const { put, stat, read, direct, remove } = storage
  const room = openRoom({ clock, maxBytes })

  const receiveInRoom = async <file extends StoredFile | undefined>(
    { sha256, maxBytes: bytes }: PromisedFile,
    receive: () => Promise<file>,
  ): Promise<file> => {
    await store.transaction(tx => room.hold(tx, { sha256, bytes }))
    const file = await receive()
    if (file) await store.transaction(tx => room.take(tx, file))
    return file
  }

  /** Until when this process may remove the bytes; undefined where somebody has them, or another removes them. */
  const claimRemoval = (sha256: string): Promise<string | undefined> =>
    store.transaction(async tx => {
      const row = await droppedFiles(tx).get(sha256)
      const now = clock.now()
      if (!row || row.removing > now.toISOString()) return undefined
      const removing = new Date(now.getTime() + removalMs).toISOString()
      await droppedFiles(tx).put({ ...row, removing })
      return removing
    })

  const removeDropped = async (sha256: string): Promise<void> => {
    const removing = await claimRemoval(sha256)
    if (removing === undefined) return
    if (clock.now().getTime() + removalMs / 2 > Date.parse(removing)) return
    await remove(sha256)
    await store.transaction(async tx => {
      const row = await droppedFiles(tx).get(sha256)
      if (row?.removing !== removing) return
      await droppedFiles(tx).delete(sha256)
      await room.free(tx, sha256)
    })
  }

  let isCounted = false
  /** Gives its room to what was kept before room was counted. */
  const countFormer = async (signal?: AbortSignal): Promise<void> => {
    let after: string | undefined
    do {
      const { rows, next } = await references(store).find({
        index: 'content',
        limit: 100,
        ...(after !== undefined && { after }),
      })
      for (const { sha256 } of rows) {
        if (signal?.aborted) return
        if (await room.has(store, sha256)) continue
        const file = await stat(sha256)
        if (file) await store.transaction(tx => room.take(tx, file))
      }
      after = next
    } while (after !== undefined)
    isCounted = true
  }

  return {
    put: (chunks, file) => receiveInRoom(file, () => put(chunks, file)),
    stat,
    read,
    ...(direct && {
      direct: {
        ...direct,
        collect: (key, file) => receiveInRoom(file, () => direct.collect(key, file)),
      },
    }),

    async keep(tx, { sha256, bytes }, owner, hold) {
      const row = await droppedFiles(tx).get(sha256)
      if (row && row.removing > clock.now().toISOString()) throw beingRemoved()
      if (row) await droppedFiles(tx).delete(sha256)
      if (hold) await room.hold(tx, { sha256, bytes }, hold)
      else await room.take(tx, { sha256, bytes })
      await references(tx).put({ id: toId(sha256, owner), sha256 })
    },

    async release(tx, sha256, owner) {
      if (!(await references(tx).delete(toId(sha256, owner)))) return
      if ((await references(tx).count({ index: 'content', where: { sha256 } })) > 0) return
      await droppedFiles(tx).put({ id: sha256, since: clock.now().toISOString(), removing: '' })
    },

    async sweep(signal) {
      if (!isCounted) await countFormer(signal)
      while (!signal?.aborted && (await store.transaction(room.endHolds)));
      const faults: unknown[] = []
      let after: string | undefined
      do {
        const { rows, next } = await droppedFiles(store).find({
          index: 'since',
          limit: 100,
          ...(after !== undefined && { after }),
        })
        for (const { id } of rows) {
          if (signal?.aborted) return
          // One that cannot be removed now keeps none of the others.
          await removeDropped(id).catch(fault => faults.push(fault))
        }
        after = next
      } while (after !== undefined)
      if (faults.length > 0) throw faults[0]
    },
  }
}
