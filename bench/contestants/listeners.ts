import { Agent, type ClientRequest, request } from 'node:http'
import { contest } from '../contestant.ts'

type Order = { url: string; body: string; headers: Record<string, string>; count: number; marker: string }
type Posts = { url: string; headers: Record<string, string>; bodies: string[] }

const open: ClientRequest[] = []
let heard: number[] = []
let last = 0
let wanted = Number.POSITIVE_INFINITY
let wake = () => {}
/** When the last event happened, by its own word. */
let happened = 0

const hear = (which: number) => {
  heard[which] = (heard[which] ?? 0) + 1
  last = Date.now()
  if (heard.every(times => times >= wanted)) wake()
}

/** One listener, from an address of its own; resolves once its stream is open. */
const listen = ({ url, body, headers, marker }: Order, which: number) =>
  new Promise<void>((resolve, reject) => {
    const from = `10.9.${which >> 8}.${which & 255}`
    const call = request(url, {
      method: 'POST',
      agent: new Agent({ keepAlive: false }),
      headers: { ...headers, 'content-length': Buffer.byteLength(body), 'x-forwarded-for': from },
    })
    call.on('error', reject)
    call.on('response', response => {
      response.setEncoding('utf8')
      if (response.statusCode !== 200) reject(new Error(`a stream was refused with ${response.statusCode}`))
      response.on('data', (text: string) => {
        if (which === 0) happened = Date.parse(/"timestamp":"([^"]+)"/.exec(text)?.[1] ?? '') || happened
        for (let at = text.indexOf(marker); at >= 0; at = text.indexOf(marker, at + 1)) hear(which)
      })
      response.on('error', () => undefined)
      resolve()
    })
    call.end(body)
    open.push(call)
  })

contest(undefined, {
  async open(order: Order) {
    heard = Array.from({ length: order.count }, () => 0)
    for (let which = 0; which < order.count; which++) await listen(order, which)
  },
  /** How many milliseconds after it happened the last listener had the nth event. */
  async all(times: number) {
    wanted = times
    if (!heard.every(count => count >= times)) await new Promise<void>(resolve => (wake = resolve))
    return last - happened
  },
  async post({ url, headers, bodies }: Posts) {
    for (const body of bodies) {
      const response = await fetch(url, { method: 'POST', headers, body })
      if (!response.ok) throw new Error(await response.text())
      await response.arrayBuffer()
    }
  },
  async close() {
    for (const call of open.splice(0)) call.destroy()
  },
})
