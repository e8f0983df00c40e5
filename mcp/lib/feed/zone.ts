import * as z from 'zod'
import { factTable } from '../facts.ts'
import { zoneHours } from '../time.ts'

/** Hours east of Greenwich by the names that feeds write, beside the American ones of RFC 822. */
const hours = factTable(
  new URL('./data/zones.json', import.meta.url),
  z.record(z.string(), z.number()).transform(own => new Map(Object.entries({ ...zoneHours, ...own }))),
)

/**
 * Minutes east of Greenwich for `+0200`, `-05:00`, `GMT+2`, `EST`, `Etc/GMT`. A name that nobody knows counts as UTC, as
 * feed readers take it; null for what is no zone at all.
 */
export const parseOffset = (zone: string): number | null => {
  const name = zone.toLowerCase().replace(/^etc\//, '')
  const [, , sign, hour = '', minute = '0'] =
    /^(gmt|utc)?([+-])(\d{1,2})(?::?(\d{2}))?$/.exec(name.replace('\u2212', '-')) ?? []
  if (sign) return (Number(hour) * 60 + Number(minute)) * (sign === '-' ? -1 : 1)
  if (!/^[a-z]{1,5}$|^[a-z]+\/[a-z_]+$/.test(name)) return null
  return (hours().get(name) ?? 0) * 60
}
