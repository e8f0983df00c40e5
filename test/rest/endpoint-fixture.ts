import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { type AnyEndpoint, endpoint, unknownMethod } from '../../mcp/kernel/endpoint.ts'
import { ToolError } from '../../mcp/kernel/error.ts'
import { identify, type Service } from '../../mcp/kernel/service.ts'
import { free, tool, usd } from '../../mcp/kernel/tool.ts'
import { counter, hints, serviceWith } from '../call/fixture.ts'

export const secret = 'whsec'
export const hmac = (bytes: string | Uint8Array, key = secret): string =>
  createHmac('sha256', key).update(bytes).digest('hex')

const same = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))

/** A webhook whose sender signs the raw bytes. It writes, so that a repeated key must not run it again. */
export const hook = endpoint({
  name: 'hook',
  title: 'Webhook',
  description: 'Takes a signed event.',
  method: 'POST',
  path: '/hooks/:source',
  body: 'raw',
  accepts: ['application/json', 'text/plain'],
  maxBytes: 1000,
  needs: ['store'],
}).run(async ({ commit }, { bytes, headers, params, query }) => {
  if (!same(headers['x-signature'] ?? '', hmac(bytes)))
    throw new ToolError('forbidden', 'x-signature: it is not that of these bytes.')
  return commit(async tx => {
    const rows = tx.collection<{ id: string; runs: number }>('fixture.hooks')
    const runs = ((await rows.get('hook'))?.runs ?? 0) + 1
    await rows.put({ id: 'hook', runs })
    const body = { source: params.source, q: query.q ?? null, size: bytes.length, runs }
    return { kind: 'json', body, status: 201, headers: { 'X-Runs': String(runs) } }
  })
})

/** Who signs the digest of the body with the key in its name is known. */
export const digestProof = identify({ needs: [] }).run(async (_, { value, request }) => {
  const [name = '', mac = ''] = value.split(':')
  const signed = `${request.method} ${request.url} ${request.digest?.() ?? ''}`
  return same(mac, hmac(signed, name)) ? { id: `fixture:${name}`, via: 'apiKey' } : undefined
})

export const whoami = endpoint({
  name: 'signed',
  title: 'Signed',
  description: 'Tells who signed the body, and asks a tool as them.',
  method: 'PUT',
  path: '/signed',
  body: 'raw',
  needs: [],
  auth: ['apiKey'],
}).run(async ({ caller, call }, { bytes }) => {
  const { by } = await call('whose', {})
  return { kind: 'json', body: { caller: caller?.id, tool: by, text: Buffer.from(bytes).toString() } }
})

/** Tells its caller; its proof counts how often it was asked for. */
export const whose = tool({
  name: 'whose',
  title: 'Whose',
  description: 'Tells who calls.',
  input: z.object({}),
  output: z.object({ by: z.string().nullable() }),
  needs: [],
  price: free,
  auth: ['apiKey'],
  hints: { ...hints, readOnly: true, idempotent: true },
  examples: [{}],
}).run(async ({ caller }) => ({ by: caller?.id ?? null }))

export const uploads = { kept: [] as number[], failures: [] as string[], taken: 0 }

/** Takes a file in chunks, and keeps only a whole one. */
export const upload = endpoint({
  name: 'upload',
  title: 'Upload',
  description: 'Takes a file.',
  method: 'PUT',
  path: '/files/:name',
  body: 'stream',
  maxBytes: 100_000,
  needs: [],
  timeoutMs: 2000,
}).run(async (_, { chunks, params }) => {
  let size = 0
  try {
    for await (const chunk of chunks) {
      size += chunk.length
      uploads.taken = size
      if (params.name === 'picky') throw new ToolError('invalid_input', 'file: it is no picture.')
    }
  } catch (error) {
    uploads.failures.push(error instanceof ToolError ? error.code : String(error))
    throw error
  }
  uploads.kept.push(size)
  return { kind: 'empty', status: 204 }
})

export const picture = Buffer.from(Array.from({ length: 1000 }, (_, at) => at % 251))

export const tile = endpoint({
  name: 'tile',
  title: 'Tile',
  description: 'A picture.',
  method: 'GET',
  path: '/tiles/:z',
  body: 'none',
  needs: [],
}).run(async (_, { params }) => ({
  kind: 'bytes',
  type: 'image/png',
  bytes: params.z === 'empty' ? new Uint8Array() : picture.subarray(),
  cache: 'public, max-age=60',
  ...(params.z === '7' && { etag: 'seven' }),
}))

