import type { Place } from '../../../ports/geo/port.ts'
import type { Note } from '../meta.ts'
import { findHosting, isAnycast, isHostingName } from './hosting.ts'
import type { AddressNetwork } from './network.ts'

const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })

/** Codes that stand for no country. */
const none = new Set(['EU', 'EZ', 'UN', 'ZZ', 'XA', 'XB', 'QO', 'AP'])

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']

/** `GB` for `UK`: codes that were replaced name the same country. */
const current = (code: string): string => Intl.getCanonicalLocales(`und-${code}`)[0]?.slice(4) ?? code

const countryName = (code: string): string | undefined => (none.has(code) ? undefined : names.of(code))
let codes: Map<string, string> | undefined

/** Every country by its English name, in lower case. Made when first asked for. */
const byName = (): Map<string, string> => {
  codes ??= new Map(
    letters
      .flatMap(first => letters.map(second => first + second))
      .flatMap(code => {
        const name = current(code) === code ? countryName(code) : undefined
        return name ? [[name.toLowerCase(), code] as const] : []
      }),
  )
  return codes
}

/** A country by its ISO 3166-1 code or English name, both ways; nulls for anything else, such as the region `EU`. */
export const findCountry = (text: string | null): { country: string | null; countryCode: string | null } => {
  const word = (text ?? '').trim()
  const code = /^[a-z]{2}$/i.test(word) ? current(word.toUpperCase()) : byName().get(word.toLowerCase())
  const country = code && countryName(code)
  return country ? { country, countryCode: code } : { country: null, countryCode: null }
}

const nowhere = {
  country: null,
  countryCode: null,
  region: null,
  city: null,
  lat: null,
  lon: null,
  timezone: null,
} satisfies Place

const toPlaceFields = ({ countryCode, ...place }: Place) => ({ ...place, country_code: countryCode })

/** Answer for an address that nobody has. */
export const unassignedAddress = {
  ...toPlaceFields(nowhere),
  asn: null,
  asns: [],
  as_name: null,
  isp: null,
  org: null,
  prefix: null,
  registry: null,
  hosting: null,
  hosting_provider: null,
  cdn: null,
  anycast: null,
  reverse_dns: null,
  accuracy: null,
  source: [],
}

/** The operator's file is the finest; then the holder of the block, then the registry's own table. */
const choosePlace = (own: Place | null, { holderCountry, country }: AddressNetwork) => {
  if (own?.countryCode || own?.city) return { ...own, ...(!own.country && findCountry(own.countryCode)) }
  const holder = findCountry(holderCountry)
  return { ...nowhere, ...(holder.countryCode ? holder : findCountry(country)) }
}

/** The fields about the network of an address, and the place that it stands for. */
export const describeNetwork = (ip: string, network: AddressNetwork, own: Place | null) => {
  const { asns, as_name: asName, isp, org, prefix, registry, reverse_dns: reverseDns, source } = network
  const hosting = findHosting(asns)
  const place = choosePlace(own, network)
  const isFromFile = own !== null && place.countryCode === own.countryCode && place.city === own.city
  const accuracy: 'city' | 'country' | null = place.city ? 'city' : place.countryCode ? 'country' : null
  return {
    ...toPlaceFields(place),
    asn: asns[0] ?? null,
    asns,
    as_name: asName,
    isp: isp ?? org,
    org: org ?? isp,
    prefix,
    registry,
    hosting:
      hosting !== undefined || isHostingName(isp) || isHostingName(asName)
        ? true
        : asns.length > 0
          ? false
          : null,
    hosting_provider: hosting?.provider ?? null,
    cdn: asns.length > 0 ? hosting?.kind === 'cdn' : null,
    anycast: isAnycast(ip, hosting),
    reverse_dns: reverseDns,
    accuracy,
    source: [...(isFromFile ? ['operator-file'] : []), ...source],
  }
}

/** Notes to read before the place is relied on. */
export const notesOnPlace = (
  ips: readonly string[],
  { cdn, hosting_provider: hostingProvider, asns, source, accuracy }: ReturnType<typeof describeNetwork>,
): Note[] => [
  ...(source.length === 0
    ? [{ code: 'nothing_known', message: 'No table knows this address: nobody announces or holds it.' }]
    : []),
  ...(source.length > 0 && accuracy !== 'city'
    ? [
        {
          code: 'no_city',
          message: `${accuracy === null ? 'The place is' : 'Region, city and time zone are'} not known: no city database of the operator covers this address. An operator sets one with OCTAGENT_GEO_FILE, in the MaxMind DB format: GeoLite2 City of dev.maxmind.com, or IP to City Lite of db-ip.com.`,
        },
      ]
    : []),
  ...(cdn
    ? [
        {
          code: 'cdn',
          message: `The address belongs to the delivery network of ${hostingProvider}: where the site itself is hosted is not visible.`,
        },
      ]
    : []),
  ...(asns.length > 1
    ? [
        {
          code: 'multi_origin',
          message: `Several networks announce the address: ${asns.map(asn => `AS${asn}`).join(', ')}.`,
        },
      ]
    : []),
  ...(ips.length > 1
    ? [
        {
          code: 'several_addresses',
          message: `The host has ${ips.length} addresses; this is about one of them.`,
        },
      ]
    : []),
]
