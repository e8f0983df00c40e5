import { createSocket } from 'node:dgram'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { GuardSettings } from '../../../mcp/ports/fetch/guard.ts'

const listen = (server: Server, host: string) =>
  new Promise<number>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, host, () => resolve((server.address() as AddressInfo).port))
  })

/** Bytes without an end, as fast as they are taken. */
const flood = (response: ServerResponse, headers: Record<string, string>) => {
  response.writeHead(200, headers)
  const more = () => {
    while (!response.destroyed && response.write(Buffer.alloc(1 << 16, 97)));
    if (!response.destroyed) response.once('drain', more)
  }
  response.on('error', () => response.destroy())
  more()
}

/**
 * A public site of hostile pages, at 127.0.0.2 under any name of `.example`, and what must not be reached from it: a server and a STUN
 * port on 127.0.0.1, whose visits are in `hits`.
 */
export const startSite = async () => {
  const hits: string[] = []
  const visits = new Map<string, number>()
  const internal = createServer((request, response) => {
    hits.push(`${request.method} ${request.url}`)
    response.setHeader('access-control-allow-origin', '*')
    response.end('SECRET-OF-THE-INSIDE')
  })
  internal.on('upgrade', (request, socket) => {
    hits.push(`upgrade ${request.url}`)
    socket.destroy()
  })
  const stun = createSocket('udp4')
  stun.on('message', () => hits.push('stun'))
  const inside = `http://127.0.0.1:${await listen(internal, '127.0.0.1')}`
  await new Promise<void>(resolve => stun.bind(0, '127.0.0.1', resolve))
  const stunPort = stun.address().port

  const pages: Record<string, () => string> = {
    '/plain': () =>
      '<title>Hello</title><h1>Title</h1><p id=p>Text of the page.</p><input id=i><button onclick="p.textContent=i.value">go</button>',
    '/article': () =>
      `<!doctype html><html lang=en><title>News of the day</title><nav>Home Contact</nav><article><h1>News</h1>${'<p>A long enough paragraph about what happened in the harbour this morning, with ships and tides.</p>'.repeat(12)}</article><aside class=teaser>Buy now</aside><p hidden>unseen</p></html>`,
    '/attack': () => `<title>attack</title><img src="${inside}/img"><iframe src="${inside}/frame"></iframe>
<link rel=stylesheet href="${inside}/css"><link rel=preconnect href="${inside}"><link rel=prefetch href="${inside}/prefetch">
<link rel="dns-prefetch" href="//inside.example"><script>
window.done = []
const say = text => done.push(text)
fetch('${inside}/fetch').then(r => r.text()).then(say, () => 0)
try { const w = new WebSocket('${inside.replace('http', 'ws')}/ws'); w.onopen = () => say('ws') } catch {}
navigator.sendBeacon('${inside}/beacon', 'x')
try { new Worker(URL.createObjectURL(new Blob(["fetch('${inside}/worker', {mode: 'no-cors'})"]))) } catch {}
try { const p = new RTCPeerConnection({iceServers: [{urls: 'stun:127.0.0.1:${stunPort}'}]}); p.createDataChannel('x'); p.createOffer().then(o => p.setLocalDescription(o)) } catch {}
setTimeout(() => window.open('${inside}/popup'), 20)
navigator.serviceWorker?.register('/sw.js').then(() => say('service worker'), () => 0)
fetch('http://rebind.example:PORT/secret').then(r => r.text()).then(say, () => 0)
fetch('file:///etc/passwd').then(() => say('file'), () => 0)
setTimeout(() => { document.title = 'attacked ' + done.join() }, 700)
</script><body>page</body>`,
    '/dialogs': () =>
      `<title>dialogs</title><body><script>alert(1); confirm(2); prompt(3); addEventListener('beforeunload', e => e.preventDefault())</script>after</body>`,
    '/popups': () =>
      `<title>popups</title><body><script>for (let n = 0; n < 50; n++) window.open('/plain'); document.cookie = 'mine=1'</script>still here <a id=a href="/plain" target=_blank>open</a></body>`,
    '/cookie': () =>
      `<title>cookie</title><body><script>document.body.textContent = 'cookie ' + document.cookie + ' ' + (localStorage.seen ?? ''); document.cookie = 'mine=1'; localStorage.seen = 'before'</script></body>`,
    '/big': () =>
      `<title>big</title><body><script>document.body.textContent = 'x'.repeat(200000)</script></body>`,
    '/huge': () =>
      `<title>huge</title><body><script>document.body.textContent = 'x'.repeat(3e8); document.title = 't'.repeat(1e7)</script></body>`,
    '/shouts': () =>
      `<title>shouts</title><body>loud<script>setTimeout(() => { const s = 'x'.repeat(1e5); for (;;) console.log(s) })</script></body>`,
    '/loop': () => `<title>loop</title><body>before<script>while (true) {}</script></body>`,
    '/mirror': () =>
      `<title>mirror</title><body>true text<script>Object.defineProperty(HTMLElement.prototype, 'innerText', { get: () => 'a lie' })</script></body>`,
    '/hangs': () =>
      `<title>hangs</title><body>there<img src="/never"><script src="/never" async></script></body>`,
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x')
    visits.set(pathname, (visits.get(pathname) ?? 0) + 1)
    if (pathname === '/to-inside') return response.writeHead(302, { location: `${inside}/redirected` }).end()
    if (pathname === '/hop') return response.writeHead(302, { location: '/plain' }).end()
    if (pathname === '/circle') {
      const n = Number(searchParams.get('n') ?? 0) + 1
      return response.writeHead(302, { location: `/circle?n=${n}` }).end()
    }
    if (pathname === '/never') return
    if (pathname === '/download')
      return response
        .writeHead(200, { 'content-disposition': 'attachment; filename=x.bin' })
        .end(Buffer.alloc(1 << 20))
    if (pathname === '/gigabyte')
      return flood(response, {
        'content-type': 'application/octet-stream',
        'content-length': String(1 << 30),
        'content-disposition': 'attachment; filename=x.bin',
      })
    if (pathname === '/auth')
      return response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end('private')
    if (pathname === '/flood') return flood(response, { 'content-type': 'text/html' })
    if (pathname === '/data.json')
      return response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":1}')
    if (pathname === '/binary')
      return response.writeHead(200, { 'content-type': 'application/pdf' }).end(Buffer.from([37, 80, 0, 1]))
    const page = pages[pathname]
    if (!page) return response.writeHead(404, { 'content-type': 'text/html' }).end('<p>nothing</p>')
    return response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(page().replaceAll('PORT', String((server.address() as AddressInfo).port)))
  })
  server.on('upgrade', (_, socket) => socket.destroy())
  const port = await listen(server, '127.0.0.2')

  let rebinds = 0
  const guard: GuardSettings = {
    // Public names lead to the site; one of them leads inside when it is asked for the second time.
    resolve: async host => {
      if (host === 'rebind.example') return [{ address: rebinds++ % 2 ? '127.0.0.1' : '10.0.0.1', family: 4 }]
      return host.endsWith('.example') ? [{ address: '127.0.0.2', family: 4 }] : []
    },
    allow: (address, to) => address === '127.0.0.2' && to === port,
  }
  return {
    hits,
    /** How often a path was asked for. */
    visits: (path: string): number => visits.get(path) ?? 0,
    inside,
    guard,
    base: `http://site.example:${port}`,
    stop() {
      internal.close()
      server.close()
      server.closeAllConnections()
      stun.close()
    },
  }
}
