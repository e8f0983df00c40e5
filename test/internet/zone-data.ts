import { locationZone } from './location.ts'
import { mailZone } from './mail-zone.ts'
import type { Entry } from './zone.ts'

/** Addresses that look public and are dialled to the local web server. */
export const webAddress = '93.184.216.34'
export const webAddress6 = '2606:2800:220:1::34'

const soa = (mname: string) => ({
  mname,
  rname: `hostmaster.${mname}`,
  serial: 2_026_010_101,
  refresh: 7200,
  retry: 600,
  expire: 86_400,
  minimum: 60,
})

const web = { A: [webAddress], AAAA: [webAddress6] }

/** `1 . alpn="h2,h3" port=8443 ipv4hint=93.184.216.34 ipv6hint=2606:2800:220:1::34` and a key of private use (RFC 9460). */
const httpsRecord = Buffer.concat([
  Buffer.from([0, 1, 0, 0, 1, 0, 6]),
  Buffer.from('\x02h2\x02h3', 'latin1'),
  Buffer.from([0, 3, 0, 2, 0x20, 0xfb, 0, 4, 0, 4, 93, 184, 216, 34]),
  Buffer.from('00060010260628000220000100000000000000340190000101', 'hex'),
])

/** The names of the local internet. Tests add their own with `zone.set`. */
export const zoneData: Readonly<Record<string, Entry>> = {
  ...locationZone,
  'example.com': {
    ...web,
    authentic: true,
    SOA: [soa('ns1.example.com')],
    NS: ['ns1.example.com', 'ns2.example.com'],
    MX: [
      { preference: 10, exchange: 'mx1.example.com' },
      { preference: 20, exchange: 'mx2.example.com' },
    ],
    TXT: ['v=spf1 include:_spf.example.com -all', ['site-verification=abc', 'def']],
    CAA: [
      { flags: 0, tag: 'issue', value: 'letsencrypt.org' },
      { flags: 128, tag: 'iodef', value: 'mailto:sec@example.com' },
    ],
    HTTPS: [httpsRecord],
    DS: [{ keyTag: 370, algorithm: 13, digestType: 2, digest: Buffer.from('be74359954660069d5c6', 'hex') }],
    DNSKEY: [{ flags: 257, algorithm: 13, key: Buffer.from('a public key') }],
  },
  'www.example.com': { CNAME: ['edge.example.com'] },
  'edge.example.com': { CNAME: ['host.example.com'] },
  'host.example.com': web,
  'deep.www.example.com': web,
  'mx1.example.com': { A: [webAddress] },
  'mx2.example.com': { A: [webAddress] },
  'ns1.example.com': { A: [webAddress] },
  'ns2.example.com': { A: [webAddress] },
  '_spf.example.com': { TXT: ['v=spf1 ip4:198.51.100.0/24 ?all'] },
  '_dmarc.example.com': { TXT: ['v=DMARC1; p=reject; sp=quarantine; rua=mailto:agg@example.com; adkim=s'] },
  'sel1._domainkey.example.com': { TXT: [['v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0', 'A'.repeat(200)]] },
  '_sip._tcp.example.com': { SRV: [{ priority: 1, weight: 2, port: 5060, target: 'host.example.com' }] },
  '_443._tcp.example.com': {
    TLSA: [{ usage: 3, selector: 1, matchingType: 1, certificate: Buffer.from('0c72ac70b745ac19', 'hex') }],
  },
  'expired.example.com': web,
  'self-signed.example.com': web,
  'http2.example.com': web,
  'many.example.com': { TXT: Array.from({ length: 60 }, (_, i) => `filler-${i}-${'x'.repeat(60)}`) },
  'example.org': { ...web, SOA: [soa('ns1.example.org')] },
  'www.example.org': web,
  'example.net': { ...web, SOA: [soa('ns1.example.net')] },
  'wrong.example.net': web,
  'six.example.org': { AAAA: [webAddress6] },
  'mail-only.example.org': { MX: [{ preference: 10, exchange: 'mx1.example.com' }] },
  'null-mx.example.org': { MX: [{ preference: 0, exchange: '.' }], TXT: ['v=spf1 -all'] },
  '*.wild.example.org': { A: [webAddress] },
  'loop-a.example.org': { CNAME: ['loop-b.example.org'] },
  'loop-b.example.org': { CNAME: ['loop-a.example.org'] },
  'servfail.example.org': 'SERVFAIL',
  'refused.example.org': 'REFUSED',
  'silent.example.org': 'SILENT',
  '例え.jp': { ...web, SOA: [soa('ns1.xn--r8jz45g.jp')] },
  'bücher.de': web,
  ...mailZone,
}
