import { afterAll, beforeAll } from 'vitest'
import type { Page } from '../../internet/web-server.ts'
import { startData } from './run.ts'

export type Hop = Record<string, unknown>

export type Traced = {
  hops: Hop[]
  count: number
  final_url: string
  meta: { warnings: { code: string }[]; truncated: boolean }
  [field: string]: unknown
}

export const codes = ({ meta }: Traced) => meta.warnings.map(({ code }) => code)

export const to = (
  location: string,
  status = 302,
  headers: Record<string, string | string[]> = {},
): Page => ({ status, headers: { location, ...headers }, body: 'moved' })

/** The data service for the tests of a file, with hosts of their own to redirect from. */
export const openTracing = () => {
  let data: Awaited<ReturnType<typeof startData>>
  beforeAll(async () => {
    data = await startData()
  })
  afterAll(() => data.stop())
  let hosts = 0
  return {
    internet: () => data.internet,
    trace: async (url: string, more: object = {}) =>
      (await data.ask('redirect-trace', { url, ...more })) as unknown as Traced,
    serve(path: string, page: Page, host = `trace-${++hosts}.example.com`) {
      data.internet.web.site(host, path, page)
      return { host, url: `http://${host}${path}` }
    },
    visits: (host: string) => data.internet.web.visits.filter(visit => visit.host === host),
  }
}
