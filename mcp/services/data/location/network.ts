import { ToolError } from '../../../kernel/error.ts'
import { clean } from '../../../lib/text/clean.ts'
import type { Dns } from '../../../ports/dns/port.ts'
import type { NumberRecord, Rdap } from '../../../ports/rdap/port.ts'
import type { Note } from '../meta.ts'
import { type BgpOrigin, findAsName, findOrigin } from './origin.ts'
import { isIpv4, toReverseName } from './reverse.ts'

type Ports = { dns: Dns; rdap: Rdap; signal: AbortSignal }

/** The network that an address belongs to, put together from several tables. Null where none of them tells. */
export type AddressNetwork = BgpOrigin & {
  as_name: string | null
  isp: string | null
  org: string | null
  /** Country of the block's holder. */
  holderCountry: string | null
  reverse_dns: string | null
  /** Its sources: `team-cymru`, and `rdap:` with the registry. */
  source: string[]
  asked: string[]
  /** True when each table that matters answered, if only that it knows nothing. */
  complete: boolean
  notes: Note[]
}

/** A table that fails costs its part only: undefined. */
const orUndefinedIfUnavailable = async <T>(
  work: Promise<T>,
  { aborted }: AbortSignal,
): Promise<T | undefined> => {
  try {
    return await work
  } catch (error) {
    if (aborted || !(error instanceof ToolError) || error.code !== 'upstream') throw error
    return undefined
  }
}

const reverseName = async (dns: Dns, address: string, signal: AbortSignal): Promise<string | null> => {
  const name = `${toReverseName(address)}.${isIpv4(address) ? 'in-addr' : 'ip6'}.arpa`
  const { rcode, records } = await dns.query(name, 'PTR', { signal })
  if (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN')
    throw new ToolError('upstream', `The DNS answered ${rcode}.`)
  const pointer = records.find(({ type }) => type === 'PTR')
  return (
    clean(typeof pointer?.data === 'string' ? pointer.data : null, 253)
      ?.replace(/\.$/, '')
      .toLowerCase() ?? null
  )
}

const note = (code: string, what: string): Note => ({
  code,
  message: `${what} unknown: the table did not answer.`,
})

const organizationName = (block: NumberRecord | null): string | null =>
  clean(block?.organization ?? block?.name, 300)

const nothing: BgpOrigin = { asns: [], prefix: null, country: null, registry: null }
const nameless = { as_name: null, isp: null }

/** Nobody answered, or those who did know nothing: then nobody knows. */
export const nobodyAnswered = (address: string): ToolError =>
  new ToolError(
    'upstream',
    `Neither the table of networks nor the registry told anything about ${address}.`,
    { hint: 'Where it is, is not known. Retry in a moment.' },
  )

/** Asks who announces an address, who holds it and what it is called; what a table does not tell is null, with a note. */
export const findNetwork = async ({ dns, rdap, signal }: Ports, address: string): Promise<AddressNetwork> => {
  const readAnnouncement = async () => {
    const origin = await findOrigin(dns, address, signal)
    const [asn] = origin.asns
    const name =
      asn === undefined ? nameless : await orUndefinedIfUnavailable(findAsName(dns, asn, signal), signal)
    return { origin, name }
  }
  const [routing, block, reverse] = await Promise.all([
    orUndefinedIfUnavailable(readAnnouncement(), signal),
    orUndefinedIfUnavailable(rdap.ip(address, { signal }), signal),
    orUndefinedIfUnavailable(reverseName(dns, address, signal), signal),
  ])
  const { origin, name } = routing ?? { origin: nothing, name: nameless }
  const allocation = block ?? null
  return {
    ...origin,
    ...(name ?? nameless),
    org: organizationName(allocation),
    holderCountry: allocation?.country ?? null,
    prefix: origin.prefix ?? allocation?.cidrs[0] ?? null,
    reverse_dns: reverse ?? null,
    source: [
      ...(origin.asns.length > 0 ? ['team-cymru'] : []),
      ...(allocation ? [`rdap:${allocation.server}`] : []),
    ],
    asked: allocation?.sources ?? [],
    complete: routing !== undefined && block !== undefined,
    notes: [
      ...(routing === undefined ? [note('routing_unknown', 'The AS number and prefix are')] : []),
      ...(name === undefined ? [note('as_name_unknown', 'The name of the AS is')] : []),
      ...(block === undefined ? [note('registry_unknown', 'The holder of the address is')] : []),
      ...(reverse === undefined ? [note('reverse_unknown', 'The reverse name is')] : []),
    ],
  }
}
