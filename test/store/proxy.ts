import { connect, createServer, type Socket } from 'node:net'

export type Proxy = {
  /** The database behind it, reached through the proxy. */
  url: string
  /** Cuts every connection and takes no new ones. */
  down(): Promise<void>
  up(): Promise<void>
  /** Keeps connections open but passes nothing on, like a network that swallows packets. */
  mute(silent: boolean): void
}

/** A loopback network in front of a database, which a test can break. */
export const proxyTo = async (target: string): Promise<Proxy> => {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let silent = false
  let own = 0
  const keep = (socket: Socket, other: () => Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('data', data => silent || other().write(data))
    socket.on('close', () => {
      sockets.delete(socket)
      other().destroy()
    })
  }
  const server = createServer(near => {
    const far = connect(Number(port), hostname)
    keep(near, () => far)
    keep(far, () => near)
  })
  const up = () => new Promise<void>(resolve => void server.listen(own, '127.0.0.1', resolve))
  await up()
  const address = server.address()
  own = typeof address === 'object' && address ? address.port : 0
  const url = new URL(target)
  url.port = String(own)
  const down = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  return {
    url: url.href,
    down: () => (server.listening ? down() : Promise.resolve()),
    up,
    mute: now => {
      silent = now
    },
  }
}

/** The same for both addresses of a database that is reached by way of a pooler and past it. */
export const networkTo = async ({ url, direct }: { url: string; direct?: string | undefined }) => {
  const near = await proxyTo(url)
  const past = direct === undefined ? undefined : await proxyTo(direct)
  const both = [near, ...(past ? [past] : [])]
  return {
    address: { url: near.url, ...(past && { direct: past.url }) },
    down: async () => void (await Promise.all(both.map(proxy => proxy.down()))),
    up: async () => void (await Promise.all(both.map(proxy => proxy.up()))),
    mute: (silent: boolean) => {
      for (const proxy of both) proxy.mute(silent)
    },
  }
}
