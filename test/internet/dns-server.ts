import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { answerQuery } from './dns-answer.ts'
import type { Zone } from './zone.ts'

const framed = (bytes: Buffer) => {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([length, bytes])
}

const serveStream = (zone: Zone, socket: Socket) => {
  let received = Buffer.alloc(0)
  socket.on('error', () => {})
  socket.on('data', chunk => {
    received = Buffer.concat([received, chunk])
    if (received.length < 2 || received.length < 2 + received.readUInt16BE()) return
    for (const answer of answerQuery(zone, received.subarray(2), 'tcp')) socket.write(framed(answer))
    socket.end()
  })
}

/** An authoritative DNS server on a free port of 127.0.0.1, UDP and TCP, over a zone that may change while it runs. */
export const startDnsServer = async (zone: Zone): Promise<{ port: number; stop(): void }> => {
  const tcp = createServer(socket => serveStream(zone, socket))
  tcp.listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  const place = tcp.address()
  const port = typeof place === 'object' && place ? place.port : 0
  const udp = createSocket('udp4')
  udp.on('message', (query, from) => {
    for (const answer of answerQuery(zone, query, 'udp')) udp.send(answer, from.port, from.address)
  })
  udp.bind(port, '127.0.0.1')
  await once(udp, 'listening')
  return {
    port,
    stop() {
      udp.close()
      tcp.close()
    },
  }
}
