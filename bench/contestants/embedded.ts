import type { Tx } from '../../store/index.ts'
import { contest } from '../contestant.ts'
import { indexes, makeNote, type Note, toId } from '../documents.ts'
import { type ObservedStore, openObserved } from '../observed.ts'
import { writeFor } from '../writing.ts'

/** Our embedded store in a process of its own. */
let handle: ObservedStore | undefined

const current = (): ObservedStore => {
  if (!handle) throw new Error('no store is open')
  return handle
}

let isIndexed = false
const openNotes = (tx: Tx) => tx.collection<Note>('bench.note', isIndexed ? indexes : [])
const notes = () => openNotes(current().store)

const seed = async ({ documents }: { documents: number }) => {
  const { store } = current()
  const batch = 500
  for (let from = 0; from < documents; from += batch)
    await store.transaction(async tx => {
      const rows = openNotes(tx)
      for (let number = from; number < Math.min(from + batch, documents); number++)
        await rows.put(makeNote(number, number))
    })
}

type Asked = { dir: string; checkpointAt?: number; indexed?: boolean }

contest(
  undefined,
  {
    /** Opens a folder and answers one read by id and of each index: only then can a service begin. Milliseconds. */
    open: async ({ dir, checkpointAt, indexed = false }: Asked) => {
      const began = performance.now()
      isIndexed = indexed
      handle = await openObserved(dir, checkpointAt)
      await notes().get(toId(0))
      if (indexed) {
        await notes().find({ index: 'owner', where: { owner: 'owner-7' }, limit: 1 })
        await notes().find({ index: 'at', order: 'desc', limit: 1 })
      }
      return performance.now() - began
    },
    seed,
    write: ({ documents, ...asked }: { documents: number; writers: number; ms: number; until: number }) => {
      const { checkpoints, gaps } = current()
      const rows = notes()
      const put = (at: number) => rows.put(makeNote(Math.floor(Math.random() * documents), at))
      return writeFor(put, asked, checkpoints, gaps)
    },
    /** Waits for a checkpoint that is due or under way. */
    checkpointed: async () => {
      const { checkpoints } = current()
      while (checkpoints.length === 0) await new Promise(resolve => setTimeout(resolve, 20))
    },
    close: async () => {
      await handle?.store.close()
      handle?.gaps.stop()
      handle = undefined
    },
  },
  () => handle?.store.close(),
)
