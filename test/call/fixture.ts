import { z } from 'zod'
import { call, type Incoming, type World } from '../../mcp/kernel/call.ts'
import { identify, type Service, service } from '../../mcp/kernel/service.ts'
import { type AnyTool, free, tool } from '../../mcp/kernel/tool.ts'

export const hints = { readOnly: false, destructive: false, idempotent: false, openWorld: false } as const

/** A service that holds the given tools and knows two bearer keys. */
export const serviceWith = (...tools: AnyTool[]): Service =>
  service({
    label: 'A',
    slug: 'fixture',
    name: 'Fixture',
    description: 'A service for tests.',
    version: '1.0.0',
    interfaces: [{ binding: 'JSONRPC', path: '/a2a', version: '1.0' }],
    card: {
      path: '/.well-known/agent-card.json',
      inputModes: ['text/plain'],
      outputModes: ['application/json'],
    },
    auth: ['public'],
    identify: {
      bearer: identify({ needs: [] }).run(async (_, { value }) =>
        value === 'ada' || value === 'bob' ? { id: `fixture:${value}`, via: 'bearer' } : undefined,
      ),
    },
    tools,
    fallback: tools[0]?.name ?? 'help',
  })

/** A tool that counts its runs in the store and answers with the count. */
export const counter = (more: object = {}): AnyTool =>
  tool({
    name: 'count',
    title: 'Count',
    description: 'Counts how often it ran, in the store.',
    input: z.object({ by: z.int().default(1).describe('Step') }),
    output: z.object({ runs: z.number(), caller: z.string().nullable() }),
    needs: ['store'],
    price: free,
    hints,
    examples: [{}],
    ...more,
  }).run(({ commit, caller }, { by }) =>
    commit(async tx => {
      const rows = tx.collection<{ id: string; runs: number }>('fixture.count')
      const runs = ((await rows.get('count'))?.runs ?? 0) + by
      await rows.put({ id: 'count', runs })
      return { runs, caller: caller?.id ?? null }
    }),
  )

export const incoming = (more: Partial<Incoming> = {}): Incoming => ({
  channel: 'rest',
  input: {},
  credentials: {},
  request: { method: 'POST', url: '/', headers: {} },
  client: '192.0.2.1',
  resource: 'test',
  evidence: { headers: {}, meta: {} },
  ...more,
})

/** Asks one tool; a failure comes back as its problem. */
export const asker = (world: World, tool: AnyTool) => {
  const holder = serviceWith(tool)
  return async (more: Partial<Incoming> = {}) => {
    try {
      return await call(world, holder, tool, incoming(more))
    } catch (error) {
      return (
        error as { toProblem(): { code: string; detail: string; ref?: string; retryable: boolean } }
      ).toProblem()
    }
  }
}
