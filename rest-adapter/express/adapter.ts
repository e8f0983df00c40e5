import type { HTTPAdapter } from '@x402/core/server'
import type { Request } from 'express'

/** A request of Express as the stock route table sees it. */
export const toAdapter = (req: Request): HTTPAdapter => ({
  getHeader: name => req.header(name),
  getMethod: () => req.method,
  getPath: () => req.path,
  getUrl: () => `${req.protocol}://${req.headers.host}${req.originalUrl}`,
  getAcceptHeader: () => req.header('Accept') ?? '',
  getUserAgent: () => req.header('User-Agent') ?? '',
  getQueryParams: () => req.query as Record<string, string | string[]>,
  getQueryParam: name => req.query[name] as string | string[] | undefined,
  getBody: () => req.body,
})

/** As stock tells a person from a program: it takes HTML, and calls itself a browser. */
export const isBrowser = (adapter: HTTPAdapter): boolean =>
  adapter.getAcceptHeader().includes('text/html') && adapter.getUserAgent().includes('Mozilla')

const decodePath = (path: string): string => {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Context for matching routes. Express answers HEAD with the handler of GET, so it costs what GET does. */
export const toRouteContext = (adapter: HTTPAdapter) => {
  const path = adapter.getPath()
  const method = adapter.getMethod() === 'HEAD' ? 'GET' : adapter.getMethod()
  return { adapter, path, decodedPath: decodePath(path), method }
}
