import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'

export type Balancer = {
  url: string
  /** Requests that a server answered, by its place, and those for which another had to be asked. */
  counts(): { served: number[]; passedOn: number; broken: number; lost: number }
  /** Loses each n-th answer to a call on its way back; 0 for none. */
  lose(every: number): void
  close(): Promise<void>
}

const readBody = async (incoming: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/**
 * A load balancer as plain ones are: each request to the next server, to another one only where the connection was refused, 502 where
 * it broke before the answer, and a cut connection where it broke within it.
 */
export const balanceOver = async (
  places: number,
  at: (place: number) => string | undefined,
): Promise<Balancer> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  const served = Array.from({ length: places }, () => 0)
  let passedOn = 0
  let broken = 0
  let lost = 0
  let answers = 0
  let loseEvery = 0
  let next = 0

  const forward = (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    body: Buffer,
    tries: number,
  ): void => {
    const place = next++ % places
    const target = at(place)
    const refused = () => {
      if (tries >= 2 * places) {
        outgoing.writeHead(503).end()
        return
      }
      passedOn++
      forward(incoming, outgoing, body, tries + 1)
    }
    if (target === undefined) {
      refused()
      return
    }
    const { hostname, port } = new URL(target)
    const { method, url: path, headers } = incoming
    let isAnswered = false
    const onward = request({ agent, hostname, port, method, path, headers }, answer => {
      isAnswered = true
      served[place] = (served[place] ?? 0) + 1
      const isCall = method === 'POST' && answer.headers['content-type']?.includes('json')
      if (isCall && loseEvery > 0 && ++answers % loseEvery === 0) {
        lost++
        answer.resume()
        outgoing.destroy()
        return
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.on('error', () => outgoing.destroy())
      outgoing.on('close', () => answer.destroy())
      answer.pipe(outgoing)
    })
    onward.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') {
        refused()
        return
      }
      broken++
      if (isAnswered || outgoing.headersSent) outgoing.destroy()
      else outgoing.writeHead(502).end()
    })
    outgoing.on('error', () => onward.destroy())
    outgoing.on('close', () => isAnswered || onward.destroy())
    onward.end(body)
  }

  const server = createServer((incoming, outgoing) => {
    incoming.on('error', () => outgoing.destroy())
    readBody(incoming).then(
      body => forward(incoming, outgoing, body, 0),
      () => outgoing.destroy(),
    )
  })
  server.requestTimeout = 0
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    counts: () => ({ served: [...served], passedOn, broken, lost }),
    lose: every => {
      loseEvery = every
    },
    close: async () => {
      agent.destroy()
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
