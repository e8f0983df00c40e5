import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { Internet } from './internet.ts'

/** Puts a server of this machine on the local internet at a host, below a path: as a proxy in front of it does. */
export const publish = (
  internet: Pick<Internet, 'web'>,
  host: string,
  prefix: string,
  url: () => string,
): void =>
  internet.web.site(host, '*', (req: IncomingMessage, res: ServerResponse) => {
    const target = req.url ?? '/'
    if (!target.startsWith(prefix)) return void res.writeHead(404).end()
    const path = target.slice(prefix.length) || '/'
    const onward = request(new URL(path, url()), { method: req.method, headers: req.headers }, answer => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    })
    onward.on('error', () => res.destroy())
    req.pipe(onward)
  })
