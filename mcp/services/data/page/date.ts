/** A date as ISO 8601 UTC where it names its day in full; null for other spellings. */
export const isoOf = (raw: string | null): string | null => {
  if (raw === null || !/^\d{4}-\d{2}-\d{2}(?:$|[T ]\d{2}:\d{2})/.test(raw)) return null
  const date = new Date(raw)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}
