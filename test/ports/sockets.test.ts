import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openSockets } from '../../mcp/ports/sockets/sockets.ts'
import { startPolybolt } from '../services/money/polybolt-server.ts'

let server: Awaited<ReturnType<typeof startPolybolt>>
let sockets: ReturnType<typeof openSockets>
beforeEach(async () => {
  server = await startPolybolt()
  sockets = openSockets()
})
afterEach(async () => {
  sockets.close()
  await server.stop()
})

/** Keeps a connection that subscribes each time it is opened. */
const keep = (silenceMs = 60_000) => {
  let opened = 0
  const messages: string[] = []
  const socket = sockets.keep(server.url, {
    silenceMs,
    onOpen(send) {
      opened++
      send(JSON.stringify({ op: 'subscribe', subscriptions: [] }))
    },
    onMessage: text => void messages.push(text),
  })
  return { socket, messages, opened: () => opened }
}

test('a connection that breaks is opened anew, and says hello again', async () => {
  const { socket, opened, messages } = keep()
  await server.subscription(1)
  server.drop()
  await server.subscription(2)
  expect(opened()).toBe(2)
  server.say('one')
  await vi.waitFor(() => expect(messages).toEqual(['one']))
  expect(socket.isOpen()).toBe(true)
})

test('a connection that says nothing is opened anew', async () => {
  const { opened } = keep(100)
  await server.subscription(2)
  expect(opened()).toBeGreaterThanOrEqual(2)
})

test('a server that is not there yet is tried again', async () => {
  const url = server.url
  await server.stop()
  let opened = 0
  const socket = sockets.keep(url, { onOpen: () => void opened++, onMessage: () => undefined })
  expect(socket.isOpen()).toBe(false)
  server = await startPolybolt(Number(new URL(url).port))
  await vi.waitFor(() => expect(opened).toBe(1))
})

test('a connection that was closed stays closed', async () => {
  const { socket, opened } = keep()
  await server.subscription(1)
  socket.close()
  server.drop()
  expect(socket.isOpen()).toBe(false)
  // Another one that breaks at the same time is back before this one could have been.
  const other = keep()
  await server.subscription(2)
  server.drop()
  await server.subscription(3)
  expect([opened(), other.opened()]).toEqual([1, 2])
})
