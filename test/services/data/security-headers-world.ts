import { afterAll, beforeAll } from 'vitest'
import type { Page } from '../../internet/web-server.ts'
import { startData } from './run.ts'

export type Finding = { code: string; severity: string; message: string; fix: string | null }
export type Audit = {
  grade: string
  score: number
  headers: Record<string, Record<string, unknown>>
  missing: string[]
  warnings: Finding[]
  cookies: Record<string, unknown>[]
  csp: { directives: Record<string, string[]>; further: object[]; problems: Finding[] }
  http_redirects_to_https: boolean | null
  tests: { passed: number; failed: number; unknown: number; results: Record<string, unknown>[] }
  meta: { warnings: { code: string }[]; truncated: boolean }
  [field: string]: unknown
}

export const result = ({ tests }: Audit, name: string) => tests.results.find(test => test.name === name)

export const codes = (findings: { code: string }[]) => findings.map(({ code }) => code)

export type Headers = Record<string, string | string[]>

export const best: Headers = {
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'strict-transport-security': 'max-age=63072000; includeSubDomains; preload',
  'x-content-type-options': 'NoSniff',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), microphone=()',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
  'set-cookie': '__Host-sid=secret; Path=/; Secure; HttpOnly; SameSite=Lax',
}

/** The data service for the tests of a file, with sites of their own over https. */
export const openAuditing = (prefix: string) => {
  let data: Awaited<ReturnType<typeof startData>>
  beforeAll(async () => {
    data = await startData()
  })
  afterAll(() => data.stop())
  let hosts = 0
  const host = () => `${prefix}-${++hosts}.example.com`

  /** A site whose http leads to its https at once, unless told otherwise. */
  const serve = (headers: Headers = {}, body = '<title>x</title>', http?: Page) => {
    const name = host()
    data.internet.web.site(name, '/', (request, response) => {
      if ('encrypted' in request.socket) {
        response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(body)
      } else if (typeof http === 'function') http(request, response)
      else {
        const page = http ?? { status: 301, headers: { location: `https://${name}/` } }
        response.writeHead(page.status ?? 200, page.headers).end(page.body ?? '')
      }
    })
    return `https://${name}/`
  }

  return {
    host,
    serve,
    internet: () => data.internet,
    audit: async (url: string) => (await data.ask('security-headers', { url })) as unknown as Audit,
  }
}
