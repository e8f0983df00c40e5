/** Who runs mail servers, and what their own mailboxes are like. */
export type Provider = {
  name: string
  /** Names that their mail servers lie under. */
  mx: readonly string[]
  /** Their own domains, by a pattern. */
  domains?: RegExp
  /** What begins a tag that does not matter for the mailbox. */
  tag?: '+' | '-'
  /** Characters that do not matter in names at their own domains. */
  ignored?: RegExp
  /** The domain that their own domains are the same as. */
  canonical?: string
  /** What names at their own domains may be, without a tag. */
  names?: RegExp
}

const big: readonly Provider[] = [
  {
    name: 'Google',
    mx: ['google.com', 'googlemail.com', 'psmtp.com'],
    domains: /^(?:gmail|googlemail)\.com$/,
    tag: '+',
    ignored: /\./g,
    canonical: 'gmail.com',
    names: /^(?=(?:\.?[a-z0-9]){6,30}$)[a-z0-9.]+$/i,
  },
  {
    name: 'Microsoft',
    mx: ['protection.outlook.com', 'mx.microsoft', 'hotmail.com', 'outlook.com'],
    domains: /^(?:hotmail|outlook|live)\.|^(?:msn|passport|windowslive)\.com$/,
    tag: '+',
    names: /^[a-z0-9._-]{1,64}$/i,
  },
  {
    name: 'Yahoo',
    mx: ['yahoodns.net'],
    domains: /^yahoo\.|^(?:ymail|rocketmail|myyahoo)\.com$/,
    tag: '-',
    names: /^[a-z0-9._]{1,32}$/i,
  },
  {
    name: 'Apple',
    mx: ['icloud.com', 'apple.com'],
    domains: /^(?:icloud|me|mac)\.com$/,
    tag: '+',
    names: /^[a-z0-9._-]{1,64}$/i,
  },
  {
    name: 'Proton',
    mx: ['protonmail.ch'],
    domains: /^(?:proton\.me|pm\.me|protonmail\.(?:com|ch))$/,
    tag: '+',
    ignored: /[._-]/g,
  },
  {
    name: 'Zoho',
    mx: ['zoho.com', 'zoho.eu', 'zoho.in', 'zoho.com.au', 'zohomail.com'],
    domains: /^zoho(?:mail)?\./,
    tag: '+',
  },
  { name: 'Fastmail', mx: ['messagingengine.com'], domains: /^fastmail\./, tag: '+' },
  { name: 'Yandex', mx: ['yandex.ru', 'yandex.net'], domains: /^(?:yandex\.|ya\.ru$)/, tag: '+' },
  { name: 'Mail.ru', mx: ['mail.ru'], domains: /^(?:mail|bk|inbox|list|internet)\.ru$/, tag: '+' },
  { name: 'Posteo', mx: ['posteo.de'], domains: /^posteo\./, tag: '+' },
  { name: 'mailbox.org', mx: ['mailbox.org'], domains: /^mailbox\.org$/, tag: '+' },
]

/** Others by name and the names that their mail servers lie under. */
const others: Readonly<Record<string, string>> = {
  AOL: 'aol.com',
  GMX: 'gmx.net gmx.com',
  'WEB.DE': 'web.de',
  'mail.com': 'mail.com',
  Tencent: 'qq.com',
  NetEase: 'netease.com 163.com',
  Naver: 'naver.com',
  Kakao: 'kakao.com hanmail.net',
  'Alibaba Cloud': 'mxhichina.com aliyun.com',
  Lark: 'larksuite.com feishu.cn',
  Proofpoint: 'pphosted.com ppe-hosted.com gpphosted.com',
  Mimecast: 'mimecast.com mimecast-offshore.com',
  Barracuda: 'barracudanetworks.com cudamail.com',
  Cisco: 'iphmx.com',
  Broadcom: 'messagelabs.com',
  Hornetsecurity: 'hornetsecurity.com antispameurope.com',
  Sophos: 'hydra.sophos.com reflexion.net',
  'Trend Micro': 'trendmicro.com trendmicro.eu',
  Trellix: 'fireeyecloud.com',
  SpamExperts: 'antispamcloud.com mtaroutes.com',
  MailChannels: 'mailchannels.net',
  'Cloudflare Email Routing': 'mx.cloudflare.net',
  ImprovMX: 'improvmx.com',
  'Forward Email': 'forwardemail.net',
  SimpleLogin: 'simplelogin.co',
  'addy.io': 'anonaddy.me addy.io',
  Mailgun: 'mailgun.org',
  SendGrid: 'sendgrid.net',
  'Amazon SES': 'amazonaws.com awsapps.com',
  Postmark: 'postmarkapp.com',
  Zendesk: 'zendesk.com',
  OVHcloud: 'ovh.net',
  IONOS: 'kundenserver.de ionos.com ionos.de ionos.co.uk ionos.es ionos.fr ionos.it perfora.net 1and1.com',
  Hostinger: 'hostinger.com hostinger.io titan.email',
  Namecheap: 'privateemail.com registrar-servers.com',
  GoDaddy: 'secureserver.net',
  Rackspace: 'emailsrvr.com',
  Gandi: 'gandi.net',
  Migadu: 'migadu.com',
  Tuta: 'tutanota.de tuta.com',
  Infomaniak: 'infomaniak.ch ikmail.com',
  Hetzner: 'your-server.de',
  STRATO: 'rzone.de',
  netcup: 'netcup.net',
  Aruba: 'aruba.it',
  Libero: 'libero.it iol.it',
  Orange: 'orange.fr wanadoo.fr',
  Free: 'free.fr',
  'Deutsche Telekom': 't-online.de',
  Seznam: 'seznam.cz',
  'home.pl': 'home.pl',
  one: 'one.com',
  Loopia: 'loopia.se',
  Comcast: 'comcast.net',
  DreamHost: 'dreamhost.com',
  Bluehost: 'bluehost.com',
  SiteGround: 'sgvps.net siteground.eu mailspamprotection.com',
  MXroute: 'mxrouting.net mxlogin.com',
  Purelymail: 'purelymail.com',
  Runbox: 'runbox.com',
}

const all: readonly Provider[] = [
  ...big,
  ...Object.entries(others).map(([name, mx]) => ({ name, mx: mx.split(' ') })),
]

const liesUnder = (host: string, name: string) => host === name || host.endsWith(`.${name}`)

/** Who runs the first of the mail servers that is known. */
export const providerByMx = (exchanges: readonly string[]): Provider | undefined => {
  for (const exchange of exchanges) {
    const provider = all.find(({ mx }) => mx.some(name => liesUnder(exchange, name)))
    if (provider) return provider
  }
  return undefined
}

/** Whose own domain it is. */
export const providerByDomain = (domain: string): Provider | undefined =>
  big.find(({ domains }) => domains?.test(domain))
