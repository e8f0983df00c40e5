import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'
import { enter } from '../contestant.ts'

const paragraph = '<p>A sentence of a page, with a <a href="/next">link</a> and some more words in it.</p>\n'
const pageOf = (bytes: number) =>
  `<!doctype html><title>Page</title>${paragraph.repeat(bytes / paragraph.length)}`
const small = Buffer.from(pageOf(2000))
const large = gzipSync(pageOf(200_000))
const html = { 'content-type': 'text/html; charset=utf-8' }

/** Two pages: `/small` of 2 KB as it is, `/large` of 200 KB packed. `/kept` is the small one, for a minute. */
enter(
  createServer((request, response) => {
    const packed = request.url?.startsWith('/large')
    const body = packed ? large : small
    response.writeHead(200, {
      ...html,
      'content-length': body.length,
      ...(packed && { 'content-encoding': 'gzip' }),
      ...(request.url?.startsWith('/kept') && { 'cache-control': 'max-age=60' }),
    })
    response.end(body)
  }),
)
