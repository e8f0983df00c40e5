const two = (value: string) => value.padStart(2, '0')

const withMark =
  /^(?:,|;)?(?:\s+(?:at|um|gegen|ab|à|a las|a la|alle(?: ore)?|ore|om|às|as|@))?(?:\s+|T)(\d{1,2})(?::(\d{2})(?::(\d{2}))?|[hH](\d{2})?(?![\p{L}\d])|\.(\d{2})(?=\s?(?:Uhr|uur|h\b|am|pm|a\.m|p\.m)))?(\s?(?:a\.?m\.?|p\.?m\.?|Uhr|uur|heures?|horas?|h|ore)(?![\p{L}]))?/iu

export type TimeOfDay = { hour: string; minute: string; second: string | undefined; length: number }

/**
 * The time of day that follows a date, if any. A number is an hour only with a colon, an h, am, pm, "Uhr", "uur" or a word
 * like them: "22 November 14 people" holds none.
 */
export const readTimeAfter = (rest: string): TimeOfDay | undefined => {
  const match = withMark.exec(rest)
  if (!match) return undefined
  const [, hours = '', colon, second, afterH, afterDot, mark = ''] = match
  const hasH = /\d[hH]/.test(match[0])
  if (colon === undefined && !hasH && mark === '') return undefined
  const half = /p/i.test(mark) ? 12 : 0
  const isHalf = /[ap]\.?m/i.test(mark)
  const hour = isHalf ? (Number(hours) % 12) + half : Number(hours)
  const minute = colon ?? afterH ?? afterDot ?? '00'
  if (hour > 23 || Number(minute) > 59 || Number(second ?? 0) > 60) return undefined
  return { hour: two(String(hour)), minute, second, length: match[0].length }
}
