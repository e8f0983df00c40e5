import type { Route } from '../mcp/kernel/http.ts'
import { iconSvg } from '../mcp/lib/icon.ts'
import { textRoute } from './page-route.ts'
import { send } from './send.ts'

const day = 86_400

const robots = (site: string) => `User-agent: *
Disallow: /operator/
Disallow: /receipts/
Allow: /

Sitemap: ${site}/sitemap.xml
`

const securityText = (site: string, contact: string, now: Date): string => {
  const expires = new Date(now.getTime() + 180 * day * 1000)
  expires.setUTCHours(0, 0, 0, 0)
  return `Contact: ${contact}
Expires: ${expires.toISOString()}
Preferred-Languages: en
Canonical: ${site}/.well-known/security.txt
`
}

/** Files that crawlers, browsers and fault finders ask each site for: robots.txt, the icon, security.txt (RFC 9116). */
export const siteFileRoutes = (
  site: () => string,
  { securityContact, now }: { securityContact: string | undefined; now(): Date },
): Route[] => [
  textRoute('/robots.txt', 'text/plain; charset=utf-8', site, () => robots(site()), { maxAge: day }),
  textRoute('/favicon.ico', 'image/svg+xml', site, () => iconSvg(), { maxAge: day }),
  textRoute('/favicon.svg', 'image/svg+xml', site, () => iconSvg(), { maxAge: day }),
  ...['/.well-known/security.txt', '/security.txt'].map(path => ({
    method: 'GET' as const,
    path,
    async handle(_: unknown, res: Parameters<typeof send>[0]) {
      const text = securityText(site(), securityContact ?? `${site()}/`, now())
      send(res, 200, 'text/plain; charset=utf-8', text)
    },
  })),
]
