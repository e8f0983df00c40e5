import { isLoopbackName } from '../../lib/loopback.ts'

/** Target of access tokens: an MCP endpoint, of one service or of the bundle. */
export type ProtectedResource = {
  /** The service's slug; undefined for the bundle. */
  slug: string | undefined
  name: string
  /** The address of the MCP endpoint: `https://example.org/cat/mcp`. */
  url(): string
  /** The address of terms that whoever lets a client in accepts. */
  terms?: (() => string) | undefined
}

/** The one scope: what a client may spend is a matter of limits, since clients of today cannot ask for more scopes later. */
export const scope = 'use'

const wellKnown = '/.well-known/oauth-protected-resource'

/** The same address with the name by which a client on this machine knows the server. */
const withHost = (url: string, host: string | undefined): string => {
  const target = new URL(url)
  if (!host || !isLoopbackName(target.hostname) || !URL.canParse(`http://${host}`)) return url
  const requestedUrl = new URL(`http://${host}`)
  if (!isLoopbackName(requestedUrl.hostname) || requestedUrl.port !== target.port) return url
  target.host = requestedUrl.host
  return target.href
}

/**
 * The resources of an installation and where their documents are (RFC 9728). `root` is the address of the installation, whose path
 * clients may or may not send along.
 */
export const openProtectedResources = (resources: readonly ProtectedResource[], root: () => string) => {
  const mountPath = (): string => new URL(root()).pathname.replace(/\/$/, '')
  const pathOf = (url: string): string => new URL(url).pathname
  const isHere = (url: string): boolean => new URL(url).host === new URL(root()).host

  /** The resource that an address names, as clients write it: another name of this machine, and a slash at the end, are the same. */
  const find = (address: string): ProtectedResource | undefined => {
    if (!URL.canParse(address)) return undefined
    const { hostname, host, port, pathname, search, hash } = new URL(address)
    if (search || hash) return undefined
    const path = pathname.replace(/\/$/, '')
    return resources.find(resource => {
      const url = new URL(resource.url())
      const isSameHost =
        url.host === host || (isLoopbackName(url.hostname) && isLoopbackName(hostname) && url.port === port)
      return isSameHost && url.pathname === path
    })
  }

  return {
    find,

    /** The resource of a request without one: the bundle, or the only service there is. */
    fallback: (): ProtectedResource | undefined =>
      resources.find(({ slug }) => slug === undefined) ?? resources[0],

    /** The address of a resource's document. */
    documentUrl(address: string, host?: string): string {
      const url = new URL(withHost(address, host))
      const mount = isHere(address) ? mountPath() : ''
      return `${url.origin}${mount}${wellKnown}${url.pathname.slice(mount.length)}`
    },

    /** The document at a path under a Host header; undefined where there is none. */
    document(path: string, host: string | undefined, issuer: string, scopes: readonly string[]) {
      if (path !== wellKnown && !path.startsWith(`${wellKnown}/`)) return undefined
      const requestedPath = path.slice(wellKnown.length).replace(/\/$/, '')
      const name = (host ?? '').toLowerCase()
      const elsewhere = resources.find(({ url }) => !isHere(url()) && new URL(url()).host === name)
      const isNamed = (url: string) =>
        [pathOf(url), pathOf(url).slice(mountPath().length)].includes(requestedPath)
      const byPath = resources.find(
        ({ slug, url }) => isNamed(url()) || (slug && requestedPath === `/${slug}/mcp`),
      )
      const resource =
        elsewhere && (requestedPath === '' || requestedPath === '/mcp')
          ? elsewhere
          : requestedPath === ''
            ? this.fallback()
            : byPath
      if (!resource) return undefined
      return {
        resource: withHost(resource.url(), host),
        authorization_servers: [issuer],
        ...(scopes.length > 0 && { scopes_supported: scopes }),
        bearer_methods_supported: ['header'],
        resource_name: resource.name,
      }
    },
  }
}

export type ProtectedResources = ReturnType<typeof openProtectedResources>
