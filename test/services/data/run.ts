import { call, type Incoming } from '../../../mcp/kernel/call.ts'
import { openCache } from '../../../mcp/ports/cache/cache.ts'
import type { FetchSettings } from '../../../mcp/ports/fetch/settings.ts'
import { openGeo } from '../../../mcp/ports/geo/geo.ts'
import { openVies } from '../../../mcp/ports/vies/vies.ts'
import { openWorkers } from '../../../mcp/ports/workers/workers.ts'
import data from '../../../mcp/services/data/service.ts'
import { startEvm } from '../../internet/evm.ts'
import { startInternet } from '../../internet/internet.ts'
import { startRegistry } from '../../internet/registry.ts'
import { openTestWorld } from '../../world.ts'

/** The data service in a real world over the local internet. `ask` calls a skill as an A2A client does. */
export const startData = async (web: Partial<FetchSettings> = {}) => {
  const [internet, local] = await Promise.all([startInternet(), startEvm()])
  const { dns, fetch, tls } = internet.ports(web)
  const registry = await startRegistry(internet)
  const clock = { now: () => new Date() }
  const vies = openVies({ fetch, url: 'http://vies.example.com/rest-api', waitMs: 1 })
  const workers = openWorkers()
  const world = await openTestWorld({
    ports: {
      dns,
      fetch,
      tls,
      rdap: registry.rdap,
      geo: await openGeo(undefined),
      vies,
      evm: local.evm,
      clock,
      workers,
      cache: openCache({ clock }),
    },
  })
  let clients = 0
  /** Each call comes from a client of its own unless one is named, so that limits per client do not add up. */
  const ask = async (name: string, input: object, more: Partial<Incoming> = {}) => {
    const tool = data.tools.find(tool => tool.name === name)
    if (!tool) throw new Error(`no tool ${name}`)
    const outcome = await call(world, data, tool, {
      channel: 'a2a',
      input,
      credentials: {},
      request: { method: 'POST', url: '/data/a2a', headers: {} },
      client: `client-${++clients}`,
      resource: `a2a://data/${name}`,
      evidence: { headers: {}, meta: {} },
      ...more,
    })
    return outcome.output
  }
  const stop = async () => {
    await workers.close()
    await world.stop()
    await internet.stop()
    local.stop()
  }
  return { ask, internet, registry, evm: local, world, stop }
}

/** The code and text of a refusal. */
export const refused = async (asked: Promise<unknown>) => {
  try {
    await asked
  } catch (error) {
    return error as { code: string; message: string; toProblem(): { retryable: boolean; issues?: object[] } }
  }
  throw new Error('it was answered')
}
