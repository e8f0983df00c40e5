import { findMisspelt, listSettings, readConfig } from '../config.ts'
import { missingNeeds } from '../mcp/kernel/pipeline/provide.ts'
import type { Setting } from '../mcp/kernel/setting.ts'
import { type AnyTool, isFree } from '../mcp/kernel/tool.ts'
import { lookAt } from '../ready.ts'
import { services } from '../services.ts'
import { type Open, openWorld } from '../world.ts'

type Finding = { ok: boolean; what: string; note: string }

const line = ({ ok, what, note }: Finding) => `${ok ? 'ok  ' : 'off '} ${what.padEnd(32)} ${note}`

const settingLine = ({ variable, secret, default: fallback }: Setting, text: string | undefined): string => {
  if (text) return `set     ${variable}=${secret ? '[secret]' : text}`
  return fallback === undefined ? `not set ${variable}` : `default ${variable}=${fallback}`
}

const settings = (environment: NodeJS.ProcessEnv): string[] => [
  ...listSettings(services).flatMap(({ settings }) =>
    settings.map(setting => settingLine(setting, environment[setting.variable])),
  ),
  ...findMisspelt(environment, services).map(
    ({ name, nearest }) => `unknown ${name}: nothing reads it; did you mean ${nearest}?`,
  ),
]

const within = async (what: string, check: () => Promise<string>): Promise<Finding> => {
  try {
    return { ok: true, what, note: await check() }
  } catch (cause) {
    return { ok: false, what, note: cause instanceof Error ? cause.message : String(cause) }
  }
}

const reachable = ({ world, storeStart }: Open): Promise<Finding[]> =>
  Promise.all([
    within('store', async () => {
      const health = await world.ports.store?.health()
      if (!health?.ok) throw new Error(health?.detail ?? 'not configured')
      return [health.engine, health.detail, storeStart].filter(Boolean).join('; ')
    }),
    within('dns', async () => {
      const answer = await world.ports.dns?.query('example.com', 'NS')
      return `${answer?.rcode} from ${answer?.resolver}`
    }),
  ])

const offReason = (open: Open, tool: AnyTool): string | undefined => {
  const missing = missingNeeds(open.world, tool.needs)
  if (missing.length > 0) return `needs ${missing.join(', ')}`
  if (!isFree(tool.price) && !open.world.gate)
    return tool.free ? 'free tier only: no payment rail' : 'no payment rail'
  return undefined
}

const tools = (open: Open): Finding[] =>
  services.flatMap(service =>
    service.tools.flatMap(tool => {
      const reason = offReason(open, tool)
      return reason ? [{ ok: false, what: `${service.slug}.${tool.name}`, note: reason }] : []
    }),
  )

const print = (title: string, lines: readonly string[]) =>
  console.log(`${title}\n${lines.map(text => `  ${text}`).join('\n')}\n`)

type Ready = {
  store: { ok: boolean; engine: string; detail?: string }
  jobs: { name: string; ok: boolean; error?: string }[]
  off: { tool: string; needs: string[] }[]
  networks?: Awaited<ReturnType<typeof lookAt>>
  payments?: { pending: number; lost: number }
}

/** A line for each check of each network. */
const networkFindings = (networks: Awaited<ReturnType<typeof lookAt>>): Finding[] =>
  networks.flatMap(({ network, checks }) =>
    checks.map(({ check, state, detail }) => ({
      ok: state === 'ok',
      what: `${network} ${check}`,
      note: state === 'wrong' ? `${detail} (the program refuses to start with this)` : detail,
    })),
  )

/** What the server says that runs here already; undefined when none does. */
const askRunning = async (url: string): Promise<Ready | undefined> => {
  try {
    return (await (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2000) })).json()) as Ready
  } catch {
    return undefined
  }
}

const printRunning = (url: string, { store, jobs, off, networks = [], payments }: Ready): number => {
  print(`The server at ${url}`, [
    line({ ok: store.ok, what: 'store', note: store.detail ?? store.engine }),
    ...(payments
      ? [
          line({
            ok: payments.lost === 0,
            what: 'payments',
            note: `${payments.pending} pending, ${payments.lost} lost to a reorganization (octagent owed lists them)`,
          }),
        ]
      : []),
    ...networkFindings(networks).map(line),
    ...jobs.map(({ name, ok, error }) => line({ ok, what: name, note: error ?? 'ran' })),
    ...off.map(({ tool, needs }) => line({ ok: false, what: tool, note: `needs ${needs.join(', ')}` })),
  ])
  return store.ok ? 0 : 1
}

/**
 * `octagent doctor`: what is set, what is reachable, and which tools are off because of it. Asks the server that runs with
 * this configuration, if there is one. Exit code 1 when the store cannot be used,
 * or a network is not what the settings say.
 */
export const doctor = async (): Promise<number> => {
  const config = readConfig(process.env, services)
  print('Environment', settings(process.env))
  const url = `http://127.0.0.1:${config.PORT}`
  const running = await askRunning(url)
  if (running) return printRunning(url, running)
  const world = await openWorld(config, () => config.PUBLIC_URL ?? url, { services }).catch(
    (cause: unknown) => (cause instanceof Error ? cause : new Error(String(cause))),
  )
  if (world instanceof Error) {
    print('Reachable', [line({ ok: false, what: 'store', note: world.message })])
    return 1
  }
  try {
    print('Reachable', (await reachable(world)).map(line))
    const networks = await lookAt(world.payments.networks)
    if (networks.length > 0) print('Networks that payments are taken on', networkFindings(networks).map(line))
    const off = tools(world)
    print('Tools that are off or limited', off.length > 0 ? off.map(line) : ['none'])
    return networks.some(({ checks }) => checks.some(({ state }) => state === 'wrong')) ? 1 : 0
  } finally {
    await world.close()
  }
}
