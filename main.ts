#!/usr/bin/env node
import module from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { holdNursery } from './cli/nursery.ts'

type Command = (args: string[]) => Promise<number>

/** Each command is loaded when it is asked for, so that none pays for another's imports. */
const commands: Record<string, () => Promise<Command>> = {
  serve: async () => {
    holdNursery()
    return (await import('./cli/serve.ts')).serve
  },
  list: async () => (await import('./cli/list.ts')).list,
  create: async () => (await import('./cli/create.ts')).create,
  find: async () => (await import('./cli/find.ts')).find,
  describe: async () => (await import('./cli/find.ts')).describe,
  open: async () => (await import('./cli/find.ts')).open,
  call: async () => (await import('./cli/call.ts')).callTool,
  say: async () => (await import('./cli/say.ts')).say,
  connect: async () => (await import('./cli/connect.ts')).connectTo,
  wallet: async () => (await import('./cli/wallet.ts')).showWallet,
  wallets: async () => (await import('./cli/wallets.ts')).makeWallets,
  limits: async () => (await import('./cli/wallet.ts')).showLimits,
  spent: async () => (await import('./cli/wallet.ts')).showSpent,
  publish: async () => (await import('./cli/publish.ts')).publish,
  doctor: async () => (await import('./cli/doctor.ts')).doctor,
  owed: async () => (await import('./cli/money.ts')).listOwed,
  audit: async () => (await import('./cli/audit.ts')).auditMoney,
  owe: async () => (await import('./cli/money.ts')).oweTransfer,
  sales: async () => (await import('./cli/sales.ts')).showSales,
  deploy: async () => (await import('./cli/deploy.ts')).deploy,
  refund: async () => (await import('./cli/money.ts')).refundOwed,
  backup: async () => (await import('./cli/backup.ts')).backUp,
  restore: async () => (await import('./cli/backup.ts')).restore,
  migrate: async () => (await import('./cli/migrate.ts')).migrate,
  upgrade: async () => (await import('./cli/upgrade.ts')).upgrade,
  rotate: async () => (await import('./cli/rotate.ts')).rotate,
  accounts: async () => (await import('./cli/accounts.ts')).manageAccounts,
  'pay-invoice': async () => (await import('./cli/pay-invoice.ts')).payInvoice,
  demo: async () => (await import('./cli/demo.ts')).demo,
  'verify-proof': async () => (await import('./cli/verify-proof.ts')).verifyProof,
  'verify-history': async () => (await import('./cli/verify-history.ts')).verifyHistory,
  backtest: async () => (await import('./cli/backtest.ts')).backtestCommand,
  'verify-record': async () => (await import('./cli/verify-record.ts')).verifyRecordCommand,
  sandbox: async () => (await import('./cli/sandbox.ts')).manageSandbox,
  completions: async () => (await import('./cli/completions.ts')).completions,
  docs: async () => (await import('./cli/docs.ts')).docs,
}

const minNode = [20, 19] as const

/** Says so where Node is too old, before anything of it is used. */
const isNodeTooOld = (): boolean => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > minNode[0] || (major === minNode[0] && minor >= minNode[1])) return false
  console.error(
    `Octagent needs Node ${minNode.join('.')} or later; this is ${process.versions.node}.\nInstall a newer one from https://nodejs.org/, or with your version manager: nvm install 22`,
  )
  return true
}

/**
 * Keeps compiled code for the next start, where Node can (22.8 and later); NODE_DISABLE_COMPILE_CACHE=1 switches it off. It lies in the
 * folder of the user, because whoever writes there decides what runs: not in the folder for temporary files, Node's own default.
 */
const cacheCompiledCode = (): void => {
  const enable: unknown = Reflect.get(module, 'enableCompileCache')
  if (typeof enable !== 'function') return
  const { XDG_CACHE_HOME } = process.env
  enable(join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'octagent'))
}

/** True when one of some words stands among the options, which end at `--`. */
const has = (args: readonly string[], ...words: string[]): boolean => {
  const end = args.indexOf('--')
  return args.slice(0, end < 0 ? undefined : end).some(word => words.includes(word))
}

const unknownCommand = async (name: string): Promise<number> => {
  const [{ usageText }, { findNearest }] = await Promise.all([
    import('./cli/usage.ts'),
    import('./mcp/lib/text/nearest.ts'),
  ])
  const nearest = findNearest(name, Object.keys(commands))
  const guess = nearest === undefined ? '' : ` Did you mean ${nearest}?`
  console.error(`There is no command "${name}".${guess}\n\n${usageText()}`)
  return 2
}

/** What a tool takes and costs; of a name that is none, the nearest ones. */
const toolHelp = async (name: string): Promise<string> => {
  const { describeTool, getTool } = await import('./cli/find.ts')
  try {
    return describeTool(getTool(name))
  } catch (error) {
    return (await import('./cli/explain.ts')).explain(error)
  }
}

const run = async ([name = 'help', ...args]: string[]): Promise<number> => {
  if (isNodeTooOld()) return 1
  cacheCompiledCode()
  const words = [name, ...args]
  if (has(words, '--version', '-V')) {
    const { readVersion } = await import('./app/version.ts')
    const text = await readVersion()
    console.log(has(words, '--json') ? JSON.stringify({ version: text }) : text)
    return 0
  }
  const isHelp = ['help', '--help', '-h'].includes(name)
  if (isHelp || has(args, '--help', '-h')) {
    const { usages, usageText } = await import('./cli/usage.ts')
    const command = isHelp ? args.find(word => !word.startsWith('-')) : name
    if (command !== undefined && !commands[command]) return unknownCommand(command)
    const about = command === undefined ? usages : usages[command]
    console.log(has(words, '--json') ? JSON.stringify(about, null, 2) : usageText(command))
    const tool = name === 'call' && !isHelp ? args.find(word => !word.startsWith('-')) : undefined
    if (tool !== undefined && !has(words, '--json')) console.log(`\n${await toolHelp(tool)}`)
    return 0
  }
  const load = commands[name]
  return load ? (await load())(args) : unknownCommand(name)
}

// Who reads the output may stop to, as `octagent list | head` does.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

const argv = process.argv.slice(2)

/** Settles when the command has ended; a server goes on. */
export const ended = run(argv).then(
  code => {
    process.exitCode = code
  },
  async error => {
    const { explain, toProblem } = await import('./cli/explain.ts')
    if (has(argv, '--json')) console.log(JSON.stringify(toProblem(error), null, 2))
    else console.error(explain(error))
    process.exitCode = 1
  },
)
