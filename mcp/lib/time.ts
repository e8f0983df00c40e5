/** Milliseconds of a day. */
export const dayMs = 86_400_000

/**
 * A date as ISO 8601 UTC where it names its day in full; null for other spellings, and for days that do not exist. A time
 * without a zone counts as UTC, wherever this runs.
 */
export const toIsoUtc = (raw: string | null): string | null => {
  const [, day, hasTime, zone] =
    /^(\d{4}-\d{2}-\d{2})(?:$|([T ]\d{2}:\d{2})[\d:.,]*\s*([+-]\d{2}:?\d{2}|[a-z]{1,5})?)/i.exec(raw ?? '') ??
    []
  if (raw === null || day === undefined) return null
  const midnight = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== day) return null
  const date = new Date(hasTime && !zone ? `${raw.trim()}Z` : raw)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

/** Hours east of Greenwich of the zone names on which feeds and registries agree. */
export const zoneHours: Readonly<Record<string, number>> = {
  utc: 0,
  gmt: 0,
  z: 0,
  wet: 0,
  west: 1,
  bst: 1,
  cet: 1,
  cest: 2,
  eet: 2,
  eest: 3,
  msk: 3,
  ist: 5.5,
  ict: 7,
  hkt: 8,
  jst: 9,
  kst: 9,
  brt: -3,
  art: -3,
  ast: -4,
  edt: -4,
  est: -5,
  pdt: -7,
  pst: -8,
}
