const apnic = 'https://rdap.apnic.net/'
const ripe = 'https://rdap.db.ripe.net/'
const lacnic = 'https://rdap.lacnic.net/rdap/'
const afrinic = 'https://rdap.afrinic.net/rdap/'
/** Also sends on what belongs to the other four. */
const arin = 'https://rdap.arin.net/registry/'

/** First octets by registry, from the IANA IPv4 address space registry. */
const octets: readonly [server: string, ranges: string][] = [
  [
    apnic,
    '1 14 27 36 39 42-43 49 58-61 101 103 106 110-126 133 150 153 163 171 175 180 182-183 202-203 210-211 218-223',
  ],
  [ripe, '2 5 25 31 37 46 51 53 57 62 77-95 109 141 145 151 176 178 185 188 193-195 212-213 217'],
  [lacnic, '177 179 181 186-187 189-191 200-201'],
  [afrinic, '41 102 105 154 196-197'],
]

const expandPrefixes = (ranges: string): string[] =>
  ranges.split(' ').flatMap(range => {
    const [from, to = from] = range.split('-').map(Number)
    return Array.from({ length: Number(to) - Number(from) + 1 }, (_, i) => `${Number(from) + i}.0.0.0/8`)
  })

type Services = readonly (readonly [keys: readonly string[], urls: readonly string[]])[]

/**
 * Who answers for addresses and AS numbers until IANA's own files are read. What is not named here is asked of ARIN, which
 * redirects to the registry in charge.
 */
export const numberRegistries: Readonly<Record<'ipv4' | 'ipv6' | 'asn', Services>> = {
  ipv4: [
    ...octets.map(([server, ranges]) => [expandPrefixes(ranges), [server]] as const),
    [['0.0.0.0/0'], [arin]],
  ],
  ipv6: [
    [
      ['2001:200::/23', '2001:c00::/22', '2001:4400::/23', '2001:8000::/19', '2001:a000::/19', '2400::/12'],
      [apnic],
    ],
    [['2001:600::/23', '2001:800::/22', '2001:1400::/22', '2001:1a00::/23', '2001:1c00::/22'], [ripe]],
    [['2001:2000::/19', '2001:4000::/23', '2001:4600::/23', '2001:4a00::/23', '2001:4c00::/23'], [ripe]],
    [['2001:5000::/20', '2003::/18', '2a00::/12', '2a10::/12'], [ripe]],
    [['2001:1200::/23', '2800::/12'], [lacnic]],
    [['2001:4200::/23', '2c00::/12'], [afrinic]],
    [['::/0'], [arin]],
  ],
  asn: [
    [['131072-151865'], [apnic]],
    [['196608-219455'], [ripe]],
    [['262144-274844'], [lacnic]],
    [['327680-329727'], [afrinic]],
    [['0-4294967295'], [arin]],
  ],
}
