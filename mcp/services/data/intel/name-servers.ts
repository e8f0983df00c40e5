/** Who runs a domain's name servers, by the names these lie under. */
const providers: Readonly<Record<string, string>> = {
  'ns.cloudflare.com': 'Cloudflare',
  'googledomains.com': 'Google',
  'google.com': 'Google',
  'nsone.net': 'NS1',
  'domaincontrol.com': 'GoDaddy',
  'registrar-servers.com': 'Namecheap',
  'gandi.net': 'Gandi',
  'ovh.net': 'OVHcloud',
  'ovh.ca': 'OVHcloud',
  'digitalocean.com': 'DigitalOcean',
  'linode.com': 'Akamai',
  'akam.net': 'Akamai',
  'ultradns.com': 'UltraDNS',
  'ultradns.net': 'UltraDNS',
  'dnsimple.com': 'DNSimple',
  'dnsmadeeasy.com': 'DNS Made Easy',
  'dynect.net': 'Oracle Dyn',
  'hetzner.com': 'Hetzner',
  'hetzner.de': 'Hetzner',
  'your-server.de': 'Hetzner',
  'ui-dns.com': 'IONOS',
  'ui-dns.de': 'IONOS',
  'ui-dns.org': 'IONOS',
  'ui-dns.biz': 'IONOS',
  'transip.net': 'TransIP',
  'transip.nl': 'TransIP',
  'transip.eu': 'TransIP',
  'infomaniak.ch': 'Infomaniak',
  'infomaniak.com': 'Infomaniak',
  'wixdns.net': 'Wix',
  'squarespacedns.com': 'Squarespace',
  'wordpress.com': 'WordPress.com',
  'vercel-dns.com': 'Vercel',
  'name.com': 'Name.com',
  'porkbun.com': 'Porkbun',
  'one.com': 'one.com',
  'loopia.se': 'Loopia',
  'simply.com': 'Simply.com',
  'yandex.net': 'Yandex',
  'alidns.com': 'Alibaba Cloud',
  'hichina.com': 'Alibaba Cloud',
  'dnspod.net': 'Tencent Cloud',
  'bunny.net': 'Bunny',
  'desec.io': 'deSEC',
  'desec.org': 'deSEC',
}

/** Providers whose servers are numbered below the top: `ns-1.awsdns-01.co.uk`, `ns1-01.azure-dns.com`. */
const numberedProviders: readonly (readonly [RegExp, string])[] = [
  [/\.awsdns-\d{2}\.(?:com|net|org|co\.uk)$/, 'Amazon Route 53'],
  [/\.azure-dns\.(?:com|net|org|info)$/, 'Azure'],
]

/** Name servers of domains that are only kept for sale or for advertisements. */
const parking = [
  'sedoparking.com',
  'bodis.com',
  'parkingcrew.net',
  'above.com',
  'dan.com',
  'afternic.com',
  'uniregistrymarket.link',
  'parklogic.com',
  'dns-parking.com',
  'cashparking.com',
  'undeveloped.com',
  'ztomy.com',
  'rookdns.com',
  'fabulous.com',
  'hugedomains.com',
  'domainparking.ru',
]

const liesUnder = (host: string, name: string) => host === name || host.endsWith(`.${name}`)

/** Who runs the first name server that is known. */
export const dnsProvider = (servers: readonly string[]): string | null => {
  for (const server of servers) {
    const provider = Object.keys(providers).find(name => liesUnder(server, name))
    const providerName = provider
      ? providers[provider]
      : numberedProviders.find(([pattern]) => pattern.test(server))?.[1]
    if (providerName) return providerName
  }
  return null
}

export const parkingServer = (servers: readonly string[]): string | undefined =>
  servers.find(server => parking.some(name => liesUnder(server, name)))

/** Where visitors of a domain that is for sale are sent. */
const markets = [
  'hugedomains.com',
  'dan.com',
  'afternic.com',
  'sedo.com',
  'bodis.com',
  'undeveloped.com',
  'parkingcrew.net',
  'forsale.godaddy.com',
  'atom.com',
]

const forSale =
  /\b(?:(?:this |the )?domain(?: name)?(?: \S{1,80})? (?:is|may be) (?:for sale|parked|available for purchase)|buy this domain|domain (?:parking|parked)|parked domain|domain for sale|is parked free|domein (?:is )?te koop|domaine (?:est )?à vendre|diese domain (?:steht zum verkauf|ist zu verkaufen))/i

type PageText = { url: string | null; title: string | null; description: string | null }

/** Why a domain looks parked; null when it does not. A name server, a market it leads to, or words in its title tell. */
export const parkedBy = (
  servers: readonly string[],
  { url, title, description }: PageText,
): string | null => {
  const server = parkingServer(servers)
  if (server) return `its name server ${server} is one for parked domains`
  const host = url === null ? '' : new URL(url).hostname
  if (markets.some(market => liesUnder(host, market))) return `it leads to ${host}, a market for domains`
  const words = forSale.exec(`${title ?? ''}\n${description ?? ''}`)?.[0]
  return words ? `its page says “${words}”` : null
}
