import { toReverseName } from '../../mcp/services/data/location/reverse.ts'
import type { Entry } from './zone.ts'

/** What the table of networks and the reverse DNS say of an address. */
export const announced = (address: string, origin: string, pointer?: string): Record<string, Entry> => ({
  [`${toReverseName(address)}.${address.includes(':') ? 'origin6' : 'origin'}.asn.cymru.com`]: {
    TXT: [origin],
  },
  ...(pointer && {
    [`${toReverseName(address)}.${address.includes(':') ? 'ip6' : 'in-addr'}.arpa`]: { PTR: [pointer] },
  }),
})

/** The network of the local web server. */
export const locationZone: Readonly<Record<string, Entry>> = {
  ...announced('93.184.216.34', '15133 | 93.184.216.0/24 | US | arin | 2008-06-02', 'host.example.com'),
  ...announced('2606:2800:220:1::34', '15133 | 2606:2800:220::/48 | US | arin | 2010-01-01'),
  'as15133.asn.cymru.com': {
    TXT: ['15133 | US | arin | 2007-03-19 | EDGECAST - Example Delivery, Inc., US'],
  },
}
