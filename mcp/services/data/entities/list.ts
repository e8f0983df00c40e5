import type { Span } from './span.ts'

/** Entries listed of each kind; all are counted. */
export const mostListed = 1000

/**
 * The entries as they are shown: each distinct value once, at its first place and with the number of its places, or every
 * occurrence. `count` is that of all entries, listed or not.
 */
export const listed = <T extends Span & { key: string }>(found: readonly T[], each: boolean) => {
  const entries = new Map<string | number, Omit<T, 'key'> & { occurrences: number }>()
  for (const [index, { key, ...entry }] of found.entries()) {
    const known = each ? undefined : entries.get(key)
    if (known) known.occurrences++
    else entries.set(each ? index : key, { ...entry, occurrences: 1 })
  }
  return { count: entries.size, entries: [...entries.values()].slice(0, mostListed) }
}
