/** Each of some things once, by its key; things without a key are all kept. */
export const unique = <T>(
  things: readonly T[],
  toKey: (thing: T) => string | undefined,
): { kept: T[]; duplicates: number } => {
  const keys = new Set<string>()
  const distinct = things.filter(thing => {
    const key = toKey(thing)
    if (key === undefined) return true
    const isNew = !keys.has(key)
    keys.add(key)
    return isNew
  })
  return { kept: distinct, duplicates: things.length - distinct.length }
}