export const broken = endpoint({
  name: 'broken',
  title: 'Broken',
  description: 'Fails with words of a stranger.',
  method: 'GET',
  path: '/broken',
  body: 'none',
  needs: [],
}).run(async () => {
  throw new Error('password=hunter2')
})

export const portless = endpoint({
  name: 'portless',
  title: 'Portless',
  description: 'Needs what is not there.',
  method: 'GET',
  path: '/portless',
  body: 'none',
  needs: ['rdap'],
}).run(async () => ({ kind: 'empty', status: 204 }))

export const narrow = endpoint({
  name: 'narrow',
  title: 'Narrow',
  description: 'Takes two calls a minute of those who are known.',
  method: 'GET',
  path: '/narrow',
  body: 'none',
  needs: [],
  auth: ['bearer'],
  limits: [{ perMinute: 2, per: 'client' }],
}).run(async ({ caller }) => ({ kind: 'json', body: { caller: caller?.id } }))

/** Counts twice under one key. */
export const twice = endpoint({
  name: 'twice',
  title: 'Twice',
  description: 'Counts twice through a tool.',
  method: 'POST',
  path: '/twice',
  body: 'none',
  needs: [],
}).run(async ({ call }) => {
  const first = await call('count', { by: 1 })
  const second = await call('count', { by: 1 })
  return { kind: 'json', body: { runs: [first.runs, second.runs] } }
})

const rpcFacts = {
  title: 'RPC',
  description: 'JSON-RPC inside REST.',
  method: 'POST',
  body: 'json-rpc',
  needs: [],
} as const

export const rpcRuns = { count: 0 }

const answerRpc: AnyEndpoint['run'] = async ({ call }, { rpc }) => {
  rpcRuns.count++
  if (rpc?.method === 'echo') return { kind: 'rpc', result: (rpc.params ?? null) as never }
  if (rpc?.method === 'add')
    return { kind: 'rpc', result: (await call('count', rpc.params as never)) as never }
  if (rpc?.method === 'thing') throw new ToolError('not_found', 'There is no such thing.')
  if (rpc?.method === 'break') throw new Error('password=hunter2')
  if (rpc?.method === 'unwritable') return { kind: 'rpc', result: 1n as never }
  throw unknownMethod(rpc?.method ?? '')
}

export const rpc: AnyEndpoint = endpoint({ ...rpcFacts, name: 'rpc', path: '/rpc' }).run(answerRpc as never)
export const paidRpc: AnyEndpoint = endpoint({
  ...rpcFacts,
  name: 'paid_rpc',
  path: '/paid-rpc',
  needs: ['store'],
  price: usd('0.10', 'base-sepolia'),
}).run(answerRpc as never)

export const paidRuns = { count: 0 }

/** Costs something, and answers with other bytes each time it runs. */
const openPaidTile = (method: 'GET' | 'POST') =>
  endpoint({
    name: method === 'GET' ? 'paid_tile' : 'draw_tile',
    title: 'Dear tile',
    description: 'A picture that costs 0.10 USD.',
    method,
    path: '/paid/:size',
    body: 'none',
    needs: ['store'],
    price: usd('0.10', 'base-sepolia'),
    check(_, { params }) {
      if (!/^\d+$/.test(params.size ?? '')) throw new ToolError('invalid_input', 'size: must be a number.')
    },
  }).run(async ({ receipt }, { params }) => {
    paidRuns.count++
    if (!receipt) throw new Error('a priced endpoint ran unpaid')
    const bytes = Buffer.alloc(Number(params.size), `run ${paidRuns.count} `)
    return { kind: 'bytes', type: 'image/png', bytes, cache: 'public, max-age=60' }
  })

export const paidTile: AnyEndpoint = openPaidTile('GET')
export const paidDrawing: AnyEndpoint = openPaidTile('POST')

export const fixtureWith = (...endpoints: AnyEndpoint[]): Service => {
  const holder = serviceWith(counter(), whose)
  return { ...holder, identify: { ...holder.identify, apiKey: digestProof }, endpoints }
}

export const fixture = fixtureWith(
  hook as AnyEndpoint,
  whoami as AnyEndpoint,
  upload as AnyEndpoint,
  tile,
  broken,
  portless,
  narrow,
  twice,
  rpc,
)
