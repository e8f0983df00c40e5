import type { Page, Web } from './web-server.ts'

/** A page of HTML. */
export const html = (body: Buffer | string, headers: Record<string, string> = {}, status = 200): Page => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
  body,
})

export const status = (code: number, headers: Record<string, string> = {}): Page => ({
  status: code,
  headers,
})

/** A PNG as far as its size. */
export const png = (width: number, height = width): Page => {
  const body = Buffer.alloc(33)
  body.write('\x89PNG\r\n\x1a\n', 'latin1')
  body.write('IHDR', 12, 'latin1')
  body.writeUInt32BE(width, 16)
  body.writeUInt32BE(height, 20)
  return { headers: { 'content-type': 'image/png' }, body }
}

/** An icon file with images of some sides, without their pixels. */
export const ico = (...sides: number[]): Page => {
  const entries = sides.flatMap(side => [side, side, 0, 0, 1, 0, 32, 0, 0, 1, 0, 0, 22, 0, 0, 0])
  return {
    headers: { 'content-type': 'image/vnd.microsoft.icon' },
    body: Buffer.from([0, 0, 1, 0, sides.length, 0, ...entries]),
  }
}

export const svg: Page = {
  headers: { 'content-type': 'image/svg+xml' },
  body: '<svg xmlns="http://www.w3.org/2000/svg"/>',
}

/** Hosts `prefix-1.example.net` and so on, each for one test: what is counted by host does not add up. */
export const openHosts = (web: () => Pick<Web, 'site'>, prefix: string) => {
  let count = 0
  const next = () => `${prefix}-${++count}.example.net`
  return {
    next,
    /** Serves a page at `/dir/page` of a new host, and further routes; anything else is 404. */
    serve(page: Page, routes: Readonly<Record<string, Page>> = {}) {
      const host = next()
      for (const [path, route] of Object.entries({ '/dir/page': page, ...routes }))
        web().site(host, path, route)
      return `http://${host}/dir/page`
    },
    /** Serves one page at every path of a new host. */
    serveAll(page: Page) {
      const host = next()
      web().site(host, '*', page)
      return `http://${host}`
    },
  }
}
