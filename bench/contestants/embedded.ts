import type { Tx } from '../../store/index.ts'
import { contest } from '../contestant.ts'
import { idOf, indexes, type Note, noteOf } from '../documents.ts'
import { type Opened, openObserved } from '../observed.ts'
import { writeFor } from '../writing.ts'

/** Our embedded store in a process of its own. */
let opened: Opened | undefined

const current = (): Opened => {
  if (!opened) throw new Error('no store is open')
  return opened
}

let isIndexed = false
const notesOf = (tx: Tx) => tx.collection<Note>('bench.note', isIndexed ? indexes : [])
const notes = () => notesOf(current().store)

const seed = async ({ documents }: { documents: number }) => {
  const { store } = current()
  const batch = 500
  for (let from = 0; from < documents; from += batch)
    await store.transaction(async tx => {
      const rows = notesOf(tx)
      for (let number = from; number < Math.min(from + batch, documents); number++)
        await rows.put(noteOf(number, number))
    })
}

type Asked = { dir: string; checkpointAt?: number; indexed?: boolean }

contest(
  undefined,
  {
    /** Opens a folder and answers one read by id and of each index: only then can a service begin. Milliseconds. */
    open: async ({ dir, checkpointAt, indexed = false }: Asked) => {
      const started = performance.now()
      isIndexed = indexed
      opened = await openObserved(dir, checkpointAt)
      await notes().get(idOf(0))
      if (indexed) {
        await notes().find({ index: 'owner', where: { owner: 'owner-7' }, limit: 1 })
        await notes().find({ index: 'at', order: 'desc', limit: 1 })
      }
      return performance.now() - started
    },
    seed,
    write: ({ documents, ...asked }: { documents: number; writers: number; ms: number; until: number }) => {
      const { checkpoints, gaps } = current()
      const rows = notes()
      const put = (at: number) => rows.put(noteOf(Math.floor(Math.random() * documents), at))
      return writeFor(put, asked, checkpoints, gaps)
    },
    /** Waits for a checkpoint that is due or under way. */
    checkpointed: async () => {
      const { checkpoints } = current()
      while (checkpoints.length === 0) await new Promise(resolve => setTimeout(resolve, 20))
    },
    close: async () => {
      await opened?.store.close()
      opened?.gaps.stop()
      opened = undefined
    },
  },
  () => opened?.store.close(),
)
