import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openFetch } from '../../mcp/ports/fetch/fetch.ts'

const server = createServer((request, response) => {
  if (request.url === '/away') response.writeHead(302, { location: '/' })
  response.end('here')
})
let url: string
let fetch: ReturnType<typeof openFetch>
beforeAll(async () => {
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  url = `http://127.0.0.1:${port}`
  fetch = openFetch({ userAgent: 'test', resolve: async () => [], allowOperator: (_, own) => own === port })
})
afterAll(async () => {
  await fetch.close()
  server.close()
})

test('a server on this machine that a setting names is for requests of the operator alone', async () => {
  expect((await fetch(url, { namedBy: 'operator' })).text().text).toBe('here')
  for (const namedBy of ['caller', 'page'] as const)
    await expect(fetch(url, { namedBy })).rejects.toMatchObject({ code: 'invalid_input' })
  await expect(fetch(`${url}/away`, { namedBy: 'operator' })).rejects.toMatchObject({ code: 'upstream' })
})
