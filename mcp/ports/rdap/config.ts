import { settings } from '../../kernel/setting.ts'
import { absoluteUrl, flag } from '../../lib/setting-texts.ts'

export const rdapSettings = settings({
  bootstrap: {
    variable: 'OCTAGENT_RDAP_BOOTSTRAP',
    schema: absoluteUrl,
    description:
      'Where the files lie that name the RDAP server of each registry: dns.json, ipv4.json, ipv6.json and asn.json.',
    default: 'https://data.iana.org/rdap',
  },
  whois: {
    variable: 'OCTAGENT_WHOIS',
    schema: flag,
    description: 'Whether registries without RDAP are asked over WHOIS, on port 43.',
    default: 'true',
  },
})
