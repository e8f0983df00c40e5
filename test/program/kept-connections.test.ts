import { rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { folder, type Running, serve } from './run.ts'

let running: Running | undefined
let data = ''
afterEach(async () => {
  running?.child.kill('SIGKILL')
  await running?.exit
  await rm(data, { recursive: true, force: true })
})

/** What became of a kept connection: answered to its end, or a request that got no answer. */
type End = 'closed in order' | 'request without an answer' | 'never connected'

/** Sends one request after the other over one connection, until the server says that it is the last. */
const ask = (url: string, onAnswer: () => void): Promise<End> =>
  new Promise(resolve => {
    const { hostname, port, host } = new URL(url)
    const request = `GET /api/pet HTTP/1.1\r\nHost: ${host}\r\n\r\n`
    const socket = new Socket()
    let text = ''
    let isLast = false
    let isConnected = false
    socket.on('error', () => undefined)
    socket.on('close', () => {
      if (!isConnected) resolve('never connected')
      else resolve(isLast ? 'closed in order' : 'request without an answer')
    })
    socket.on('data', chunk => {
      text += chunk
      const head = text.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1])
      if (head < 0 || text.length < head + 4 + length) return
      isLast = /^connection: close/im.test(text)
      text = ''
      onAnswer()
      if (!isLast) socket.write(request)
    })
    socket.connect(Number(port), hostname, () => {
      isConnected = true
      socket.write(request)
    })
  })

test.each(['0', '1'])('SIGTERM drops no request of a kept connection (grace %s s)', async grace => {
  data = folder()
  running = await serve(
    {
      OCTAGENT_DATA: data,
      OCTAGENT_DEVNET: 'false',
      OCTAGENT_RATE_LIMIT: '10000000',
      OCTAGENT_LOG: 'warn',
      OCTAGENT_DRAIN_GRACE: grace,
    },
    ['cat'],
  )
  const { url, child, exit } = running
  let answers = 0
  const ends = Array.from({ length: 150 }, () =>
    ask(url, () => {
      answers++
      if (answers === 1500) child.kill('SIGTERM')
    }),
  )
  const count = (end: End) => Promise.all(ends).then(all => all.filter(one => one === end).length)
  expect(await count('request without an answer')).toBe(0)
  expect(await count('closed in order')).toBe(150)
  expect(await exit).toBe(0)
})
