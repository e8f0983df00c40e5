import type { RegistryDate } from '../../../ports/rdap/port.ts'

const day = 86_400_000
const newDays = 30
const expiringDays = 30

/** Whole days since a date; 0 for one to come, null for an unknown one. */
export const daysSince = (date: RegistryDate | null, now: Date): number | null =>
  date?.at ? Math.max(0, Math.floor((now.getTime() - Date.parse(date.at)) / day)) : null

/** Whole days until a date; negative when it is past, null for an unknown one. */
export const daysUntil = (date: RegistryDate | null, now: Date): number | null =>
  date?.at ? Math.floor((Date.parse(date.at) - now.getTime()) / day) : null

type RegistrationFacts = { age_days: number | null; days_to_expiry: number | null; status: readonly string[] }

/** Points to look at in a registration, as codes. */
export const toFlags = ({
  age_days: ageDays,
  days_to_expiry: daysToExpiry,
  status,
}: RegistrationFacts): string[] => {
  const has = (...codes: string[]) => codes.some(code => status.includes(code))
  const flags: readonly [string, boolean][] = [
    ['new_domain', ageDays !== null && ageDays < newDays],
    ['expiring', daysToExpiry !== null && daysToExpiry >= 0 && daysToExpiry <= expiringDays],
    ['expired', daysToExpiry !== null && daysToExpiry < 0],
    ['on_hold', has('clientHold', 'serverHold')],
    ['redemption', has('redemptionPeriod')],
    ['pending_delete', has('pendingDelete')],
    ['pending_transfer', has('pendingTransfer')],
    ['no_nameservers', has('inactive')],
  ]
  return flags.filter(([, holds]) => holds).map(([code]) => code)
}
