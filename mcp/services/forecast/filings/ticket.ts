import type { Ports } from '../../../ports/ports.ts'

const type = 'forecast-filings+jwt'
const validSeconds = 30 * 86_400

/** Scope of a page of filings: what somebody paid for. */
export type Ticket = { cik: number; tier: string; years: number; periods: number }

/** A ticket to a page, for thirty days: signed, so that nothing has to be stored for it. */
export const makeTicket = (sign: Ports['sign'], ticket: Ticket, now: Date): string =>
  sign.jws({ kind: type, ...ticket, exp: Math.floor(now.getTime() / 1000) + validSeconds }, type)

/** Reads a ticket's scope; undefined for one that is not ours or over. */
export const readTicket = (sign: Ports['sign'], text: string, now: Date): Ticket | undefined => {
  const claims = sign.open(text)
  if (claims?.kind !== type || Number(claims.exp) * 1000 <= now.getTime()) return undefined
  const { cik, tier, years, periods } = claims
  return { cik: Number(cik), tier: String(tier), years: Number(years), periods: Number(periods) }
}
