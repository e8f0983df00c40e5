import { z } from 'zod'
import { ToolError } from '../../kernel/error.ts'
import { chooseAddress, resolveAddresses } from './location/addresses.ts'
import { describeNetwork, notesOnPlace, unassignedAddress } from './location/describe.ts'
import { HostInput, parseHost, toTarget } from './location/host.ts'
import { findNetwork, nobodyAnswered } from './location/network.ts'
import { bogonRange } from './location/range.ts'
import { isIpv4 } from './location/reverse.ts'
import { skill } from './skill.ts'

const text = (what: string) => z.string().nullable().describe(what)

export default skill({
  id: 'ip-geo',
  argument: 'host',
  price: '0.003',
  tags: ['ip', 'geolocation', 'asn', 'hosting'],
  keywords: ['server', 'location', 'geolocation', 'owner', 'timezone', 'region'],
  openWorld: true,
  cacheSec: 3600,
  key: ({ host }) => toTarget(host),
  target: ({ host }) => toTarget(host),
  title: 'Locate an address or a host',
  description:
    'Returns where an IP address, host name or URL is: country (city with an operator file), AS number and name, ISP, organization, prefix, registry, hosting provider or CDN, reverse DNS. Private and reserved addresses are named as such. Free over A2A and MCP, else 0.003 USD.',
  input: z.object({ host: HostInput }),
  output: z.object({
    query: z.string().describe('What was located: the address, or the name in ASCII'),
    ip: z.string().describe('The address that this is about'),
    version: z.number().int().describe('Version of IP: 4 or 6'),
    ips: z.array(z.string()).describe('All addresses of the host, IPv4 first'),
    ip_count: z.number().int().describe('How many'),
    bogon: z.boolean().describe('True for addresses that nobody has on the internet; then the rest is null'),
    bogon_range: text('private, loopback, linkLocal, carrierGradeNat, reserved, …'),
    country: text('Country in English'),
    country_code: text('ISO 3166-1'),
    region: text('Region; null without a city file'),
    city: text('City; null without a city file'),
    lat: z.number().nullable().describe('Latitude; null without a city file'),
    lon: z.number().nullable().describe('Longitude; null without a city file'),
    timezone: text('IANA time zone; null without a city file'),
    asn: z.number().int().nullable().describe('Number of the network that announces it; null when none does'),
    asns: z.array(z.number().int()).describe('All such networks'),
    as_name: text('Short name of the network'),
    isp: text('Who runs the network'),
    org: text('Who holds the block of addresses'),
    prefix: text('The block as it is announced'),
    registry: text('arin, ripencc, apnic, lacnic or afrinic'),
    hosting: z
      .boolean()
      .nullable()
      .describe('True for a known hosting company; null when the network is unknown'),
    hosting_provider: text('Its name'),
    cdn: z.boolean().nullable().describe('True for a delivery network, which hides where a site lies'),
    anycast: z.literal(true).nullable().describe('True when it is known to answer from many places'),
    reverse_dns: text('Name in the reverse DNS'),
    accuracy: z.enum(['city', 'country']).nullable().describe('How fine the place is'),
    source: z.array(z.string()).describe('Tables that told: team-cymru, rdap:…, operator-file'),
  }),
  needs: ['dns', 'rdap', 'geo'],
  examples: [{ host: 'example.com' }, { host: '93.184.216.34' }, { host: '10.0.0.1' }],
  summary: ({ query, ip, bogon, bogon_range: bogonRange, city, country, isp }) => {
    if (bogon) return `${query} is a ${bogonRange} address, which nobody has on the internet.`
    return `${query === ip ? ip : `${query} (${ip})`} is in ${[city, country].filter(Boolean).join(', ') || 'an unknown place'}${isp ? `, with ${isp}` : ''}.`
  },
}).run(async ({ dns, rdap, geo, signal }, { host: input }) => {
  const host = parseHost(input)
  if (!host) throw new ToolError('invalid_input', 'host: must be an IP address, a host name or a URL.')
  const { ips, notes } = host.ip
    ? { ips: [host.ip], notes: [] }
    : await resolveAddresses(dns, host.domain?.ascii ?? '', signal)
  const ip = chooseAddress(ips) ?? ''
  const range = bogonRange(ip)
  const head = {
    query: host.ip ?? host.domain?.ascii ?? '',
    ip,
    version: isIpv4(ip) ? 4 : 6,
    ips,
    ip_count: ips.length,
    bogon: range !== null,
    bogon_range: range,
  }
  if (range !== null) return { ...head, ...unassignedAddress, about: { warnings: notes } }
  const network = await findNetwork({ dns, rdap, signal }, ip)
  const location = describeNetwork(ip, network, geo.place(ip))
  const isEmpty = location.source.length === 0
  if (isEmpty && !network.complete) throw nobodyAnswered(ip)
  const isPartial = network.notes.length > 0
  return {
    ...head,
    ...location,
    about: { sources: network.asked, warnings: [...notes, ...network.notes, ...notesOnPlace(ips, location)] },
    ...(isPartial && { keepSec: 60 }),
  }
})
