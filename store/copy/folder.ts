import { Low } from 'lowdb'
import { checkpointAdapter } from '../embedded/checkpoint.ts'
import { files, journalNumber, logNumber } from '../embedded/files.ts'
import { lock } from '../embedded/lock.ts'
import { checkMarks, writeMark } from '../embedded/marks.ts'
import { nodeDisk } from '../embedded/node-disk.ts'
import { recover } from '../embedded/recovery.ts'
import { openSlices } from '../embedded/slices.ts'
import { emptyState, ensureTable, restoreInto, type State } from '../embedded/state.ts'
import { entriesAfter } from '../embedded/topics.ts'
import { StoreFailure } from '../index.ts'
import type { Content } from './content.ts'

const pageSize = 500

const adapterIn = (dir: string, now: () => Date) =>
  checkpointAdapter({
    disk: nodeDisk,
    dir,
    now,
    lsn: () => 0,
    settled: async () => undefined,
    failures: () => 0,
    slices: openSlices(),
  })

async function* toPages<T>(items: Iterable<T>): AsyncGenerator<T[]> {
  let page: T[] = []
  for (const item of items) {
    page.push(item)
    if (page.length < pageSize) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

async function* entriesIn({ logs, topics }: State) {
  for (const topic of topics.values())
    for (let after = 0; ; ) {
      const page = await entriesAfter(logs, topic, after, pageSize)
      after = page.at(-1)?.at ?? after
      if (page.length === 0) break
      yield page.map(({ payload, ...entry }) => ({ ...entry, text: JSON.stringify(payload) }))
    }
}

/** The content of a state that does not change meanwhile; claims that are over at `now` are none. */
const toContent = (state: State, now: number): Content => ({
  async *collections() {
    for (const [name, { declared, indexes, rows }] of state.tables) {
      const all = declared ?? indexes
      if (all.length > 0 || rows.size() > 0) yield { name, indexes: all }
    }
  },
  async *rows(collection) {
    const rows = state.tables.get(collection)?.rows ?? []
    for await (const page of toPages(rows)) yield page.map(([id, text]) => ({ id, text }))
  },
  async *claims() {
    for await (const page of toPages(state.claims)) {
      const valid = page.filter(([, until]) => until > now)
      yield valid.map(([key, until]) => ({ key, until }))
    }
  },
  entries: () => entriesIn(state),
})

const closeFiles = async ({ archive, logs }: State): Promise<void> => {
  await archive.close()
  await logs.close()
}

/**
 * Reads a store's folder and changes nothing in it; the last commit that its files hold comes with it. Archived documents are
 * read as they are asked for, until `release`.
 */
export const readFolder = async (
  dir: string,
  now: Date,
): Promise<{ content: Content; commit: number; release(): Promise<void> }> => {
  const adapter = adapterIn(dir, () => now)
  const low = new Low(adapter, emptyState())
  try {
    const { lsn } = await recover(nodeDisk, dir, low, () => adapter.facts, openSlices())
    return { content: toContent(low.data, now.getTime()), commit: lsn, release: () => closeFiles(low.data) }
  } catch (error) {
    await closeFiles(low.data)
    throw error
  }
}

/** Takes a store's folder, so that no server opens it meanwhile; refuses one that holds half a store or has moved. */
export const takeFolder = async (dir: string): Promise<{ release(): Promise<void> }> => {
  const release = await lock(nodeDisk, dir)
  try {
    await checkMarks(nodeDisk, dir)
    return { release }
  } catch (error) {
    await release()
    throw error
  }
}

/** Notes in a folder that its store goes on elsewhere: no server opens it from then on. */
export const markMoved = (dir: string, place: string): Promise<void> =>
  writeMark(nodeDisk, dir, files.moved(dir), place)

/** A folder that is to hold a store, marked as incomplete until `complete`. */
export type FolderTarget = {
  fill(content: Content, now: Date): Promise<void>
  complete(): Promise<void>
  release(): Promise<void>
}

const copyInto = async (state: State, content: Content): Promise<void> => {
  const target = restoreInto(state)
  for await (const { name, indexes } of content.collections()) {
    if (indexes.length > 0) target.indexes(name, indexes)
    const { rows } = ensureTable(state, name)
    for await (const page of content.rows(name)) for (const { id, text } of page) rows.set(id, text)
  }
  for await (const page of content.claims()) for (const { key, until } of page) target.claim(key, until)
  for await (const page of content.entries())
    for (const { topic, at, time, text } of page) {
      target.skip(topic, at - 1)
      target.append(topic, at, `{"time":${JSON.stringify(time)},"payload":${text}}`)
    }
}

/** Prepares a folder for the copy of `place`. Throws a StoreFailure where it holds a store already; an incomplete one is begun anew. */
export const prepareFolder = async (dir: string, place: string): Promise<FolderTarget> => {
  await nodeDisk.makeDir(dir)
  const release = await lock(nodeDisk, dir)
  try {
    const names = await nodeDisk.list(dir)
    const isIncomplete = names.includes('incomplete')
    const holds = names.filter(
      name => name === 'checkpoint.jsonl' || (journalNumber(name) ?? logNumber(name)) !== undefined,
    )
    if (holds.length > 0 && !isIncomplete)
      throw new StoreFailure(`${dir} holds a store already: give a folder that is empty.`)
    await writeMark(nodeDisk, dir, files.incomplete(dir), place)
    for (const name of holds) await nodeDisk.remove(`${dir}/${name}`)
  } catch (error) {
    await release()
    throw error
  }
  return {
    async fill(content, now) {
      const state = emptyState()
      await copyInto(state, content)
      await adapterIn(dir, () => now)
        .write(state)
        .finally(() => closeFiles(state))
    },
    async complete() {
      await nodeDisk.remove(files.incomplete(dir))
      await nodeDisk.syncDir(dir)
    },
    release,
  }
}
