/** Hosts that take mail for throw-away domains without being listed as such. */
const catchers = [
  'mail.tm',
  'mail.gw',
  'temp-mail.io',
  'mailto.plus',
  'fexpost.com',
  'tmpmail.net',
  'inboxkitten.com',
]

let domains: Promise<ReadonlySet<string>> | undefined

const load = async (): Promise<ReadonlySet<string>> => {
  const { domains } = await import('./disposable-domains.ts')
  return new Set([...domains.split(/\s+/), ...catchers])
}

/** A name and its parents, without the top-level domain: `a.b.example.com`, `b.example.com`, `example.com`. */
export const upTo = (name: string): string[] => {
  const labels = name.split('.')
  return labels.slice(0, -1).map((_, at) => labels.slice(at).join('.'))
}

/** The listed domain that a name is or lies under; null when there is none. The list is loaded when first asked for. */
export const disposableDomain = async (name: string): Promise<string | null> => {
  domains ??= load()
  const domainSet = await domains
  return upTo(name).find(parent => domainSet.has(parent)) ?? null
}
