import { access, constants, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { openCapabilities } from '../app/capabilities.ts'
import { type Config, findMisspelt, listSettings, readConfig } from '../app/config.ts'
import { lookAt } from '../app/ready.ts'
import { services } from '../app/services.ts'
import { type Open, openWorld } from '../app/world.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import { missingNeeds } from '../mcp/kernel/pipeline/provide.ts'
import type { Setting } from '../mcp/kernel/setting.ts'
import { type AnyTool, isFree } from '../mcp/kernel/tool.ts'
import { loadStanding } from '../mcp/payment/gate/standing.ts'
import { openInstallation } from '../mcp/ports/installation.ts'
import { describeUse } from '../store/use.ts'
import { readArguments } from './arguments.ts'
import {
  capabilitySection,
  type Finding,
  paymentFindings,
  type Ready,
  runningSections,
  type Section,
} from './doctor-sections.ts'
import { explain } from './explain.ts'
import { type LocalServer, localServer } from './server.ts'

/** Milliseconds that an operator waits for a chain: the command has just started, on a machine that may be busy. */
const patientMs = 15_000

const line = ({ ok, what, note }: Finding) => `${ok ? 'ok  ' : 'off '} ${what.padEnd(32)} ${note}`

/** A variable that is set; the others are as docs/configuration.md has them. */
const settingLine = ({ variable, secret }: Setting, text: string | undefined): string[] =>
  text ? [`set     ${variable}=${secret ? '[secret]' : text}`] : []

const settings = (environment: NodeJS.ProcessEnv): string[] => [
  ...listSettings(services).flatMap(({ settings }) =>
    settings.flatMap(setting => settingLine(setting, environment[setting.variable])),
  ),
  ...findMisspelt(environment, services).map(
    ({ name, nearest }) => `unknown ${name}: nothing reads it; did you mean ${nearest}?`,
  ),
]

const explainShort = (cause: unknown): string => {
  if (cause instanceof ToolError) return explain(cause).replaceAll('\n', ' ')
  return cause instanceof Error ? cause.message : String(cause)
}

const within = async (what: string, check: () => Promise<string>): Promise<Finding> => {
  try {
    return { ok: true, what, note: await check() }
  } catch (cause) {
    return { ok: false, what, note: explainShort(cause) }
  }
}

const reachable = ({ world, storeStart }: Open): Promise<Finding[]> =>
  Promise.all([
    within('store', async () => {
      const health = await world.ports.store?.health()
      if (!health?.ok) throw new Error(health?.detail ?? 'not configured')
      const use = world.ports.store?.use()
      return [health.engine, health.detail, use && describeUse(use), storeStart].filter(Boolean).join('; ')
    }),
    within('dns', async () => {
      const answer = await world.ports.dns?.query('example.com', 'NS')
      return `${answer?.rcode} from ${answer?.resolver}`
    }),
    within('sandbox', async () => {
      const facts = (await world.ports.sandboxes?.get())?.facts
      return `${facts?.runner}, Python ${facts?.python}`
    }),
    within('browser', async () => {
      const browser = await world.ports.browsers?.get().catch((cause: unknown) => {
        if (cause instanceof ToolError && cause.extra.reason === 'browser_off') return undefined
        throw cause
      })
      return browser ? `Chromium ${browser.facts.version} in bubblewrap` : 'turned off by BROWSER_PATH'
    }),
  ])

/** The ways that money comes in by. A balance pays only with what came another way. */
const waysToPay = ({ world, payments }: Open): string[] => [
  ...(world.gate ? payments.methods.filter(({ moves }) => moves !== 'book').map(({ name }) => name) : []),
  ...(world.ports.card ? ['card'] : []),
]

const offReason = (open: Open, tool: AnyTool): string | undefined => {
  const missing = missingNeeds(open.world, tool.needs)
  if (missing.length > 0) return `needs ${missing.join(', ')}`
  if (!isFree(tool.price) && waysToPay(open).length === 0)
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

/** Megabytes that are left on the disk of the data folder; below a tenth of a gigabyte the store is near its end. */
const minFreeMb = 100

const disk = async (folder: string): Promise<Finding> => {
  const what = 'disk'
  for (let at = resolve(folder); ; at = dirname(at)) {
    try {
      const { bavail, bsize } = await statfs(at)
      const mb = Math.floor((bavail * bsize) / 1_000_000)
      const ok = mb >= minFreeMb
      const note = `${mb} MB free at ${folder}${ok ? '' : '; make room: writes are refused when it is full'}`
      return { ok, what, note }
    } catch (error) {
      if (at === dirname(at)) return { ok: false, what, note: explain(error) }
    }
  }
}

const writable = async (folder: string): Promise<Finding> => {
  const what = 'data folder'
  for (let at = resolve(folder); ; at = dirname(at)) {
    try {
      await access(at, constants.W_OK)
      return { ok: true, what, note: folder }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || at === dirname(at))
        return { ok: false, what, note: explain(error).replace('\n', ' ') }
    }
  }
}

/** Asks the server that runs here already; undefined when none does. */
const askRunning = async (config: Config, server: LocalServer): Promise<Ready | undefined> => {
  try {
    // From this machine a server without a public address tells all.
    const headers: Record<string, string> = config.PUBLIC_URL
      ? { authorization: `Bearer ${(await openInstallation(config.OCTAGENT_DATA)).operator}` }
      : {}
    const ready = (await (
      await server.fetch('/readyz', { headers, signal: AbortSignal.timeout(30_000) })
    ).json()) as Ready
    return ready.store && ready.jobs ? ready : undefined
  } catch {
    return undefined
  }
}

const ownSections = async (open: Open): Promise<{ sections: Section[]; wrong: boolean }> => {
  const networks = await lookAt(open.payments.networks)
  const { store } = open.world.ports
  const payments = open.world.gate && store ? (await loadStanding(store, new Date())).standing : undefined
  const ways = waysToPay(open)
  const gate: Finding =
    ways.length > 0
      ? { ok: true, what: 'payments', note: `taken by ${ways.join(', ')}` }
      : { ok: false, what: 'payments', note: 'no way to pay is configured: what costs something is off' }
  return {
    sections: [
      { title: 'Reachable', findings: await reachable(open) },
      {
        title: 'Payments, chains and balances',
        findings: [gate, ...paymentFindings({ ...(payments && { payments }), networks })],
      },
      capabilitySection(await openCapabilities(open.world, services, patientMs)()),
      { title: 'Tools that are off or limited', findings: tools(open) },
    ],
    wrong: networks.some(({ checks }) => checks.some(({ state }) => state === 'wrong')),
  }
}

type Report = { problems: Finding[]; sections: Section[]; environment: string[] }

const printReport = ({ problems, sections, environment }: Report): void => {
  const print = (title: string, lines: readonly string[]) =>
    console.log(`${title}\n${(lines.length > 0 ? lines : ['none']).map(text => `  ${text}`).join('\n')}\n`)
  print('Problems', problems.map(line))
  for (const { title, findings } of sections) print(title, findings.map(line))
  print('Environment', environment)
}

/**
 * `octagent doctor [--json]`: first what is wrong, then what is reachable, paid by, off and set. Asks the server that runs with this
 * configuration, if there is one. Exit code 1 when the store or the data folder cannot be used, or a network is not what the
 * settings say.
 */
export const doctor = async (args: string[] = []): Promise<number> => {
  const { values } = readArguments(args, {})
  const config = readConfig(process.env, services)
  const server = localServer(config)
  const machine = {
    title: 'This machine',
    findings: [await writable(config.OCTAGENT_DATA), await disk(config.OCTAGENT_DATA)],
  }
  const misspelt = findMisspelt(process.env, services).map(({ name, nearest }) => ({
    ok: false,
    what: name,
    note: `nothing reads it; did you mean ${nearest}?`,
  }))
  const finish = (sections: readonly Section[], failed: boolean): number => {
    const all = [machine, ...sections]
    // What is off by choice has lists of its own.
    const problems = all
      .filter(({ title }) => !/^(Tools|Capabilities)/.test(title))
      .flatMap(({ findings }) => findings.filter(({ ok }) => !ok))
    const report = { problems: [...misspelt, ...problems], sections: all, environment: settings(process.env) }
    if (values.json) console.log(JSON.stringify({ ok: !failed, ...report }, null, 2))
    else printReport(report)
    return failed ? 1 : 0
  }
  const running = await askRunning(config, server)
  if (running) return finish(runningSections(server.url, running), !running.store.ok)
  const world = await openWorld(
    { ...config, OCTAGENT_LOG: 'silent' },
    () => config.PUBLIC_URL ?? server.url,
    { services },
  ).catch((cause: unknown) => ({ cause }))
  if ('cause' in world) {
    const note = explain(world.cause).replaceAll('\n', ' ')
    return finish([{ title: 'Reachable', findings: [{ ok: false, what: 'store', note }] }], true)
  }
  try {
    const { sections, wrong } = await ownSections(world)
    return finish(sections, wrong)
  } finally {
    await world.close()
  }
}
