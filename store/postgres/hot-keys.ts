/** How long a row counts as fought for after the last conflict about it. */
const hotMs = 2000
const maxKeys = 10_000

type Fight = { by: symbol; at: number; hotUntil: number }

/** Remembers the rows that several transactions of this process fought for lately. */
export const openHotKeys = (now: () => number = () => performance.now()) => {
  const fights = new Map<string, Fight>()

  const note = (key: string, fight: Fight) => {
    fights.delete(key)
    fights.set(key, fight)
    const [oldest] = fights.keys()
    if (fights.size > maxKeys && oldest !== undefined) fights.delete(oldest)
  }

  return {
    /** A transaction that wrote these met a conflict. What only one of them touches, however often it is tried, is not hot. */
    fought(by: symbol, keys: Iterable<string>): void {
      const at = now()
      for (const key of keys) {
        const before = fights.get(key)
        const isShared = before !== undefined && before.by !== by && at - before.at < hotMs
        note(key, { by, at, hotUntil: isShared ? at + hotMs : (before?.hotUntil ?? 0) })
      }
    },
    /** There is a crowd at a row still, though nobody conflicts. */
    keepHot(key: string): void {
      const at = now()
      note(key, { by: fights.get(key)?.by ?? Symbol('lane'), at, hotUntil: at + hotMs })
    },
    isHot: (key: string): boolean => (fights.get(key)?.hotUntil ?? 0) > now(),
  }
}

export type HotKeys = ReturnType<typeof openHotKeys>
