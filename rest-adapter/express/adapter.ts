import type { HTTPAdapter } from '@x402/core/server'

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
