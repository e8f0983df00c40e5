import { readConfig } from '../app/config.ts'
import { services } from '../app/services.ts'
import { call, type Outcome } from '../mcp/kernel/call.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import type { Service } from '../mcp/kernel/service.ts'
import type { AnyTool } from '../mcp/kernel/tool.ts'
import { asList, asRecord, type JsonRecord, parseJson } from '../mcp/lib/json.ts'
import { readArguments, readInput } from './arguments.ts'
import { getTool } from './find.ts'
import { askServer } from './money.ts'
import { openPayingFetch } from './payer.ts'
import { type LocalServer, localServer } from './server.ts'

/** Options of a call. */
export const callOptions = {
  url: { type: 'string' },
  key: { type: 'string' },
  pay: { type: 'boolean' },
  max: { type: 'string' },
} as const

type Fetch = (target: string, init: RequestInit) => Promise<Response>

/** True when the server that runs with this configuration answers. */
const isRunning = async ({ fetch }: LocalServer): Promise<boolean> => {
  try {
    return (await fetch('/healthz', { signal: AbortSignal.timeout(30_000) })).ok
  } catch {
    return false
  }
}

/** A credential in the header that the tool reads; an ally key and the like are API keys. */
const keyHeaders = (service: Service, tool: AnyTool, key: string | undefined): Record<string, string> => {
  if (key === undefined) return {}
  const auth = tool.auth ?? service.auth
  const takesBearer = auth.includes('bearer') || (!auth.includes('apiKey') && service.identify?.bearer)
  return takesBearer ? { authorization: `Bearer ${key}` } : { 'x-api-key': key }
}

type RemoteCall = {
  fetch: Fetch
  base: string
  service: Service
  tool: AnyTool
  input: object
  headers: Record<string, string>
  free: boolean
}

const missingServer = (base: string, detail: string): ToolError =>
  new ToolError('upstream', detail, {
    hint: `Check --url: it is the address of the installation, without a path of a tool. ${base}/registry.json says what it serves.`,
  })

/**
 * Where a server has a service that is not under its slug: at the root where it serves only that (`octagent serve cat`). Undefined where
 * its registry says nothing else.
 */
const findServiceBase = async (
  fetch: Fetch,
  base: string,
  { slug }: Service,
): Promise<string | undefined> => {
  const response = await fetch(`${base}/registry.json`, {}).catch(() => undefined)
  const registry = asRecord(response?.ok ? parseJson(await response.text()) : undefined)
  const { url: site } = registry
  const services = asList(registry.services).map(asRecord)
  if (typeof site !== 'string' || services.length === 0) return undefined
  const service = services.find(one => one.slug === slug)
  if (!service) {
    const slugs = services.map(one => String(one.slug)).join(', ')
    throw missingServer(base, `The server at ${base} does not serve ${slug}; it serves ${slugs}.`)
  }
  const url = String(service.url)
  // The registry names public addresses; the way to the server may be another, so only what follows the site's counts.
  return url.startsWith(site) ? `${base}${url.slice(site.length)}` : undefined
}

/** A price in words, with the command that pays it. */
const priceSentence = (
  { service, tool }: Pick<RemoteCall, 'service' | 'tool'>,
  { detail }: JsonRecord,
): string =>
  `${service.slug}.${tool.name} was not called, because it costs something. ${String(detail ?? '')}\nThe same command with --pay pays it, up to 1 USD.`

const remote = async ({ fetch, base, service, tool, input, headers, free }: RemoteCall): Promise<number> => {
  const post = async (serviceBase: string) => {
    const response = await fetch(`${serviceBase}/tools/${tool.name}${free ? '?free=1' : ''}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(input),
    })
    return { response, body: parseJson(await response.text()) }
  }
  const usual = `${base}/${service.slug}`
  let { response, body } = await post(usual)
  if (response.status === 404 || response.status === 405) {
    const other = await findServiceBase(fetch, base, service)
    if (other !== undefined && other !== usual) ({ response, body } = await post(other))
  }
  if (body === undefined)
    throw missingServer(base, `What answers at ${base} is no Octagent: HTTP status ${response.status}.`)
  const isPrice = response.status === 402 && free
  // A person reads the sentence; a program that reads the output takes the whole quote.
  if (!isPrice || !process.stdout.isTTY) console.log(JSON.stringify(body, null, 2))
  if (isPrice) console.error(priceSentence({ service, tool }, asRecord(body)))
  return response.ok ? 0 : 1
}

const toCredentials = ({ authorization, 'x-api-key': apiKey }: Record<string, string>) => ({
  ...(authorization !== undefined && { bearer: authorization.slice('Bearer '.length) }),
  ...(apiKey !== undefined && { apiKey }),
})

const local = async (
  service: Service,
  tool: AnyTool,
  input: object,
  key: string | undefined,
): Promise<Outcome> => {
  const config = readConfig({ OCTAGENT_LOG: 'silent', ...process.env }, services)
  const { openWorld } = await import('../app/world.ts')
  const open = await openWorld(config, () => config.PUBLIC_URL ?? `http://127.0.0.1:${config.PORT}`, {
    services,
  })
  try {
    return await call(open.world, service, tool, {
      channel: 'rest',
      input,
      credentials: toCredentials(keyHeaders(service, tool, key)),
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

/** Finds the local Solana of the server that runs here: its transactions need a block of it. */
const localSolana = async (): Promise<string | undefined> =>
  (await askServer<{ solana?: string }>('GET', '/operator/chains').catch(() => undefined))?.solana

const noSolana = async () => undefined

const fetchFrom =
  (base: string): Fetch =>
  (target, init) =>
    globalThis.fetch(target, init).catch(cause => {
      throw new ToolError('unavailable', `No server answers at ${base}.`, { hint: 'Check --url.', cause })
    })

/**
 * `octagent call <service>.<tool> [json | key=value …] [--url base] [--key key] [--pay [--max usd]]`: asks the given server, else the one that runs
 * here, else calls the tool in this process. Exit code 1 when the tool fails.
 */
export const callTool = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, callOptions)
  const [path, ...words] = positionals
  const { service, tool } = getTool(path)
  const input = readInput(tool, words)
  const config = readConfig(process.env, services)
  const server = localServer(config)
  const base = values.url?.replace(/\/+$/, '')
  if (base !== undefined && !/^https?:\/\//.test(base))
    throw new ToolError(
      'invalid_input',
      `--url: "${base}" is no address that begins with http:// or https://.`,
    )
  if (values.max !== undefined && !/^\d{1,5}(\.\d{1,6})?$/.test(values.max))
    throw new ToolError('invalid_input', `--max: "${values.max}" is no amount in USD, such as 3 or 0.25.`)
  const plainFetch = base === undefined ? server.fetch : fetchFrom(base)
  if (base !== undefined || (await isRunning(server))) {
    const fetch = values.pay
      ? await openPayingFetch(plainFetch, {
          config,
          environment: process.env,
          max: values.max,
          solanaRpc: base === undefined ? localSolana : noSolana,
          report: line => console.error(line),
        })
      : plainFetch
    const headers = keyHeaders(service, tool, values.key)
    return remote({ fetch, base: base ?? server.url, service, tool, input, headers, free: !values.pay })
  }
  if (values.pay)
    throw new ToolError(
      'unavailable',
      `No server answers at ${server.url}, and only a server takes payments.`,
      {
        hint: 'Start it with: octagent serve, or name one with --url.',
      },
    )
  try {
    console.log(JSON.stringify((await local(service, tool, input, values.key)).output, null, 2))
    return 0
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    console.log(JSON.stringify(error.toProblem(), null, 2))
    return 1
  }
}
