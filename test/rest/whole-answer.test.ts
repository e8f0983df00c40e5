import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import type { Response } from '../../mcp/kernel/http.ts'
import { holdHeaders, sendWhole } from '../../mcp/kernel/whole-answer.ts'

type Handle = (req: IncomingMessage, res: ServerResponse) => void

/** Runs some requests against a server that takes them in one turn of the event loop. */
const atOnce = async (handles: readonly Handle[]) => {
  const arrived: [IncomingMessage, ServerResponse][] = []
  const server = createServer((req, res) => {
    if (arrived.push([req, res]) === handles.length)
      setImmediate(() => {
        for (const [request, response] of arrived) handles[Number(request.url?.slice(1))]?.(request, response)
      })
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    return await Promise.allSettled(
      handles.map(async (_, at) => {
        const response = await fetch(`${url}/${at}`)
        return { status: response.status, headers: response.headers, text: await response.text() }
      }),
    )
  } finally {
    server.closeAllConnections()
    await new Promise(closed => server.close(closed))
  }
}

const answer =
  (text: string): Handle =>
  (_, res) =>
    sendWhole(res as Response, 200, 'text/plain; charset=utf-8', text)

it('writes the answers of a turn when all of its requests have been handled, whole and each to its own client', async () => {
  const ended: boolean[] = []
  const look: Handle = (req, res) => {
    answer(`number ${req.url}, naïve ✓`)(req, res)
    ended.push(res.writableEnded)
    expect(res.headersSent).toBe(true)
  }
  const results = await atOnce([look, look, look])
  expect(ended).toEqual([false, false, false])
  expect(results.map(result => result.status === 'fulfilled' && result.value.text)).toEqual([
    'number /0, naïve ✓',
    'number /1, naïve ✓',
    'number /2, naïve ✓',
  ])
})

it('writes nothing over an answer that waits for the end of its turn', async () => {
  const [result] = await atOnce([
    (req, res) => {
      holdHeaders(res, ['X-Held', 'once'])
      answer('the first')(req, res)
      answer('a second')(req, res)
    },
  ])
  expect(result).toMatchObject({ status: 'fulfilled', value: { status: 200, text: 'the first' } })
  if (result?.status === 'fulfilled') expect(result.value.headers.get('x-held')).toBe('once')
})

it('refuses a header that cannot be written at once, where its handler can still say so', async () => {
  const [result] = await atOnce([
    (req, res) => {
      expect(() => sendWhole(res as Response, 200, 'text/plain', 'lost', ['X-Broken', 'a\nb'])).toThrow(
        /Invalid character/,
      )
      answer('said')(req, res)
    },
  ])
  expect(result).toMatchObject({ status: 'fulfilled', value: { text: 'said' } })
})

it('answers the others when one of them cannot be ended, or its client has left before its turn was over', async () => {
  const results = await atOnce([
    (req, res) => {
      res.end = () => {
        throw new Error('what somebody put around it')
      }
      answer('broken')(req, res)
    },
    (req, res) => {
      answer('gone')(req, res)
      res.destroy()
      res.end = () => expect.unreachable('nothing is written to who has left')
    },
    answer('fine'),
  ])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
  expect(results[2]).toMatchObject({ value: { text: 'fine' } })
})
