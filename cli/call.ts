import { readConfig } from '../config.ts'
import { call, type Outcome } from '../mcp/kernel/call.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import type { Service } from '../mcp/kernel/service.ts'
import type { AnyTool } from '../mcp/kernel/tool.ts'
import { services } from '../services.ts'
import { findTool, readArguments, readInput } from './arguments.ts'

const options = { url: { type: 'string' } } as const

/** The server that runs with this configuration, if one answers. */
const runningAt = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(500) })).ok
  } catch {
    return false
  }
}

const remote = async (base: string, { slug }: Service, { name }: AnyTool, input: object): Promise<number> => {
  const response = await fetch(`${base}/${slug}/tools/${name}?free=1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
  const body: unknown = await response.json()
  console.log(JSON.stringify(body, null, 2))
  return response.ok ? 0 : 1
}

const local = async (service: Service, tool: AnyTool, input: object): Promise<Outcome> => {
  const config = readConfig({ OCTAGENT_LOG: 'silent', ...process.env }, services)
  const { openWorld } = await import('../world.ts')
  const open = await openWorld(config, () => config.PUBLIC_URL ?? `http://127.0.0.1:${config.PORT}`, {
    services,
  })
  try {
    return await call(open.world, service, tool, {
      channel: 'rest',
      input,
      credentials: {},
      request: { method: 'POST', url: `/${service.slug}/tools/${tool.name}`, headers: {} },
      client: 'command line',
      resource: `${open.world.base(service)}/tools/${tool.name}`,
      evidence: { headers: {}, meta: {} },
      free: true,
    })
  } finally {
    await open.close()
  }
}

/**
 * `octagent call <service>.<tool> [json | key=value …] [--url base]`: asks the given server, else the one that runs here,
 * else calls the tool in this process. Exit code 1 when the tool fails.
 */
export const callTool = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, options)
  const [path, ...words] = positionals
  const { service, tool } = findTool(services, path)
  const input = readInput(tool, words)
  if (values.url !== undefined) return remote(values.url.replace(/\/+$/, ''), service, tool, input)
  const here = `http://127.0.0.1:${readConfig(process.env, services).PORT}`
  if (await runningAt(here)) return remote(here, service, tool, input)
  try {
    console.log(JSON.stringify((await local(service, tool, input)).output, null, 2))
    return 0
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    console.log(JSON.stringify(error.toProblem(), null, 2))
    return 1
  }
}
