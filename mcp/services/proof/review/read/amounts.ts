const seconds: Readonly<Record<string, number>> = {
  ms: 0.001,
  millis: 0.001,
  s: 1,
  sec: 1,
  secs: 1,
  second: 1,
  seconds: 1,
  m: 60,
  min: 60,
  mins: 60,
  minute: 60,
  minutes: 60,
  h: 3600,
  hr: 3600,
  hour: 3600,
  hours: 3600,
  d: 86_400,
  day: 86_400,
  days: 86_400,
  w: 604_800,
  week: 604_800,
  weeks: 604_800,
  month: 2_592_000,
  months: 2_592_000,
  y: 31_536_000,
  year: 31_536_000,
  years: 31_536_000,
}

/** A number with what it counts: seconds for every span of time, else the unit as it is written. */
export type MeasuredAmount = { size: number; unit: string }

/** Reads `25.0`, `30s`, `10_000`, `5 %`, `2 weeks`; undefined for what is no amount. */
export const parseQuantity = (value: string): MeasuredAmount | undefined => {
  const [, digits, unit = ''] =
    /^(-?\d[\d_,]{0,18}(?:\.\d{1,9})?)\s?([a-z%°]{0,8})$/i.exec(value.trim()) ?? []
  if (digits === undefined) return undefined
  const size = Number(digits.replace(/[_,]/g, ''))
  const scale = Object.hasOwn(seconds, unit.toLowerCase()) ? seconds[unit.toLowerCase()] : undefined
  return scale === undefined ? { size, unit: unit.toLowerCase() } : { size: size * scale, unit: 'seconds' }
}

/** How many times as much the second is, where both count the same and the first is more than nothing. */
export const growth = (before: string, after: string): number | undefined => {
  const [was, is] = [parseQuantity(before), parseQuantity(after)]
  if (!was || !is || was.unit !== is.unit || was.size <= 0 || is.size < 0) return undefined
  return is.size / was.size
}

/** A value by which a bound no longer bounds. */
export const isBoundless = (value: string): boolean =>
  /^(?:0(?:\.0+)?|-1|unlimited|infinit[ey]|inf|none|null|~|never|off|false|disabled?|no|9{5,12})$/i.test(
    value.trim(),
  )
