import { call, type Incoming } from '../../../mcp/kernel/call.ts'
import type { OwnNeed } from '../../../mcp/kernel/need.ts'
import { free } from '../../../mcp/kernel/tool.ts'
import type { Ports } from '../../../mcp/ports/ports.ts'
import { makeSigningKey, openSign } from '../../../mcp/ports/sign/sign.ts'
import { openWorkers } from '../../../mcp/ports/workers/workers.ts'
import { openTransparencyLog, transparencyLog } from '../../../mcp/services/proof/ledger/log.ts'
import proof from '../../../mcp/services/proof/service.ts'
import { tools } from '../../../mcp/services/proof/tools.ts'
import { openTestWorld } from '../../world.ts'

let clients = 0

/** The verification service in a world where calls cost nothing. */
export const startProof = async (ports: Partial<Ports> = {}, own = new Map<OwnNeed, unknown>()) => {
  const workers = openWorkers()
  const sign = openSign(makeSigningKey())
  const world = await openTestWorld({ ports: { workers, sign, ...ports }, own })
  const { store, clock } = world.ports
  if (!store || !clock) throw new Error('the world has no store')
  const log = await openTransparencyLog({ store, clock, sign, ledgerOrigin: 'auto', reporters: [] })
  own.set(transparencyLog, log)
  const service = { ...proof, tools: tools.map(({ quote: _, ...tool }) => ({ ...tool, price: free })) }

  const ask = async (name: string, input: object, more: Partial<Incoming> = {}) => {
    const tool = service.tools.find(tool => tool.name === name)
    if (!tool) throw new Error(`no tool ${name}`)
    const outcome = await call(world, service, tool, {
      channel: 'rest',
      input,
      credentials: {},
      request: { method: 'POST', url: `/proof/tools/${name}`, headers: {} },
      client: `client-${++clients}`,
      resource: `http://127.0.0.1/proof/tools/${name}`,
      evidence: { headers: {}, meta: {} },
      ...more,
    })
    return outcome.output as Record<string, unknown>
  }

  return {
    world,
    ask,
    log,
    async stop() {
      log.close()
      await workers.close()
      await world.stop()
    },
  }
}

/** The refusal of a call: its code and the fields that it names. */
export const refusalOf = async (asked: Promise<unknown>) => {
  try {
    await asked
  } catch (error) {
    const { code, message, extra } = error as {
      code: string
      message: string
      extra: { issues?: { path: string }[] }
    }
    return { code, message, paths: (extra.issues ?? []).map(({ path }) => path) }
  }
  throw new Error('it was answered')
}
