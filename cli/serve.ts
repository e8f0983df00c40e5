import { findMisspelt, readConfig } from '../app/config.ts'
import { serviceLoaders } from '../app/service-loaders.ts'
import { type StartedApp, start } from '../app/start.ts'
import { scrub } from '../mcp/kernel/log.ts'
import type { Service } from '../mcp/kernel/service.ts'
import { findService, readArguments } from './arguments.ts'
import { releaseNursery } from './nursery.ts'

const options = { port: { type: 'string' }, conformance: { type: 'boolean' } } as const

const banner = (url: string, services: readonly Service[], only: Service | undefined): string => {
  if (only) return `${only.name} at ${url}/`
  const rows = services.map(({ label, slug, name }) => `  ${label}  ${`${url}/${slug}`.padEnd(36)} ${name}`)
  return `Octagent is serving eight services:

${rows.join('\n')}
     ${`${url}/mcp`.padEnd(36)} all of them over MCP

Try:
  claude mcp add --transport http octagent ${url}/mcp
  curl -s ${url}/cat/a2a -H 'content-type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","role":"user","messageId":"1","parts":[{"kind":"text","text":"hello"}]}}}'
  curl -s '${url}/data/skills/text-entities?free=1&text=Write+to+ada@example.com'
`
}

/** Milliseconds that a process nobody can vouch for may take to end in order. */
const patienceMs = 15_000

/** Milliseconds that readers of the last lines may take. */
const lastWordsMs = 1000

/** Milliseconds after which a start is over, with what is loaded once the server listens. */
const settleMs = 5_000

/**
 * `octagent serve [service] [--port n] [--conformance]`: serves until SIGTERM or SIGINT, which drain and stop; a second one stops at once. An
 * error that nobody caught is logged and ends the process in the same order, with code 1; a second one ends it at once.
 */
export const serve = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, options)
  const [slug] = positionals
  const only = slug === undefined ? undefined : (await findService(serviceLoaders, slug).load()).default
  const services = only ? [only] : (await import('../app/services.ts')).services
  const environment = { ...process.env, ...(values.port !== undefined && { PORT: values.port }) }
  const config = readConfig(environment, services)
  let app: StartedApp | undefined
  let reasons = 0

  const die = (event: string, error: unknown) => {
    app?.fatal(event, error)
    console.error(`Octagent ends: ${event}: ${scrub(error instanceof Error ? error.message : String(error))}`)
    reasons++
    if (reasons > 1 || !app) process.exit(1)
    setTimeout(() => process.exit(1), patienceMs).unref()
    const exit = () => process.exit(1)
    app.stop().then(exit, exit)
  }
  process.on('uncaughtException', error => die('uncaughtException', error))
  process.on('unhandledRejection', error => die('unhandledRejection', error))

  const { conformance } = values
  app = await start(config, { conformance, ...(only && { only }) })
  const { url, stop } = app
  setTimeout(releaseNursery, settleMs).unref()
  for (const { name, nearest } of findMisspelt(process.env, services))
    console.error(`${name} is set, and nothing reads it: did you mean ${nearest}?`)
  if (values.json) console.error(JSON.stringify({ listening: url, url: config.PUBLIC_URL ?? url }))
  else {
    if (config.PUBLIC_URL) console.error(`Listening on ${url}.`)
    console.error(banner(config.PUBLIC_URL ?? url, services, only))
  }
  return new Promise(resolve => {
    const finish = (code: number) => {
      resolve(code)
      // What nobody reads of standard error would keep the process.
      setTimeout(() => process.exit(code), lastWordsMs).unref()
    }
    const end = () => {
      reasons++
      if (reasons > 1) process.exit(1)
      stop().then(
        () => finish(reasons > 1 ? 1 : 0),
        error => {
          console.error(error)
          finish(1)
        },
      )
    }
    process.on('SIGTERM', end)
    process.on('SIGINT', end)
  })
}
