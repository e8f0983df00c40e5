import { zoneHours } from '../time.ts'

/** Hours east of Greenwich. RFC 822 has the American ones; the others are what feeds write. */
const hours: Readonly<Record<string, number>> = {
  ...zoneHours,
  ut: 0,
  met: 1,
  mest: 2,
  mez: 1,
  mesz: 2,
  wib: 7,
  sgt: 8,
  awst: 8,
  acst: 9.5,
  aest: 10,
  acdt: 10.5,
  aedt: 11,
  nzst: 12,
  nzdt: 13,
  nst: -3.5,
  ndt: -2.5,
  adt: -3,
  at: -4,
  et: -5,
  cdt: -5,
  cst: -6,
  ct: -6,
  mdt: -6,
  mst: -7,
  mt: -7,
  pt: -8,
  akdt: -8,
  akst: -9,
  hst: -10,
  a: -1,
  m: -12,
  n: 1,
  y: 12,
}

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
  return (hours[name] ?? 0) * 60
}
