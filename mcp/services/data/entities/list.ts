import type { Span } from './span.ts'

/** Entries listed of each kind; all are counted. */
export const mostListed = 1000

/**
 * The entries as they are shown: each distinct value once, at its first place and with the number of its places, or every
 * occurrence. `count` is that of all entries, listed or not.
 */
export const listed = <T extends Span & { key: string }>(found: readonly T[], each: boolean) => {
  const show = ({ key: _, ...entry }: T) => ({ ...entry, occurrences: 1 })
  if (each) return { count: found.length, entries: found.slice(0, mostListed).map(show) }
  const entries = new Map<string, ReturnType<typeof show>>()
  const others = new Set<string>()
  for (const one of found) {
    const known = entries.get(one.key)
    if (known) known.occurrences++
    else if (entries.size < mostListed) entries.set(one.key, show(one))
    else others.add(one.key)
  }
  return { count: entries.size + others.size, entries: [...entries.values()] }
}
