/** Each of some things once, by its key; things without a key are all kept. */
export const unique = <T>(
  things: readonly T[],
  keyOf: (thing: T) => string | undefined,
): { kept: T[]; duplicates: number } => {
  const seen = new Set<string>()
  const kept = things.filter(thing => {
    const key = keyOf(thing)
    if (key === undefined) return true
    const isNew = !seen.has(key)
    seen.add(key)
    return isNew
  })
  return { kept, duplicates: things.length - kept.length }
}
