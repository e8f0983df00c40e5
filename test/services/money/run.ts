import { call, type Incoming } from '../../../mcp/kernel/call.ts'
import type { Ports } from '../../../mcp/ports/ports.ts'
import money from '../../../mcp/services/money/service.ts'
import { openTestWorld, type TestWorld } from '../../world.ts'

export { money as service }

let clients = 0

/** Calls a tool as a REST client of its own does. */
export const askIn =
  (world: TestWorld) =>
  async (name: string, input: object, more: Partial<Incoming> = {}): Promise<Record<string, unknown>> => {
    const tool = money.tools.find(tool => tool.name === name)
    if (!tool) throw new Error(`no tool ${name}`)
    const outcome = await call(world, money, tool, {
      channel: 'rest',
      input,
      credentials: {},
      request: { method: 'POST', url: `/money/tools/${name}`, headers: {} },
      client: `client-${++clients}`,
      resource: `http://127.0.0.1/money/tools/${name}`,
      evidence: { headers: {}, meta: {} },
      ...more,
    })
    return outcome.output as Record<string, unknown>
  }

/** The money service in a real world with some ports. */
export const startMoney = async (ports: Partial<Ports>) => {
  const world = await openTestWorld({ ports })
  return { world, ask: askIn(world), stop: world.stop }
}

/** The refusal of a call. */
export const refusalOf = async (asked: Promise<unknown>) => {
  try {
    await asked
  } catch (error) {
    return error as { code: string; message: string; extra: { issues?: { path: string; message: string }[] } }
  }
  throw new Error('it was answered')
}
