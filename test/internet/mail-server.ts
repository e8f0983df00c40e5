import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import { good, privateKey } from './certificates.ts'

/** How a mail server behaves: as it should, without STARTTLS, refusing everybody, in silence, or without end. */
export type Manner = 'starttls' | 'plain' | 'refusing' | 'silent' | 'endless'

/** A mail server on a free port of 127.0.0.1, which shows a certificate for the names under example.com. */
export const startMailServer = async (cert: string = good) => {
  const heard: string[] = []
  const open = new Set<Socket>()
  const server = { manner: 'starttls' as Manner, heard, port: 0 }

  const speak = (socket: Socket) => {
    const { manner } = server
    if (manner === 'silent') return
    if (manner === 'refusing') return socket.end('554 No mail from you\r\n')
    if (manner === 'endless') return socket.write('220-more\r\n'.repeat(10_000))
    socket.write('220-mx.example.com\r\n220 ESMTP\r\n')
    socket.on('data', function listen(chunk: Buffer) {
      const line = chunk.toString().trim()
      heard.push(line)
      if (/^EHLO/i.test(line))
        socket.write(
          `250-mx.example.com\r\n250-PIPELINING\r\n${manner === 'starttls' ? '250-STARTTLS\r\n' : ''}250 HELP\r\n`,
        )
      else if (/^STARTTLS/i.test(line)) {
        socket.off('data', listen)
        socket.write('220 Go ahead\r\n')
        const secure = new TLSSocket(socket, {
          isServer: true,
          secureContext: createSecureContext({ cert, key: privateKey }),
        })
        secure.on('error', () => {})
      } else socket.end('221 Bye\r\n')
    })
  }
  const listener = createServer(socket => {
    open.add(socket)
    socket.on('error', () => {}).on('close', () => open.delete(socket))
    speak(socket)
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const place = listener.address()
  server.port = typeof place === 'object' && place ? place.port : 0
  const stop = () => {
    listener.close()
    for (const socket of open) socket.destroy()
  }
  return { server, stop }
}
