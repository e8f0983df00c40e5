import { start } from '../app.ts'
import { readConfig } from '../config.ts'
import type { Service } from '../mcp/kernel/service.ts'
import { services } from '../services.ts'
import { readArguments, serviceOf } from './arguments.ts'

const options = { port: { type: 'string' } } as const

const banner = (url: string, only: Service | undefined): string => {
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

/**
 * `octagent serve [service] [--port n]`: serves until SIGTERM or SIGINT, which drain and stop; a second one stops at once.
 */
export const serve = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, options)
  const only = positionals[0] === undefined ? undefined : serviceOf(services, positionals[0])
  const config = readConfig({ ...process.env, ...(values.port !== undefined && { PORT: values.port }) })
  const app = await start(config, only ? { only } : {})
  if (config.PUBLIC_URL) console.error(`Listening on ${app.url}.`)
  console.error(banner(config.PUBLIC_URL ?? app.url, only))
  return new Promise(resolve => {
    let asked = 0
    const stop = () => {
      asked++
      if (asked > 1) process.exit(1)
      app.stop().then(
        () => resolve(0),
        thrown => {
          console.error(thrown)
          resolve(1)
        },
      )
    }
    process.on('SIGTERM', stop)
    process.on('SIGINT', stop)
  })
}
