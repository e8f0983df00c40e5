/** A network that hosts the machines of others. `cdn`: it stands before sites that lie elsewhere. */
export type Hosting = { provider: string; kind: 'cloud' | 'hosting' | 'cdn'; anycast: boolean }

const cloud: Readonly<Record<string, string>> = {
  'Amazon Web Services': '16509 14618 8987',
  'Google Cloud': '396982 15169',
  'Microsoft Azure': '8075 8068 8069',
  'Oracle Cloud': '31898',
  'IBM Cloud': '36351',
  'Alibaba Cloud': '45102 37963',
  'Tencent Cloud': '132203 45090',
  'Huawei Cloud': '136907 55990',
  DigitalOcean: '14061',
  'Akamai Connected Cloud (Linode)': '63949',
  Vultr: '20473',
  Hetzner: '24940 213230 212317',
  OVHcloud: '16276',
  Scaleway: '12876',
  UpCloud: '202053',
  'Yandex Cloud': '200350',
  Rackspace: '27357 33070 19994 12200',
  'Equinix Metal': '54825',
}

const hosting: Readonly<Record<string, string>> = {
  Contabo: '51167 40021',
  IONOS: '8560',
  Leaseweb: '60781 28753 30633 394380',
  netcup: '197540',
  Hostinger: '47583',
  GoDaddy: '26496 398101',
  'Newfold Digital (Bluehost)': '46606',
  Namecheap: '22612',
  FranTech: '53667',
  ColoCrossing: '36352',
  QuadraNet: '8100',
  M247: '9009',
  Clouvider: '62240',
  InterServer: '19318',
  Hostwinds: '54290',
  ServerMania: '55286',
  Selectel: '49505 50340',
  'REG.RU': '197695',
  Timeweb: '9123',
  Aeza: '210644',
  WorldStream: '49981',
  NForce: '43350',
  Hivelocity: '29802',
  'Servers.com': '7979',
  Psychz: '40676',
  Zenlayer: '21859',
  Anexia: '42473',
  firstcolo: '44066',
  iomart: '20860',
  'SAKURA internet': '9370 9371',
  Automattic: '2635',
  Wix: '58182',
  Squarespace: '53831',
  Shopify: '62679',
  GitHub: '36459',
}

const cdn: Readonly<Record<string, string>> = {
  Akamai: '20940 16625 32787',
  'CDN77 (DataCamp)': '60068 212238',
  'bunny.net': '200325',
  'G-Core': '199524 202422',
  CDNetworks: '36408 38107 54994',
  CacheFly: '30081',
}

/** One address of theirs is answered from many places. */
const anycastCdn: Readonly<Record<string, string>> = {
  Cloudflare: '13335 209242',
  Fastly: '54113',
  Imperva: '19551',
  Sucuri: '30148',
  'Edgio (Edgecast)': '15133',
  'Edgio (Limelight)': '22822',
}

const rows = (table: Readonly<Record<string, string>>, kind: Hosting['kind'], anycast = false) =>
  Object.entries(table).flatMap(([provider, asns]) =>
    asns.split(' ').map(asn => [Number(asn), { provider, kind, anycast }] as const),
  )

/** Own observations of who runs which network. */
const hostingByAsn = new Map<number, Hosting>([
  ...rows(cloud, 'cloud'),
  ...rows(hosting, 'hosting'),
  ...rows(cdn, 'cdn'),
  ...rows(anycastCdn, 'cdn', true),
])

/** Resolvers that answer from many places under one address. */
const anycastAddresses = new Set(
  `1.1.1.1 1.0.0.1 8.8.8.8 8.8.4.4 9.9.9.9 149.112.112.112 208.67.222.222 208.67.220.220 94.140.14.14 2606:4700:4700::1111
  2606:4700:4700::1001 2001:4860:4860::8888 2001:4860:4860::8844 2620:fe::fe`.split(/\s+/),
)

const saysHosting = /\b(?:hosting|webhost\w*|data ?cent(?:er|re)s?|servers?|vps|cloud|colocation|colo)\b/i

/** The hosting company or delivery network that one of the numbers belongs to. */
export const findHosting = (asns: readonly number[]): Hosting | undefined =>
  asns.map(asn => hostingByAsn.get(asn)).find(entry => entry !== undefined)

/** Whether the name of a network says that it hosts. */
export const isHostingName = (name: string | null): boolean => name !== null && saysHosting.test(name)

/** True where it is known that an address is answered from many places; else nobody knows. */
export const isAnycast = (address: string, provider: Hosting | undefined): true | null =>
  provider?.anycast || anycastAddresses.has(address) ? true : null
