import type { Socket } from 'node:net'

/** Limit before TLS: a server sends a few lines. */
const maxBytes = 16 * 1024

/** A reply of SMTP (RFC 5321): its code, and its lines without it. */
type Reply = { code: number; lines: string[] }

const lastLine = /^(\d{3})(?: (.*))?\r?\n/m

/** Reads one reply, of several lines or one. Rejects when the server closes or sends too much. */
const readReply = (socket: Socket): Promise<Reply> =>
  new Promise((resolve, reject) => {
    let text = ''
    const finish = (error: Error | undefined, reply?: Reply) => {
      socket.off('data', onData).off('close', onClose).off('error', onClose)
      socket.pause()
      if (reply) resolve(reply)
      else reject(error)
    }
    const onClose = () => finish(new Error('The server closed the connection.'))
    const onData = (chunk: Buffer) => {
      text += chunk.toString('latin1')
      const last = lastLine.exec(text)
      if (!last) return text.length > maxBytes ? finish(new Error('The server sent too much.')) : undefined
      const lines = text
        .slice(0, last.index + last[0].length)
        .split(/\r?\n/)
        .map(line => line.slice(4))
      finish(undefined, { code: Number(last[1]), lines })
    }
    socket.on('data', onData).on('close', onClose).on('error', onClose)
    socket.resume()
  })

/**
 * Asks a mail server to go on with TLS (RFC 3207). False when it does not offer it or refuses; then the connection is ended in
 * order. Throws when it speaks no SMTP or turns us away.
 */
export const startTls = async (socket: Socket, helo: string): Promise<boolean> => {
  const ask = (line: string) => {
    const reply = readReply(socket)
    socket.write(`${line}\r\n`)
    return reply
  }
  const greeting = await readReply(socket)
  if (greeting.code !== 220) throw new Error(`The server greets with ${greeting.code}.`)
  const hello = await ask(`EHLO ${helo}`)
  const isOffered = hello.code === 250 && hello.lines.some(line => /^STARTTLS\b/i.test(line.trim()))
  if (isOffered && (await ask('STARTTLS')).code === 220) return true
  if (hello.code !== 250) throw new Error(`The server answers EHLO with ${hello.code}.`)
  socket.end('QUIT\r\n')
  return false
}
