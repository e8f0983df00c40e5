import type { World } from '../mcp/kernel/call.ts'
import type { CallHistory } from '../mcp/kernel/call-history.ts'
import type { Route } from '../mcp/kernel/http.ts'
import { missingFor } from '../mcp/kernel/pipeline/provide.ts'
import type { Service } from '../mcp/kernel/service.ts'
import { columnChart } from '../mcp/lib/column-chart.ts'
import { isRecord } from '../mcp/lib/json.ts'
import { type Html, html } from '../mcp/lib/text/html.ts'
import { chooseForm } from './accept.ts'
import type { ReadReady } from './health.ts'
import { sendPage } from './page-route.ts'
import { json, send } from './send.ts'

const state = (isWell: boolean, well: string, ill: string): Html =>
  isWell ? html`<span class="good">${well}</span>` : html`<span class="bad">${ill}</span>`

const table = (label: string, head: readonly string[], rows: readonly (readonly (Html | string)[])[]): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="${label}"><table><thead><tr>${head.map(text => html`<th scope="col">${text}</th>`)}</tr></thead><tbody>
${rows.map(cells => html`<tr>${cells.map(cell => html`<td>${cell}</td>`)}</tr>\n`)}</tbody></table></div>`

const records = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isRecord) : []

const serviceRows = (world: World, services: readonly Service[]) =>
  services.map(service => {
    const off = service.tools.filter(tool => missingFor(world, tool).length > 0).length
    return [
      html`<a href="${world.base(service)}/">${service.name}</a>`,
      service.version,
      state(off === 0, `all ${service.tools.length} tools`, `${off} of ${service.tools.length} tools off`),
    ]
  })

const offRows = (world: World, services: readonly Service[]) =>
  services.flatMap(service =>
    service.tools.flatMap(tool => {
      const missing = missingFor(world, tool)
      if (missing.length === 0) return []
      return [
        [
          html`<a href="${world.base(service)}/tools/${tool.name}">${service.name}: ${tool.title}</a>`,
          missing.join(', '),
        ],
      ]
    }),
  )

const jobRow = ({ name, ok, at, ms }: Record<string, unknown>) => [
  html`${String(name)}<br><span class="note">${String(at).slice(0, 16).replace('T', ' ')} UTC</span>`,
  state(ok === true, 'well', 'failed'),
  `${Math.round(Number(ms))} ms`,
]

const durationText = (ms: number | null): string => {
  if (ms === null) return 'none'
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** Calls of a day as charts: how many, how many of them failed, and how long they took. */
const callsPart = (calls: CallHistory): Html => {
  const hours = calls.hours()
  const name = ({ hour }: { hour: string }) => hour.slice(11, 16)
  const charts = [
    columnChart({
      title: 'Calls by hour',
      unit: 'calls',
      names: 'Hour (UTC)',
      badName: 'failed',
      columns: hours.map(hour => ({ name: name(hour), value: hour.calls, bad: hour.failed })),
    }),
    columnChart({
      title: 'Time that 95 of 100 calls are answered within',
      unit: 'ms',
      names: 'Hour (UTC)',
      columns: hours.map(hour => ({ name: name(hour), value: hour.p95 ?? 0 })),
    }),
  ]
  const services = calls.services()
  return html`<h2 id="calls">Calls of 24 hours</h2>
<p class="note">Of this server, since ${calls.since.toISOString().slice(0, 16).replace('T', ' ')} UTC. A call that is refused, for want of a payment or for its input, has not failed.</p>
${charts}
${
  services.length > 0 &&
  table(
    'Calls by service',
    ['Service', 'Calls', 'Failed', 'Half within', '95 of 100 within'],
    services.map(({ service, calls: count, failed, p50, p95 }) => [
      service,
      String(count),
      state(failed === 0, '0', String(failed)),
      durationText(p50),
      durationText(p95),
    ]),
  )
}`
}

/** What the page says beside the state: calls of 24 hours, and the version of the program. */
type More = { calls?: CallHistory | undefined; version?: string | undefined }

const statusBody = (
  world: World,
  services: readonly Service[],
  ready: Record<string, unknown>,
  { calls, version }: More,
): Html => {
  const store = isRecord(ready.store) ? ready.store : {}
  const payments = isRecord(ready.payments) ? ready.payments : undefined
  const networks = records(ready.networks)
  const off = offRows(world, services)
  const limits = records(ready.capabilities).filter(({ state: found }) => found !== 'on')
  return html`<h1>Status</h1>
<p class="lead">${ready.ok === true ? 'Everything that calls need is there.' : 'This server should get no calls at the moment.'}</p>
<dl class="tiles">
<div><dt>Store</dt><dd>${state(store.ok === true, 'well', 'away')}</dd></div>
${
  version !== undefined &&
  html`<div><dt>Version</dt><dd>${version}</dd></div>
`
}<div><dt>Services</dt><dd>${services.length}</dd></div>
<div><dt>Tools</dt><dd>${services.reduce((sum, { tools }) => sum + tools.length, 0)}</dd></div>
<div><dt>Tools off</dt><dd>${off.length}</dd></div>
${payments && html`<div><dt>Payments on their way</dt><dd>${Number(payments.pending)}</dd></div>`}
</dl>
<h2 id="services">Services</h2>
${table('Services', ['Service', 'Version', 'Tools'], serviceRows(world, services))}
<h2 id="networks">Networks</h2>
${
  networks.length === 0
    ? html`<p>${world.demoPayment ? 'Payments run on local chains: their money is worth nothing.' : 'No payment is taken on a chain here.'}</p>`
    : table(
        'Networks',
        ['Network', 'State', 'Checks'],
        networks.map(({ network, ok, checks }) => [
          String(network),
          state(ok === true, 'well', 'off: nothing is quoted on it'),
          html`${records(checks).map(({ check, state: found }, at) => html`${at > 0 && ', '}${state(found === 'ok', String(check), `${check} (${found})`)}`)}`,
        ]),
      )
}
${
  off.length > 0 &&
  html`<h2 id="off">Tools that are off</h2>
<p>Each needs something that is not configured here.</p>
${table('Tools that are off', ['Tool', 'Needs'], off)}`
}
${
  limits.length > 0 &&
  html`<h2 id="capabilities">Off in part</h2>
${table(
  'Capabilities that are off',
  ['What', 'Why'],
  limits.map(({ capability, reason }) => [String(capability), String(reason ?? '')]),
)}`
}
${calls && callsPart(calls)}
<h2 id="jobs">Jobs</h2>
${table('Jobs', ['Job and its last run', 'State', 'Took'], records(ready.jobs).map(jobRow))}
<p class="note">For programs: the same as JSON by <code>Accept: application/json</code>, and at <code>/readyz</code>.</p>`
}

/** `/status`: whether all is well, for people; the state of `/readyz` as JSON for programs. */
export const statusRoute = (
  world: World,
  services: readonly Service[],
  ready: ReadReady,
  more: More = {},
): Route => ({
  method: 'GET',
  path: '/status',
  async handle(req, res) {
    const found = await ready(req)
    if (chooseForm(req.headers.accept) !== 'html')
      return send(res, 200, json, JSON.stringify(found), { Vary: 'Accept, Origin' })
    const page = world.shell({
      title: 'Status',
      section: 'Status',
      body: statusBody(world, services, { ...found }, more).html,
    })
    await sendPage(req, res, page)
  },
})
