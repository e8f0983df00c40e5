import { ToolError } from '../../../kernel/error.ts'
import { clean } from '../../../lib/text/clean.ts'
import type { Dns } from '../../../ports/dns/port.ts'
import { isIpv4, toReverseName } from './reverse.ts'

/** BGP origin of an address; nothing but nulls when there is none. `country` is where the block was registered. */
export type BgpOrigin = {
  asns: number[]
  prefix: string | null
  country: string | null
  registry: string | null
}

export type AsName = { as_name: string | null; isp: string | null }

const noOrigin: BgpOrigin = { asns: [], prefix: null, country: null, registry: null }

const queryRows = async (dns: Dns, name: string, signal: AbortSignal): Promise<string[][]> => {
  const { rcode, records } = await dns.query(name, 'TXT', { signal })
  if (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN')
    throw new ToolError('upstream', `The table of networks answered ${rcode}.`)
  return records
    .filter(({ type }) => type === 'TXT')
    .slice(0, 20)
    .map(({ data }) =>
      String(data)
        .split('|')
        .map(part => clean(part, 200) ?? ''),
    )
}

const prefixLength = (prefix = ''): number => Number(/^[0-9a-f.:]{2,43}\/(\d{1,3})$/i.exec(prefix)?.[1] ?? -1)

const numbersIn = (text = ''): number[] =>
  text
    .split(/\s+/)
    .map(Number)
    .filter(number => Number.isInteger(number) && number > 0 && number < 2 ** 32)

/**
 * Asks Team Cymru's table in the DNS who announces an address: `34.216.184.93.origin.asn.cymru.com` has
 * `15133 | 93.184.216.0/24 | US | arin | 2008-06-02`. The longest prefix counts; it may have several origins.
 */
export const findOrigin = async (dns: Dns, address: string, signal: AbortSignal): Promise<BgpOrigin> => {
  const zone = isIpv4(address) ? 'origin' : 'origin6'
  const rows = await queryRows(dns, `${toReverseName(address)}.${zone}.asn.cymru.com`, signal)
  const maxLength = Math.max(0, ...rows.map(([, prefix]) => prefixLength(prefix)))
  const best = rows.filter(([, prefix]) => prefixLength(prefix) === maxLength)
  const [, prefix, country, registry] = best[0] ?? []
  if (!prefix) return noOrigin
  return {
    asns: [...new Set(best.flatMap(([numbers]) => numbersIn(numbers)))].slice(0, 10),
    prefix,
    country: country || null,
    registry: registry || null,
  }
}

/** The name of an AS and of who runs it: `AS15133.asn.cymru.com` has `15133 | US | arin | 2007-03-19 | EDGECAST - Edgecast Inc., US`. */
export const findAsName = async (dns: Dns, asn: number, signal: AbortSignal): Promise<AsName> => {
  const [row] = await queryRows(dns, `AS${asn}.asn.cymru.com`, signal)
  const whole = row
    ?.slice(4)
    .join('|')
    .replace(/,\s*[A-Z]{2}$/, '')
    .trim()
  if (!whole) return { as_name: null, isp: null }
  const [handle = whole, ...rest] = whole.split(' - ')
  return { as_name: handle.trim(), isp: rest.length > 0 ? rest.join(' - ').trim() : handle.trim() }
}
