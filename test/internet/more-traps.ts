import type { Page } from './web-server.ts'

/** Writes to the socket, past Node's own idea of HTTP, and leaves it open. */
const send =
  (text: string): Page =>
  request => {
    request.socket.write(text, 'latin1')
  }

/** Writes the first text once and the second one for as long as somebody listens. */
const forever =
  (first: string, again: string): Page =>
  ({ socket }) => {
    socket.on('error', () => {})
    socket.write(first)
    const timer = setInterval(() => socket.write(again), 5)
    socket.on('close', () => clearInterval(timer))
  }

const status = 'HTTP/1.1 200 OK\r\n'
const chunked = `${status}transfer-encoding: chunked\r\n\r\n`
const page = 'content-length: 4\r\n\r\n'
const moved = 'HTTP/1.1 302 Found\r\ncontent-length: 0\r\nlocation: '

/** Further hostile pages on traps.example.com: what a server can do with the bytes of HTTP itself. */
export const moreTraps: Readonly<Record<string, Page>> = {
  '/http2-in-clear': send('\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64'),
  '/http-0.9': send('<p>no status line'),
  '/nul-in-header': send(`${status}x-a: b\0c\r\n${page}page`),
  '/bare-cr': send(`${status}x-a: b\rx-c: d\r\n${page}page`),
  '/space-in-name': send(`${status}x a: b\r\n${page}page`),
  '/length-and-chunks': send(`${status}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
  '/negative-length': send(`${status}content-length: -4\r\n\r\npage`),
  '/huge-length': send(`${status}content-length: 99999999999999999999999\r\n\r\npage`),
  '/huge-chunk': send(`${chunked}ffffffffffffffffff\r\npage`),
  '/switching': send('HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'),
  '/two-answers': send(`${status}${page}page${status}${page}evil`),
  '/status-999': send(`HTTP/1.1 999 Request denied\r\n${page}page`),
  '/early-hints': send(`HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n${status}${page}page`),
  '/endless-hints': forever('', 'HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n'),
  '/endless-extension': forever(`${chunked}4;`, 'x'.repeat(1000)),
  '/endless-trailers': forever(`${chunked}4\r\npage\r\n0\r\n`, `x-trailer: ${'x'.repeat(1000)}\r\n`),
  '/endless-status': forever('HTTP/1.1 200 ', 'x'.repeat(1000)),
  '/location-crlf-encoded': send(`${moved}/next?a=%0d%0aset-cookie:%20b=1\r\n\r\n`),
  '/location-crlf': send(`${moved}/next\r\nset-cookie: b=1\r\n\r\n`),
  '/location-cr': send(`${moved}/next\rset-cookie: b=1\r\n\r\n`),
  '/location-tab': send(`${moved}http://traps.example.com/ne\txt\r\n\r\n`),
  '/location-twice': send(`${moved}/next\r\nlocation: http://127.0.0.1/\r\n\r\n`),
  '/next': { body: 'next' },
}
