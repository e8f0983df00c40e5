import { isDeepStrictEqual } from 'node:util'
import { isLoopback, readConfig } from '../app/config.ts'
import { services } from '../app/services.ts'
import { openBases } from '../app/world.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import type { Service } from '../mcp/kernel/service.ts'
import { parseJson } from '../mcp/lib/json.ts'
import { serverJson } from '../rest-adapter/discovery/server-json.ts'
import { findService, readArguments } from './arguments.ts'
import { toTable } from './table.ts'

const options = { check: { type: 'boolean' } } as const

type Entry = ReturnType<typeof serverJson>
type Finding = { name: string; ok: boolean; finding: string }

/** Milliseconds that a server may take to answer. */
const patienceMs = 10_000

const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'octagent-publish', version: '1.0.0' },
  },
}

/** Finds how the outside differs from an entry, in a sentence; undefined where all is well. */
const look = async (entry: Entry): Promise<string | undefined> => {
  const { name, websiteUrl, remotes } = entry
  const signal = AbortSignal.timeout(patienceMs)
  const at = `${websiteUrl}server.json`
  const served = await fetch(at, { signal })
  const text = await served.text()
  if (served.status !== 200) return `${at} answered ${served.status}.`
  if (!isDeepStrictEqual(parseJson(text), JSON.parse(JSON.stringify(entry))))
    return `${at} is another entry than this program writes: start the server anew.`
  for (const { url } of remotes) {
    const answer = await fetch(url, {
      method: 'POST',
      signal,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(hello),
    })
    await answer.body?.cancel()
    if (answer.status !== 200) return `${url} answered an MCP client with ${answer.status}.`
  }
  return name.startsWith('localhost/')
    ? 'An address without a domain is listed nowhere; set PUBLIC_URL to one with a domain.'
    : undefined
}

const check = async (entry: Entry): Promise<Finding> => {
  const { name } = entry
  const { protocol, hostname } = new URL(entry.websiteUrl)
  if (protocol !== 'https:' && !isLoopback(hostname))
    return { name, ok: false, finding: 'Registries take https addresses alone; set PUBLIC_URL to one.' }
  const finding = await look(entry).catch(
    (cause: Error) => `${entry.websiteUrl} cannot be reached: ${cause.message}`,
  )
  return { name, ok: finding === undefined, finding: finding ?? 'ready to be listed' }
}

/**
 * `octagent publish [service] [--check]`: prints the `server.json` of the installation or of a service, as registries of MCP servers take
 * it. `--check` looks from outside whether each entry is served as it is written and answers MCP clients; 1 where one does not.
 */
export const publish = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, options)
  const config = readConfig(process.env, services)
  const url = config.PUBLIC_URL
  if (url === undefined)
    throw new ToolError(
      'invalid_input',
      'PUBLIC_URL: needed, since an entry names the address of its server.',
    )
  const [slug] = positionals
  const world = {
    base: openBases(config, () => url),
    site: { organization: config.OCTAGENT_ORGANIZATION, url },
  }
  const write = (service?: Service) => serverJson({ world, services, service })
  const chosen = slug === undefined ? undefined : findService(services, slug)
  if (!values.check) {
    console.log(JSON.stringify(write(chosen), null, 2))
    return 0
  }
  const entries = chosen ? [write(chosen)] : [write(), ...services.map(service => write(service))]
  const findings = await Promise.all(entries.map(check))
  if (values.json) console.log(JSON.stringify(findings, null, 2))
  else console.log(toTable(findings.map(({ name, ok, finding }) => [ok ? 'ok' : 'no', name, finding])))
  return findings.every(({ ok }) => ok) ? 0 : 1
}
