import { getDomain } from 'tldts'
import type { RedirectHop } from './hop.ts'

const permanent = new Set([301, 308])

/** The site that a URL belongs to: its registrable domain, else its host. */
export const findSite = (url: string): string => {
  const { hostname } = new URL(url)
  return getDomain(hostname, { allowPrivateDomains: true }) ?? hostname
}

/** Query parameters that tell who sent the visitor. */
const tracking =
  /^(?:utm_\w+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|ttclid|twclid|li_fat_id|igshid|yclid|mc_[ce]id|_hs(?:enc|mi)|vero_id|mkt_tok|s_cid|oly_(?:anon|enc)_id|srsltid|_ga|_gl|epik|sccid|rdt_cid|irclickid|cjevent|ref_src)$/i

/** The same address without them, and their names. */
export const removeTracking = (url: string): { clean_url: string; tracking_params: string[] } => {
  const cleanUrl = new URL(url)
  const trackingNames = [...new Set([...cleanUrl.searchParams.keys()].filter(name => tracking.test(name)))]
  for (const name of trackingNames) cleanUrl.searchParams.delete(name)
  return {
    clean_url: trackingNames.length > 0 ? cleanUrl.href : url,
    tracking_params: trackingNames.slice(0, 20),
  }
}

const turns = (hops: readonly RedirectHop[], from: string, to: string) =>
  hops.some(({ url, location }) => url.startsWith(from) && location?.startsWith(to))

/** Facts of the hops together. */
export const collectFacts = (hops: readonly RedirectHop[]) => {
  const redirects = hops.filter(({ location, status }) => location !== null && status !== null)
  const sites = [...new Set(hops.map(({ url }) => findSite(url)).filter(site => site !== ''))]
  return {
    redirect_count: redirects.length,
    https_upgrade: turns(hops, 'http:', 'https:'),
    downgrade: turns(hops, 'https:', 'http:'),
    cross_domain: sites.length > 1,
    sites,
    permanent: redirects.length === 0 ? null : redirects.every(({ status }) => permanent.has(status ?? 0)),
    total_ms: hops.reduce((sum, { ms }) => sum + ms, 0),
  }
}
