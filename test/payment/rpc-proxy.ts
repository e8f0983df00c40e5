import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type Call = { id: unknown; method: string; params: readonly unknown[] }

/** What a node answers instead of itself: a result, or an error. Undefined lets the question through. */
export type Interference = (call: Call) => { result: unknown } | { error: object } | 'broken' | undefined

/** A proxy before a node that counts the questions, takes its time, and may answer something else. */
export const openRpcProxy = async (rpc: string) => {
  const methods: string[] = []
  const knobs: { delayMs: number; interfere: Interference } = { delayMs: 0, interfere: () => undefined }

  const answer = async (call: Call): Promise<unknown> => {
    methods.push(call.method)
    if (knobs.delayMs > 0) await new Promise(resolve => setTimeout(resolve, knobs.delayMs))
    const instead = knobs.interfere(call)
    if (instead === 'broken') throw new Error('broken')
    if (instead) return { jsonrpc: '2.0', id: call.id, ...instead }
    const headers = { 'content-type': 'application/json' }
    return (await fetch(rpc, { method: 'POST', headers, body: JSON.stringify(call) })).json()
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', async () => {
      try {
        const request = JSON.parse(String(Buffer.concat(chunks))) as Call | Call[]
        const reply = await (Array.isArray(request) ? Promise.all(request.map(answer)) : answer(request))
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
      } catch {
        response.destroy()
      }
    })
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    knobs,
    /** The methods that were asked since the last time. */
    take: (): string[] => methods.splice(0),
    close: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
