import { afterEach, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { readConfig } from '../../app/config.ts'
import { document } from '../../mcp/kernel/document.ts'
import { help } from '../../mcp/kernel/help.ts'
import { job } from '../../mcp/kernel/job.ts'
import { checkOwnNeeds } from '../../mcp/kernel/own-needs.ts'
import { missingNeeds } from '../../mcp/kernel/pipeline/provide.ts'
import { port } from '../../mcp/kernel/port.ts'
import { identify, type Service, service } from '../../mcp/kernel/service.ts'
import { type Secret, settings } from '../../mcp/kernel/setting.ts'
import { free, tool } from '../../mcp/kernel/tool.ts'
import { paymentSettings } from '../../mcp/payment/config.ts'
import { cardSettings } from '../../mcp/ports/card/config.ts'
import { llmSettings } from '../../mcp/ports/llm/config.ts'
import { portNames } from '../../mcp/ports/ports.ts'
import { openTestApp, type TestApp } from '../../testing.ts'

const pierSettings = settings({
  berths: {
    variable: 'PIER_BERTHS',
    schema: z.coerce.number().int().min(1),
    description: 'Ships that may lie here.',
    default: '3',
  },
  key: {
    variable: 'PIER_KEY',
    schema: z.string().min(8),
    description: 'Key of the harbour master.',
    secret: true,
  },
  tideTable: {
    variable: 'PIER_TIDE_TABLE',
    schema: z.string().regex(/^(high|low)$/),
    description: 'The tide, high or low.',
  },
})

const { berths, key, tideTable } = pierSettings
const closedPorts: string[] = []

type Tides = { now(): string; close(): void }

const tides = port({ name: 'tides', needs: [tideTable, 'clock'] }).open(
  ({ tideTable, clock }): Tides => ({
    now: () => `${tideTable} in ${clock.now().getUTCFullYear()}`,
    close: () => closedPorts.push('tides'),
  }),
)
/** A port that stands on another one. */
const pilot = port({ name: 'pilot', needs: [tides] }).open(({ tides }) => ({
  advice: () => `The tide is ${tides.now()}.`,
}))

const facts = {
  title: 'A tool',
  description: 'Does it. Free.',
  input: z.object({}),
  output: z.object({ text: z.string().describe('What it says') }),
  price: free,
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  examples: [{}] as const,
} as const

const count = tool({ ...facts, name: 'count', needs: [berths], wants: [key] }).run(async ctx => {
  expectTypeOf(ctx.berths).toEqualTypeOf<number>()
  expectTypeOf(ctx.key).toEqualTypeOf<Secret | undefined>()
  // @ts-expect-error a setting that it does not declare is not there
  const missing: unknown = ctx.tideTable
  return { text: `${ctx.berths} ${ctx.key?.reveal() ?? 'no key'} ${missing ?? 'nothing else'}` }
})
const open = tool({ ...facts, name: 'open', needs: [key] }).run(async ({ key }) => {
  expectTypeOf(key).toEqualTypeOf<Secret>()
  return { text: key.reveal() }
})
const advise = tool({ ...facts, name: 'advise', needs: [pilot], auth: ['apiKey', 'public'] }).run(
  async ({ pilot, caller }) => ({ text: `${pilot.advice()} ${caller?.id ?? 'nobody'}` }),
)
const ran: unknown[] = []
const count2 = job({ name: 'look', every: 1, needs: [berths, tides] }).run(async ctx => {
  ran.push({ berths: ctx.berths, tide: ctx.tides.now(), names: Object.keys(ctx).sort() })
})
const page = document({
  path: '/tide',
  title: 'Tide',
  description: 'The tide.',
  needs: [tides, berths],
}).render(({ tides, berths }) => ({ markdown: `${tides.now()}, ${berths} berths` }))

const pier = service({
  label: 'P',
  slug: 'pier',
  name: 'Pier',
  description: 'Counts ships.',
  version: '1.0.0',
  interfaces: [{ binding: 'JSONRPC', path: '/a2a', version: '1.0' }],
  card: { path: '/.well-known/agent-card.json', inputModes: ['text/plain'], outputModes: ['text/plain'] },
  auth: ['public'],
  identify: {
    apiKey: identify({ needs: [key] }).run(async ({ key }, { value }) =>
      value === key.reveal() ? { id: 'pier:master', via: 'apiKey' } : undefined,
    ),
  },
  tools: [help(), count, open, advise],
  documents: [page],
  jobs: [count2],
  settings: pierSettings,
  ports: [pilot, tides],
  fallback: 'help',
})

const apps: TestApp[] = []
const start = async (more: Partial<Parameters<typeof openTestApp>[0]> = {}) => {
  const app = await openTestApp({ services: [pier], ...more })
  apps.push(app)
  return app
}
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close()
  closedPorts.length = 0
})

