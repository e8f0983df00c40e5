import { openChild } from './child.ts'
import type { Group, Measurement } from './row.ts'

const mebibyte = 1 << 20
const fill = (part: string): string => part.repeat(Math.floor((mebibyte - 200) / part.length))

/** Bodies of 1 MB that no tool takes: what is JSON and what is not, few large values and many small ones. */
const contents: Readonly<Record<string, string>> = {
  'unknown fields': `{${Array.from({ length: 70_000 }, (_, n) => `"f${n}":1`).join(',')}}`,
  'deep nesting': `{"name":${fill('[')}`,
  'a long text': `{"name":"${fill('x')}","note":""}`,
  'wrong types': `{"name":[${fill('1,')}1],"note":7}`,
  'another schema': `{"items":[${fill('{"id":1,"tags":["a","b"]},')}{}]}`,
}

const asRpc = (method: string, params: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`

const transports: Readonly<Record<string, { path: string; toBody(input: string): string }>> = {
  REST: { path: '/cat/tools/sign', toBody: input => input },
  MCP: { path: '/cat/mcp', toBody: input => asRpc('tools/call', `{"name":"sign","arguments":${input}}`) },
  A2A: {
    path: '/cat/a2a',
    toBody: input =>
      asRpc(
        'message/send',
        `{"message":{"messageId":"m","role":"user","parts":[{"kind":"data","data":{"skill":"sign","arguments":${input}}}]}}`,
      ),
  },
}

const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const times = 20

const measure = async (transport: keyof typeof transports): Promise<Measurement> => {
  const { path = '', toBody = String } = transports[transport] ?? {}
  const child = await openChild('octagent')
  try {
    const send = async (body: string): Promise<void> => {
      const response = await fetch(`${child.ready}${path}`, { method: 'POST', headers, body })
      const text = await response.text()
      if (response.status === 200 && !/error|isError/i.test(text))
        throw new Error(`taken: ${text.slice(0, 200)}`)
    }
    const figures: [string, number][] = []
    for (const [name, input] of Object.entries(contents)) {
      const body = toBody(input)
      // A refusal may close the connection while the rest of the body is on its way.
      for (let n = 0; n < 5; n++) await send(body).catch(() => undefined)
      const before = await child.ask<number>('loopMs')
      for (let n = 0; n < times; n++) await send(body).catch(() => undefined)
      figures.push([name, ((await child.ask<number>('loopMs')) - before) / times])
    }
    const note = figures.map(([name, ms]) => `${name} ${ms.toFixed(2)}`).join(', ')
    return { value: Math.max(...figures.map(([, ms]) => ms)), note }
  } finally {
    await child.stop()
  }
}

/** Processor time of the event loop for one refusal of 1 MB: the dearest of five kinds. */
export const refusals: Group = {
  name: 'refusals',
  benches: Object.keys(transports).map(transport => ({
    name: `refusal of 1 MB over ${transport}, processor time of the event loop, the dearest kind`,
    unit: 'ms',
    aim: { below: 5 },
    measure: () => measure(transport),
  })),
}
