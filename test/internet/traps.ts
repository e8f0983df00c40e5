import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { moreTraps } from './more-traps.ts'
import type { Page } from './web-server.ts'

const bombSize = 64 * 1024 * 1024

/** Made when first asked for: it takes a moment. */
const once = (make: () => Buffer) => {
  let made: Buffer | undefined
  return () => {
    made ??= make()
    return made
  }
}

const gzipBomb = once(() => gzipSync(Buffer.alloc(bombSize)))
const gzipTwice = once(() => gzipSync(gzipBomb()))
const brotliBomb = once(() =>
  brotliCompressSync(Buffer.alloc(bombSize), { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
)

const bomb =
  (encoding: string, body: () => Buffer): Page =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': encoding })
    response.end(body())
  }

/** Bytes written straight to the socket, past Node's own idea of HTTP. */
const raw =
  (text: string): Page =>
  request => {
    request.socket.end(text, 'latin1')
  }

const endless: Page = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' })
  const chunk = Buffer.alloc(65_536, 'x')
  const pump = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', pump)
  pump()
}

const drip: Page = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' })
  const timer = setInterval(() => response.write('.'), 25)
  response.on('close', () => clearInterval(timer))
}

const stall: Page = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' })
  response.write('<p>This sentence has no')
}

/** Five empty-looking mebibytes and more: stored gzip blocks of length zero, which decode to nothing. */
const hollow = Buffer.concat([
  Buffer.from('1f8b0800000000000003', 'hex'),
  Buffer.alloc(6 * 1024 * 1024, Buffer.from('000000ffff', 'hex')),
])

const gzipped = gzipSync('<p>half of this is here, '.repeat(20_000))
const half = gzipped.subarray(0, Math.floor(gzipped.length / 2))

/** Hostile pages on traps.example.com, by path. */
export const traps: Readonly<Record<string, Page>> = {
  '/endless': endless,
  '/drip': drip,
  '/silent': () => {},
  '/stall': stall,
  '/gzip-bomb': bomb('gzip', gzipBomb),
  '/gzip-gzip-bomb': bomb('gzip, gzip', gzipTwice),
  '/brotli-bomb': bomb('br', brotliBomb),
  '/hollow-gzip': bomb('gzip', () => hollow),
  '/stacked': { headers: { 'content-encoding': 'gzip, gzip, gzip' }, body: gzipped },
  '/zstd': { headers: { 'content-encoding': 'zstd' }, body: 'anything' },
  '/fake-gzip': { headers: { 'content-encoding': 'gzip' }, body: 'this is no gzip at all' },
  '/truncated-gzip': { headers: { 'content-encoding': 'gzip' }, body: half },
  '/cut-gzip': (_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': gzipped.length })
    response.write(half, () => response.socket?.destroy())
  },
  '/cut': raw('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n<p>only this'),
  '/cut-at-once': raw(''),
  '/wide-header': { headers: { 'x-wide': 'x'.repeat(60_000) }, body: 'wide' },
  '/many-headers': raw(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(100_000)}content-length: 2\r\n\r\nok`),
  '/bad-chunks': raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nno chunk\r\n'),
  '/no-http': raw('SSH-2.0-OpenSSH_9.6\r\n'),
  '/two-lengths': raw('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 9\r\n\r\nok'),
  '/split-location': raw('HTTP/1.1 302 Found\r\nlocation: /next\r\n\tX: y\r\ncontent-length: 0\r\n\r\n'),
  ...moreTraps,
}