test('handlers get the settings and ports of their service, by type and by value', async () => {
  const app = await start({
    environment: { PIER_BERTHS: '7', PIER_KEY: 'mastermaster', PIER_TIDE_TABLE: 'high' },
    ports: { clock: { now: () => new Date('2030-01-01T00:00:00Z') } },
  })
  expect((await app.call('pier.count')).body).toEqual({ text: '7 mastermaster nothing else' })
  expect((await app.call('pier.open')).body).toEqual({ text: 'mastermaster' })
  expect((await app.call('pier.advise')).body).toEqual({ text: 'The tide is high in 2030. nobody' })
  const master = await app.call('pier.advise', {}, { 'x-api-key': 'mastermaster' })
  expect(master.body).toEqual({ text: 'The tide is high in 2030. pier:master' })
  const text = await (await fetch(`${app.url}/pier/tide`, { headers: { accept: 'text/markdown' } })).text()
  expect(text).toContain('high in 2030, 7 berths')
  await expect
    .poll(() => ran.at(-1), { timeout: 60_000 })
    .toEqual({
      berths: 7,
      tide: 'high in 2030',
      names: ['berths', 'signal', 'tides'],
    })
})

test('what is not set is refused where it is needed, by the name of the variable, and left out where it is wanted', async () => {
  const app = await start()
  expect((await app.call('pier.count')).body).toEqual({ text: '3 no key nothing else' })
  const problem = await app.call('pier.open')
  expect(problem).toMatchObject({
    status: 503,
    body: { code: 'unavailable', detail: 'open needs "PIER_KEY", which is not configured here.' },
  })
  expect(await app.call('pier.advise')).toMatchObject({
    status: 503,
    body: { detail: 'advise needs "PIER_TIDE_TABLE", which is not configured here.' },
  })
  const { off } = (await (await fetch(`${app.url}/readyz`)).json()) as { off: object[] }
  expect(off).toEqual([
    { tool: 'pier.open', needs: ['PIER_KEY'] },
    { tool: 'pier.advise', needs: ['PIER_TIDE_TABLE'] },
  ])
})

test('a port is replaced in tests, also under another that stands on it, and closed with the installation', async () => {
  const app = await start({
    environment: { PIER_TIDE_TABLE: 'low' },
    replaced: [tides.as({ now: () => 'out for ever', close: () => closedPorts.push('fake') })],
  })
  expect((await app.call('pier.advise')).body).toEqual({ text: 'The tide is out for ever. nobody' })
  const real = await start({ environment: { PIER_TIDE_TABLE: 'low' } })
  await real.close()
  expect(closedPorts).toEqual(['tides'])
})

test('a wrong variable of a service is named, and its secret is never printed', () => {
  const environment = { PIER_BERTHS: 'many', PIER_KEY: 'short', PIER_BERTH: '1' }
  expect(() => readConfig(environment, [pier])).toThrow(
    /PIER_BERTH: .*did you mean PIER_BERTHS\?\n.*PIER_BERTHS: /s,
  )
  expect(() => readConfig(environment, [pier])).not.toThrow(/: short/)
  expect(JSON.stringify(readConfig({ PIER_KEY: 'mastermaster' }, [pier]))).not.toContain('mastermaster')
})

test('a configuration that was read without the service says so', async () => {
  const { createApp } = await import('../../app/app.ts')
  await expect(createApp({ services: [pier], config: readConfig({}) })).rejects.toThrow(
    'PIER_BERTHS was not read: give the service to readConfig(environment, services)',
  )
})

const refusal = (more: Partial<Service>) => () => checkOwnNeeds([{ ...pier, ...more }], portNames)

test('a need that the service does not declare, and a name that would hide another, are refused at boot', () => {
  expect(refusal({})).not.toThrow()
  expect(refusal({ settings: {} })).toThrow('pier.count needs the setting "berths"')
  expect(refusal({ ports: [pilot] })).toThrow('pier.look needs the port "tides"')
  const withName = (name: string) => ({ ...pierSettings, extra: { ...berths, name } })
  for (const name of ['store', 'caller', 'berths'])
    expect(refusal({ settings: withName(name) })).toThrow(`"${name}"`)
})

test('a port of the program that is not open is named by the variable that opens it', () => {
  const { lightning, networks } = paymentSettings
  expect(
    missingNeeds({ ports: {}, own: new Map() }, ['llm', 'card', 'lightning', 'payouts', 'transfers', 'geo']),
  ).toEqual([
    llmSettings.url.variable,
    cardSettings.stripeKey.variable,
    lightning.variable,
    networks.variable,
    networks.variable,
    'geo',
  ])
})
