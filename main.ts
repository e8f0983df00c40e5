#!/usr/bin/env node
import { ToolError } from './mcp/kernel/error.ts'

type Command = (args: string[]) => Promise<number>

/** Each command is loaded when it is asked for, so that none pays for another's imports. */
const commands: Record<string, () => Promise<Command>> = {
  serve: async () => (await import('./cli/serve.ts')).serve,
  list: async () => (await import('./cli/list.ts')).list,
  call: async () => (await import('./cli/call.ts')).callTool,
  doctor: async () => (await import('./cli/doctor.ts')).doctor,
  owed: async () => (await import('./cli/money.ts')).listOwed,
  audit: async () => (await import('./cli/audit.ts')).auditMoney,
  refund: async () => (await import('./cli/money.ts')).refundOwed,
  demo: async () => (await import('./cli/demo.ts')).demo,
  completions: async () => (await import('./cli/completions.ts')).completions,
  docs: async () => (await import('./cli/docs.ts')).docs,
}

const usage = `Usage: octagent <command>

  serve [service] [--port n]       serve all eight services, or one at the root of its port
  list [service]                   the tools, with prices
  call <service>.<tool> [input]    call a tool; input as JSON or key=value …  [--url base]
  doctor                           what is set, missing and reachable, and which tools are off
  demo                             start on local chains, pay for a feed, show the balances
  owed [--json]                    paid calls whose work was not done
  refund <id> [--to where]         give one of them back; --served: one that was answered
  audit [--json] [--no-chain]      whether ledger, payments and chains agree; 1 if not, 3 if a chain was silent
  completions bash|zsh|fish        shell completions
  docs                             write .env.example and docs/configuration.md

docs/configuration.md lists the environment variables.`

const run = async ([name = 'help', ...args]: string[]): Promise<number> => {
  if (['help', '--help', '-h'].includes(name)) {
    console.log(usage)
    return 0
  }
  const load = commands[name]
  if (load) return (await load())(args)
  console.error(`There is no command "${name}".\n\n${usage}`)
  return 2
}

const explain = (error: unknown): string => {
  if (error instanceof ToolError) return [error.message, error.extra.hint].filter(Boolean).join('\n')
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

// Who reads the output may stop to, as `octagent list | head` does.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

run(process.argv.slice(2)).then(
  code => {
    process.exitCode = code
  },
  error => {
    console.error(explain(error))
    process.exitCode = 1
  },
)
