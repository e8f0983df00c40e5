import { request } from 'node:http'
import { connect } from 'node:net'

export type Sent = {
  method: string
  path: string
  headers: Readonly<Record<string, string>>
  body: Buffer | undefined
}

/** `status` is 0 when there was no answer; `text` is the body, or what went wrong. */
export type Answer = { status: number; headers: Readonly<Record<string, string>>; text: string }

const keptBytes = 4 << 20

/** Sends one request and reads its answer to the end. Never throws. */
export const send = (origin: string, { method, path, headers, body }: Sent, ms = 60_000): Promise<Answer> =>
  new Promise(resolve => {
    const fail = (why: unknown) => resolve({ status: 0, headers: {}, text: String(why) })
    try {
      const { hostname, port } = new URL(origin)
      const req = request({ hostname, port, method, path, headers, agent: false }, res => {
        const chunks: Buffer[] = []
        let size = 0
        const done = () =>
          resolve({
            status: res.statusCode ?? 0,
            headers: res.headers as Record<string, string>,
            text: Buffer.concat(chunks).toString('utf8'),
          })
        res.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size <= keptBytes) chunks.push(chunk)
        })
        res.on('end', done)
        res.on('error', done)
      })
      req.setTimeout(ms, () => req.destroy(new Error(`no answer in ${ms / 1000} s`)))
      // The server may answer and close before it has read a body that it refuses.
      req.on('error', fail)
      req.end(body)
    } catch (error) {
      fail(error)
    }
  })

/** Writes bytes that need be no HTTP at all, and reads what comes until the other side closes or nothing more does. */
export const sendRaw = (origin: string, bytes: Buffer, ms = 2000): Promise<Answer> =>
  new Promise(resolve => {
    const { hostname, port } = new URL(origin)
    const chunks: Buffer[] = []
    const socket = connect(Number(port), hostname)
    const done = () => {
      socket.destroy()
      const text = Buffer.concat(chunks).toString('latin1')
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), headers: {}, text })
    }
    socket.setTimeout(ms, done)
    socket.on('data', chunk => chunks.push(chunk))
    socket.on('error', done)
    socket.on('close', done)
    socket.write(bytes)
    socket.end()
  })
