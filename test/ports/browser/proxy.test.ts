import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openFilterProxy } from '../../../mcp/ports/browser/proxy.ts'
import { openGuard } from '../../../mcp/ports/fetch/guard.ts'

test('drops what Chromium asks its makers for, and tells no page of it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'octagent-proxy-'))
  const asked: string[] = []
  const guard = openGuard({
    resolve: async host => {
      asked.push(host)
      return []
    },
  })
  const proxy = openFilterProxy({ guard, maxBytes: 1000 })
  const socketPath = join(folder, 'out.sock')
  await proxy.listen(socketPath)
  const tunnel = async (path: string) => {
    const sent = request({ socketPath, method: 'CONNECT', path })
    sent.on('error', () => undefined)
    sent.end()
    const [answer, socket] = await once(sent, 'connect')
    socket.destroy()
    return answer.statusCode as number
  }
  const get = async (path: string) => {
    const sent = request({ socketPath, path })
    sent.end()
    const [answer] = await once(sent, 'response')
    answer.resume()
    return answer.statusCode as number
  }
  expect(await tunnel('update.googleapis.com:443')).toBe(403)
  expect(await tunnel('clients2.google.com:443')).toBe(403)
  expect(await get('http://edgedl.me.gvt1.com/edgedl/x.crx')).toBe(403)
  expect(asked).toEqual([])
  expect(proxy.blocked()).toEqual([])
  // What pages ask for goes on to the guard.
  expect(await tunnel('fonts.googleapis.com:443')).toBe(403)
  expect(await get('http://example.org/')).toBe(403)
  expect(asked).toEqual(['fonts.googleapis.com', 'example.org'])
  expect(proxy.blocked()).toHaveLength(2)
  await proxy.close()
  await rm(folder, { recursive: true })
})
