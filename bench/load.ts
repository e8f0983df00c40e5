import { connect, type Socket } from 'node:net'

/** One HTTP request, sent over and over. */
export type Ask = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

const toBody = ({ body }: Ask): string => (body === undefined ? '' : JSON.stringify(body))

const toBytes = (host: string, ask: Ask): Buffer => {
  const body = toBody(ask)
  const headers = {
    host,
    ...(body && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
    ...ask.headers,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${ask.method} ${ask.path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
}

const end = Buffer.from('0\r\n\r\n')

/** Whether the bytes hold a whole answer. Throws when it is no 200, since a refusal would be too cheap to count. */
const isWhole = (bytes: Buffer): boolean => {
  const head = bytes.indexOf('\r\n\r\n')
  if (head < 0) return false
  const text = bytes.toString('latin1', 0, head)
  if (text.slice(9, 12) !== '200') throw new Error(`answered ${bytes.toString().slice(0, 400)}`)
  const length = /content-length: (\d+)/i.exec(text)?.[1]
  if (length !== undefined) return bytes.length >= head + 4 + Number(length)
  return bytes.subarray(-end.length).equals(end)
}

const drive = (socket: Socket, request: Buffer, until: number): Promise<number> =>
  new Promise((resolve, reject) => {
    let answers = 0
    let bytes: Buffer | undefined
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed the connection')))
    socket.on('data', chunk => {
      bytes = bytes ? Buffer.concat([bytes, chunk]) : chunk
      try {
        if (!isWhole(bytes)) return
      } catch (error) {
        return reject(error)
      }
      answers++
      bytes = undefined
      if (performance.now() < until) return void socket.write(request)
      resolve(answers)
    })
    socket.write(request)
  })

export type LoadResult = { answers: number; seconds: number }

/**
 * Keeps `connections` keep-alive connections busy for `ms`, one request under way on each. A bare socket costs less than
 * any client, and the server has to share its processor with this.
 */
export const load = async (url: string, ask: Ask, ms: number, connections = 8): Promise<LoadResult> => {
  const { hostname, port, host } = new URL(url)
  const request = toBytes(host, ask)
  const sockets = Array.from({ length: connections }, () =>
    connect({ host: hostname, port: Number(port), noDelay: true }),
  )
  const began = performance.now()
  try {
    const counts = await Promise.all(sockets.map(socket => drive(socket, request, began + ms)))
    return {
      answers: counts.reduce((sum, count) => sum + count, 0),
      seconds: (performance.now() - began) / 1000,
    }
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

/** The body of one answer. Throws when it is no 200. */
export const answerTo = async (url: string, ask: Ask): Promise<string> => {
  const body = toBody(ask)
  const { method, path, headers = {} } = ask
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body }),
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 400)}`)
  return text
}
