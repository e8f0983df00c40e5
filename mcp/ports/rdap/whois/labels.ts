/** Subject of a statement in a WHOIS answer. */
export type WhoisField =
  | 'created'
  | 'updated'
  | 'expires'
  | 'registrar'
  | 'registrarUrl'
  | 'ianaId'
  | 'abuseEmail'
  | 'whoisServer'
  | 'status'
  | 'state'
  | 'nameserver'
  | 'dnssec'
  | 'registrant'
  | 'country'

const splitLabels = (names: string): string[] => names.split('|').map(name => name.trim())

/** Labels of registries around the world, lower case. */
const labels: Readonly<Record<WhoisField, readonly string[]>> = {
  created: splitLabels(
    `creation date|created|created on|created date|create date|creation time|domain created|date created|domain registered
    |domain registration date|registered|registered on|registered date|registration date|registration time|record created
    |record created on|domain record activated|activated|activated on|assigned|domain name commencement date|original created
    |first registration date|domain_dateregistered|fecha de creación|fecha de registro|date de création|登録年月日`,
  ),
  updated: splitLabels(
    `updated date|updated|updated on|last updated|last updated on|last updated date|last update|last-update|last-updated
    |last modified|last modified on|modified|modification date|changed|domain last updated date|update date|last changed
    |record last updated on|domain_datelastmodified|ultima actualización|最終更新`,
  ),
  expires: splitLabels(
    `registry expiry date|registrar registration expiration date|expiry date|expiry|expiration date|expiration time|expires
    |expires on|expires at|expire|expire date|expire-date|expiration|exp date|expired|valid until|validity|renewal date|paid-till
    |record expires on|record will expire on|record expires|domain expiration date|domain expires|expires date|fecha de vencimiento
    |fecha de expiración|registration expires on|domain_datebilleduntil|有効期限`,
  ),
  registrar: splitLabels(
    `registrar|registrar name|registrar-name|sponsoring registrar|registration service provider|authorized agency
    |current registar|current registrar|registrar organization|registrar_name|registrar of record`,
  ),
  registrarUrl: splitLabels(
    'registrar url|registrar website|registrar-url|registrar web|registration service url|registrar info',
  ),
  ianaId: splitLabels('registrar iana id|sponsoring registrar iana id'),
  abuseEmail: splitLabels(
    'registrar abuse contact email|abuse-email|abuse contact email|registrar-abuse-email',
  ),
  whoisServer: splitLabels('registrar whois server|whois server'),
  status: splitLabels(
    `domain status|status|eppstatus|epp status|registration status|domain state|domaintype|query_status|estatus del dominio
    |flags|状態`,
  ),
  state: ['state'],
  nameserver: splitLabels(
    `name server|name servers|nameserver|nameservers|nserver|nservers|domain servers|domain servers in listed order
    |domain nameservers|name server information|dns|dns servers|host name|hostname|server|primary server|secondary server
    |servidor(es) de nombres de dominio|nameserver in listed order|ネームサーバ`,
  ),
  dnssec: splitLabels(
    'dnssec|dnssec signed|signed|ds-rdata|ds-rdata:|dsrecord|ds record|ds|keys|signing key',
  ),
  registrant: splitLabels(
    'registrant organization|registrant organisation|registrant|registrant name|org|owner|holder',
  ),
  country: splitLabels('registrant country|registrant country/economy|registrantcountry|org-country'),
}

const byLabel = new Map<string, WhoisField>(
  Object.entries(labels).flatMap(([field, names]) => names.map(name => [name, field as WhoisField] as const)),
)

const registrarSection: Readonly<Record<string, WhoisField>> = {
  '': 'registrar',
  name: 'registrar',
  organization: 'registrar',
  organisation: 'registrar',
  'organization name': 'registrar',
  registrar: 'registrar',
  'registrar name': 'registrar',
  url: 'registrarUrl',
  www: 'registrarUrl',
  web: 'registrarUrl',
  website: 'registrarUrl',
  'abuse-email': 'abuseEmail',
}

const registrantSection: Readonly<Record<string, WhoisField>> = {
  '': 'registrant',
  name: 'registrant',
  organization: 'registrant',
  organisation: 'registrant',
  'organization name': 'registrant',
  'organization-loc': 'registrant',
  country: 'country',
  'country code': 'country',
  'country-loc': 'country',
}

const registrarHeading = /^(?:sponsoring |current )?registrar$/
const registrantHeading =
  /^(?:registrants?|holder|domain holder|owner|titular|organization using domain name)$/
const otherHeading = /contact|admin|tech|billing|zone|person|reseller|whois|disclaimer|contacto/

/** Subject of a statement; undefined when it is about a person other than the registrant, or not known. */
export const matchField = (section: string, label: string): WhoisField | undefined => {
  if (registrarHeading.test(section)) return registrarSection[label]
  if (registrantHeading.test(section)) return registrantSection[label]
  if (section === 'abuse contact') return label === '' ? 'abuseEmail' : undefined
  if (section === 'keys') return 'dnssec'
  if (otherHeading.test(section)) return undefined
  if (label === '') return byLabel.get(section)
  return (
    byLabel.get(label) ??
    (/^(?:ns_name_\d+|ns ?\d+|name ?server ?\d+)$/.test(label) ? 'nameserver' : undefined)
  )
}
