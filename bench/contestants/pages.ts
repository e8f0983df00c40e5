import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'
import { enter } from '../contestant.ts'

const paragraph = '<p>A sentence of a page, with a <a href="/next">link</a> and some more words in it.</p>\n'
const makePage = (bytes: number) =>
  `<!doctype html><title>Page</title>${paragraph.repeat(bytes / paragraph.length)}`
const small = Buffer.from(makePage(2000))
const large = gzipSync(makePage(200_000))
const html = { 'content-type': 'text/html; charset=utf-8' }

/** Two pages: `/small` of 2 KB as it is, `/large` of 200 KB packed. `/kept` is the small one, for a minute. */
enter(
  createServer((request, response) => {
    const isGzip = request.url?.startsWith('/large')
    const body = isGzip ? large : small
    response.writeHead(200, {
      ...html,
      'content-length': body.length,
      ...(isGzip && { 'content-encoding': 'gzip' }),
      ...(request.url?.startsWith('/kept') && { 'cache-control': 'max-age=60' }),
    })
    response.end(body)
  }),
)
