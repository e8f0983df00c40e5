import type { TextSpan } from '../../../lib/text/amount/span.ts'

/** Entries listed of each kind; all are counted. */
export const maxListed = 1000

/**
 * The entries as they are shown: each distinct value once, at its first place and with the number of its places, or every
 * occurrence. `count` is that of all entries, listed or not.
 */
export const toEntityList = <T extends TextSpan & { key: string }>(spans: readonly T[], each: boolean) => {
  const show = ({ key: _, ...entry }: T) => ({ ...entry, occurrences: 1 })
  if (each) return { count: spans.length, entries: spans.slice(0, maxListed).map(show) }
  const entries = new Map<string, ReturnType<typeof show>>()
  const others = new Set<string>()
  for (const one of spans) {
    const entry = entries.get(one.key)
    if (entry) entry.occurrences++
    else if (entries.size < maxListed) entries.set(one.key, show(one))
    else others.add(one.key)
  }
  return { count: entries.size + others.size, entries: [...entries.values()] }
}
