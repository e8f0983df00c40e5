/** One entry of `Accept-Payment`: a method and an intent of the `Payment` scheme, `*` for any, and how much it is liked. */
type Preference = { method: string; intent: string; q: number }

const entryPattern = /^([\w.*-]{1,40})\/([\w.*-]{1,40})(?:\s*;\s*q=(0(?:\.\d{1,3})?|1(?:\.0{1,3})?))?$/i

/** Parses `Accept-Payment` (`lightning/charge, evm/*;q=0.5`). Nothing where it is absent, or cannot be read. */
const parseAcceptPayment = (text: string | undefined): Preference[] => {
  const preferences: Preference[] = []
  for (const entry of text?.slice(0, 1_000).split(',') ?? []) {
    const [, method, intent, q = '1'] = entryPattern.exec(entry.trim()) ?? []
    if (method === undefined || intent === undefined) return []
    preferences.push({ method: method.toLowerCase(), intent: intent.toLowerCase(), q: Number(q) })
  }
  return preferences
}

const matches = (asked: string, offered: string): boolean => asked === '*' || asked === offered

const precision = ({ method, intent }: Preference): number => Number(method !== '*') + Number(intent !== '*')

/** The most exact entry decides, so that `tempo/charge;q=0` overrides a wildcard. */
const quality = (preferences: readonly Preference[], method: string, intent: string): number =>
  preferences
    .filter(asked => matches(asked.method, method) && matches(asked.intent, intent))
    .reduce<Preference | undefined>(
      (best, asked) => (best && precision(best) >= precision(asked) ? best : asked),
      undefined,
    )?.q ?? 0

/**
 * What a client that sends `Accept-Payment` can pay, its favourite first; all of it where it says nothing, or accepts none: then it may
 * still learn what there is. `read` tells method and intent of an item; what has none is of another scheme.
 */
export const toAccepted = <Item>(
  items: readonly Item[],
  header: string | undefined,
  read: (item: Item) => { method: string; intent: string } | undefined,
): readonly Item[] => {
  const preferences = parseAcceptPayment(header)
  if (preferences.length === 0) return items
  const ranked = items
    .map(item => {
      const { method, intent } = read(item) ?? {}
      return { item, q: method && intent ? quality(preferences, method, intent) : 0 }
    })
    .filter(({ q }) => q > 0)
    .sort((one, other) => other.q - one.q)
  return ranked.length > 0 ? ranked.map(({ item }) => item) : items
}
