import type { AddressInfo } from 'node:net'
import type { Request } from '../mcp/kernel/http.ts'
import { type GuardOptions, guard } from '../rest-adapter/guard.ts'
import { type HttpServerOptions, openHttpServer } from '../rest-adapter/http-server.ts'
import { openRouter, type RouterOptions, type Site } from '../rest-adapter/router.ts'

/** Serves sites on a free port of loopback the way the program does: guard, then router. */
export const listen = async (
  sites: readonly Site[],
  options: Partial<GuardOptions> & RouterOptions & HttpServerOptions = {},
) => {
  const pass = guard({ loopback: true, hosts: [], origins: [], ...options })
  const route = openRouter(sites, options)
  const server = openHttpServer((message, res) => {
    const req = message as Request
    if (pass(req, res)) route(req, res)
  }, options)
  // A test may compute for seconds; a connection that the server drops meanwhile would fail the next request.
  server.keepAliveTimeout = 600_000
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections()
      await new Promise(closed => server.close(closed))
    },
  }
}
