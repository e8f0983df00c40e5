import { onTestFinished } from 'vitest'
import type { Index, Store } from '../../store/index.ts'
import type { Engine } from './suite.ts'

/** Opens an empty store for the running test and closes it after. `reopen` closes it and opens the same place again. */
export const openStore = async (engine: Engine): Promise<{ store: Store; reopen(): Promise<Store> }> => {
  const place = await engine.place()
  let store = await place.open()
  onTestFinished(async () => {
    await store.close()
    await place.clean()
  })
  const reopen = async () => {
    await store.close()
    store = await place.open()
    return store
  }
  return { store, reopen }
}

/** Waits until `condition` holds; after ten seconds the test fails. */
export const eventually = async (condition: () => boolean): Promise<void> => {
  const end = Date.now() + 10_000
  while (!condition()) {
    if (Date.now() > end) throw new Error(`never came true: ${condition}`)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

/** A way to hold one piece of work until another one says go. */
export const gate = (): { whenOpen: Promise<void>; open(): void } => {
  let open = () => {}
  const whenOpen = new Promise<void>(resolve => {
    open = resolve
  })
  return { whenOpen, open }
}

export type Thing = {
  id: string
  a?: null | boolean | number | string
  b?: null | boolean | number | string
  text?: string
  title?: string
}

export const byA: Index = { name: 'by_a', fields: ['a'] }
export const byAB: Index = { name: 'by_a_b', fields: ['a', 'b'] }
export const uniqueAB: Index = { name: 'unique_a_b', fields: ['a', 'b'], unique: true }
export const inWords: Index = { name: 'in_words', fields: ['title', 'text'], words: true }
