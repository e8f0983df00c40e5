import type { Page } from './web-server.ts'

type Route = readonly [host: string, path: string, page: Page]

const registry = 'https://rdap.example.com/registry/'
const numbers = 'https://rdap.example.com/numbers/'

const json = (body: object, type = 'application/rdap+json') => ({
  headers: { 'content-type': type },
  body: JSON.stringify(body),
})

/** Where the local registries say who answers for what. */
export const bootstrapUrl = 'https://rdap.example.com/bootstrap'

const card = (...lines: unknown[][]) => ['vcard', [['version', {}, 'text', '4.0'], ...lines]]

const registrar = {
  objectClassName: 'entity',
  handle: '9999',
  roles: ['registrar'],
  publicIds: [{ type: 'IANA Registrar ID', identifier: '9999' }],
  vcardArray: card(
    ['fn', {}, 'text', 'Example Registrar, Inc.'],
    ['url', {}, 'uri', 'https://registrar.example.org/'],
  ),
  entities: [{ roles: ['abuse'], vcardArray: card(['email', {}, 'text', 'abuse@registrar.example.org']) }],
}

/** What the registry says of example.com: everything but the registrant, whom the registrar knows. */
export const exampleDomain = {
  objectClassName: 'domain',
  ldhName: 'EXAMPLE.COM',
  status: ['client delete prohibited', 'client transfer prohibited', 'client update prohibited'],
  events: [
    { eventAction: 'registration', eventDate: '1995-08-14T04:00:00Z' },
    { eventAction: 'expiration', eventDate: '2126-08-13T04:00:00Z' },
    { eventAction: 'last changed', eventDate: '2025-08-14T07:01:39Z' },
    { eventAction: 'last update of RDAP database', eventDate: '2026-11-21T00:00:00Z' },
  ],
  links: [
    { rel: 'self', href: `${registry}domain/EXAMPLE.COM`, type: 'application/rdap+json' },
    {
      rel: 'related',
      href: 'https://registrar.example.org/rdap/domain/EXAMPLE.COM',
      type: 'application/rdap+json',
    },
  ],
  entities: [registrar],
  nameservers: [{ ldhName: 'NS1.EXAMPLE.COM' }, { ldhName: 'NS2.EXAMPLE.COM' }],
  secureDNS: { delegationSigned: true, dsData: [{ keyTag: 370, algorithm: 13 }] },
}

const registrantOf = (organization: string, country: string) => ({
  roles: ['registrant'],
  vcardArray: card(
    ['fn', {}, 'text', ''],
    ['org', {}, 'text', organization],
    ['adr', { cc: country }, 'text', ['', '', '', '', '', '', '']],
  ),
})

const registrarsView = {
  objectClassName: 'domain',
  ldhName: 'example.com',
  events: [
    { eventAction: 'registration', eventDate: '1995-08-14T04:00:00Z' },
    { eventAction: 'registrar expiration', eventDate: '2126-08-13T04:00:00Z' },
  ],
  entities: [registrar, registrantOf('Example Holdings', 'US')],
}

const network = {
  objectClassName: 'ip network',
  handle: 'NET-93-184-216-0-1',
  name: 'EXAMPLE-NET',
  startAddress: '93.184.216.0',
  endAddress: '93.184.216.255',
  country: 'US',
  cidr0_cidrs: [{ v4prefix: '93.184.216.0', length: 24 }],
  entities: [registrantOf('Example Networks', 'US')],
}

const network6 = {
  ...network,
  handle: 'NET6-2606-2800-1',
  startAddress: '2606:2800::',
  endAddress: '2606:2800:ffff:ffff:ffff:ffff:ffff:ffff',
  cidr0_cidrs: [{ v6prefix: '2606:2800::', length: 32 }],
}

/** IANA's files, a registry of domains with one registrar, and a registry of numbers. Unknown objects are 404. */
export const rdapPages: readonly Route[] = [
  [
    'rdap.example.com',
    '/bootstrap/dns.json',
    json({ services: [[['com', 'net', 'org', 'jp'], [registry]]] }),
  ],
  ['rdap.example.com', '/bootstrap/ipv4.json', json({ services: [[['0.0.0.0/0'], [numbers]]] })],
  ['rdap.example.com', '/bootstrap/ipv6.json', json({ services: [[['::/0'], [numbers]]] })],
  ['rdap.example.com', '/bootstrap/asn.json', json({ services: [[['0-4294967295'], [numbers]]] })],
  ['rdap.example.com', '*', { ...json({ errorCode: 404, title: 'Not Found' }), status: 404 }],
  ['rdap.example.com', '/registry/domain/example.com', json(exampleDomain)],
  ['registrar.example.org', '/rdap/domain/EXAMPLE.COM', json(registrarsView)],
  ['rdap.example.com', '/numbers/ip/93.184.216.34', json(network)],
  ['rdap.example.com', '/numbers/ip/2606:2800:220:1::34', json(network6)],
  [
    'rdap.example.com',
    '/numbers/autnum/15133',
    json({ handle: 'AS15133', name: 'EXAMPLE', startAutnum: 15133 }),
  ],
]
