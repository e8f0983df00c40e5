import type { OperatorDesk } from '../../mcp/accounts/operator.ts'
import { type Column, columnChart } from '../../mcp/lib/column-chart.ts'
import { type Html, html } from '../../mcp/lib/text/html.ts'
import { formatUsd } from '../../mcp/lib/usd.ts'
import { form } from './answer.ts'
import { table, toTime } from './table.ts'

/** What a question to the desk is answered with. */
type Answer<Work extends (...given: never[]) => unknown> = Awaited<ReturnType<Work>>

type Sale = Answer<OperatorDesk['sales']>['sales'][number]

export type ConsolePage = {
  base: string
  now: Date
  /** Days that the revenue is of. */
  days: number
  sales: readonly Sale[]
  owed: Answer<OperatorDesk['owed']>
  unexplained: Answer<OperatorDesk['unexplained']>
  networks: Answer<OperatorDesk['networks']>
  peers: Answer<OperatorDesk['peers']>
  accounts: Answer<OperatorDesk['accounts']>
  alerts: Answer<OperatorDesk['alerts']>
  capabilities: Answer<OperatorDesk['capabilities']>
  calls: OperatorDesk['calls']
  /** Calls of an id that was looked up, or the last faults. */
  lookUp: { id: string | undefined; calls: ReturnType<OperatorDesk['findCalls']> }
  queues: NonNullable<ReturnType<OperatorDesk['queues']>>
  settings: ReturnType<OperatorDesk['settings']>
  canFreeze: boolean
  isOut: boolean
  /** Receipt that was given back just now. */
  refunded: string | undefined
}

const toMs = (ms: number | null): string => {
  if (ms === null) return ''
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** Digits after the point that sums of dollars are made with: sats have more than tokens. */
const digits = 12

const toParts = (usd: string): bigint => {
  const [whole = '0', part = ''] = usd.split('.')
  return BigInt((whole || '0') + part.padEnd(digits, '0').slice(0, digits))
}

/** Dollars of a sum, to the millionth. */
const toUsd = (parts: bigint): string => formatUsd(parts / 10n ** BigInt(digits - 6))

type Revenue = { count: number; parts: bigint; back: bigint }

const nothing: Revenue = { count: 0, parts: 0n, back: 0n }

const add = ({ count, parts, back }: Revenue, { usd, state }: Sale): Revenue => {
  const worth = toParts(usd)
  return { count: count + 1, parts: parts + worth, back: back + (state === 'refunded' ? worth : 0n) }
}

const sumBy = (sales: readonly Sale[], name: (sale: Sale) => string): [string, Revenue][] => {
  const sums = new Map<string, Revenue>()
  for (const sale of sales) sums.set(name(sale), add(sums.get(name(sale)) ?? nothing, sale))
  return [...sums].sort(([, one], [, other]) => (one.parts < other.parts ? 1 : -1))
}

const revenueTable = (title: string, sums: readonly [string, Revenue][]): Html =>
  html`<h3>By ${title}</h3>
${table(
  `Revenue by ${title}`,
  [title, { number: 'calls' }, { number: 'USD' }, { number: 'given back' }],
  sums.map(([name, { count, parts, back }]) => [name, count, toUsd(parts), toUsd(back)]),
)}`

const dayMs = 86_400_000

const revenuePart = ({ base, sales, days, now }: ConsolePage): Html => {
  const byDay = new Map(sumBy(sales, ({ date }) => date.slice(0, 10)))
  const columns = Array.from({ length: days }, (_, at): Column => {
    const name = new Date(now.getTime() - (days - 1 - at) * dayMs).toISOString().slice(0, 10)
    const { parts, back } = byDay.get(name) ?? nothing
    return { name, value: Number(toUsd(parts)), bad: Number(toUsd(back)) }
  })
  const total = sales.reduce(add, nothing)
  const unpriced = sales.filter(({ usd }) => usd === '').length
  return html`<h2 id="revenue">Revenue</h2>
<form method="get" action="${base}/console#revenue"><div class="row"><div><label for="days">Days</label>
<input id="days" name="days" type="number" min="1" max="366" value="${days}"></div></div><button class="quiet">Show</button></form>
<dl class="tiles"><div><dt>Paid calls</dt><dd>${total.count}</dd></div><div><dt>USD</dt><dd>${toUsd(total.parts)}</dd></div><div><dt>Given back</dt><dd>${toUsd(total.back)}</dd></div></dl>
${unpriced > 0 && html`<p class="note">${unpriced} of them have no worth in dollars: their quote stated none.</p>`}
${
  sales.length === 0
    ? html`<p>Nothing was sold in this time.</p>`
    : html`${columnChart({ title: 'Revenue by day', unit: 'USD', names: 'Day', badName: 'given back', columns, format: value => value.toFixed(2) })}
${revenueTable(
  'service',
  sumBy(sales, ({ service }) => service),
)}
${revenueTable(
  'tool',
  sumBy(sales, ({ service, tool }) => `${service}.${tool}`),
)}
${revenueTable(
  'method',
  sumBy(sales, ({ method, network }) => `${method}, ${network}`),
)}`
}`
}

const refundForm = (base: string, id: string): Html =>
  form(
    `${base}/console/refund`,
    { id },
    html`<details><summary>To another place</summary><label for="to-${id}">Address or invoice</label><input id="to-${id}" name="to" autocomplete="off" spellcheck="false" maxlength="4096"></details><button aria-label="Refund ${id}">Refund</button>`,
  )

const owedPart = ({ base, owed, refunded }: ConsolePage): Html => html`<h2 id="owed">Owed</h2>
${refunded !== undefined && html`<p class="good" role="status">Given back: <a href="${base}/receipts/${refunded}">the receipt</a>.</p>`}
${
  owed.length === 0
    ? html`<p>Nothing is owed.</p>`
    : table(
        'Owed',
        ['Amount', 'Call', 'Since', 'Payer', 'Decide'],
        owed.map(({ id, words, service, tool, state, since, payer }) => [
          html`<a href="${base}/receipts/${id}">${words}</a>`,
          html`${service}.${tool}<br><span class="note">${state}</span>`,
          toTime(since),
          html`<span class="hash">${payer}</span>`,
          state === 'lost' ? 'owed to us' : refundForm(base, id),
        ]),
      )
}
<details><summary>Refund a call that was answered</summary>
${form(
  `${base}/console/refund`,
  { served: '1' },
  html`<label for="served-id">Id of the receipt</label><input id="served-id" name="id" required pattern="[0-9a-f]{32}" autocomplete="off" spellcheck="false">
<label for="served-to">Address or invoice <span class="note">(where the payment names none)</span></label><input id="served-to" name="to" maxlength="4096" autocomplete="off" spellcheck="false"><button class="grave">Refund it</button>`,
)}</details>
<p><a href="${base}/console/audit">Compare ledger and payments</a></p>`

const unexplainedPart = ({
  base,
  unexplained,
}: ConsolePage): Html => html`<h2 id="unexplained">Unexplained</h2>
${
  unexplained.length === 0
    ? html`<p>Every transfer to the till is explained.</p>`
    : table(
        'Unexplained transfers',
        ['Amount', 'Came', 'Payer', 'Decide'],
        unexplained.map(({ id, words, at, payer, network }) => [
          html`${words}<br><span class="note">${network}</span>`,
          toTime(at),
          html`<span class="hash">${payer}</span>`,
          html`${form(`${base}/console/owe`, { id }, html`<button aria-label="Owe ${id}">Owe</button>`)}${form(`${base}/console/owe`, { id, own: '1' }, html`<button class="quiet" aria-label="${id} is mine">It is mine</button>`)}`,
        ]),
      )
}`

const callsPart = ({ calls }: ConsolePage): Html => {
  const hours = calls.hours()
  const tools = calls.tools()
  const refusals = calls.refusals()
  return html`<h2 id="calls">Calls of 24 hours</h2>
<p class="note">Of this server (other replicas count theirs), since ${toTime(calls.since.toISOString())}; a percentile is right to a fifth.</p>
${columnChart({
  title: 'Calls by hour',
  unit: 'calls',
  names: 'Hour (UTC)',
  badName: 'failed',
  columns: hours.map(({ hour, calls: value, failed }) => ({ name: hour.slice(11, 16), value, bad: failed })),
})}
${
  tools.length === 0
    ? html`<p>Nothing was called.</p>`
    : table(
        'Calls by tool',
        [
          'Tool',
          { number: 'calls' },
          { number: 'refused' },
          { number: 'failed' },
          { number: 'half within' },
          { number: '95 % within' },
        ],
        tools.map(({ service, tool, calls: count, refused, failed, p50, p95 }) => [
          `${service}.${tool}`,
          count,
          refused,
          failed,
          toMs(p50),
          toMs(p95),
        ]),
      )
}
<h2 id="refusals">Refusals</h2>
${
  refusals.length === 0
    ? html`<p>No call was refused.</p>`
    : table(
        'Refusals by reason',
        ['Service', 'Reason', { number: 'calls' }],
        refusals.map(({ service, reason, calls: count }) => [service, reason.replaceAll('_', ' '), count]),
      )
}`
}

const lookUpPart = ({
  base,
  lookUp: { id, calls },
}: ConsolePage): Html => html`<h2 id="log">Look up a call</h2>
<form method="get" action="${base}/console#log"><label for="find">Id <span class="note">(<code>ref</code> of a problem, of a request, a trace or a receipt; of the last 2,000 calls)</span></label>
<input id="find" name="find" maxlength="200" required autocomplete="off" spellcheck="false" value="${id ?? ''}"><button class="quiet">Look up</button></form>
${
  calls.length === 0
    ? html`<p>${id === undefined ? 'No call failed by an exception.' : 'No call of this id is known to this server: ask the log.'}</p>`
    : html`<ul class="rows">${calls.map(
        ({ at, service, tool, channel, code, reason, ms, request, ref, receipt, cause }) => html`<li>
<p><strong>${service}.${tool}</strong> · ${(reason ?? code).replaceAll('_', ' ')} · ${toTime(at)} · ${toMs(Math.round(ms * 10) / 10)} · ${channel}</p>
<p class="note">${[request !== null && `request ${request}`, ref !== null && `ref ${ref}`].filter(Boolean).join(' · ')}${receipt !== null && html` · <a href="${base}/receipts/${receipt}">receipt</a>`}</p>
${cause !== null && html`<details><summary>What went wrong</summary><pre>${cause}</pre></details>`}</li>
`,
      )}</ul>`
}`

const queuesPart = ({ queues }: ConsolePage): Html => html`<h2 id="queues">Queues</h2>
<p class="note">Of this server: each replica shares out its own, and the dashboard of the metrics adds them up.</p>
${table(
  'Queues',
  [
    'Of',
    { number: 'under way' },
    { number: 'places' },
    { number: 'waiting' },
    { number: 'longest wait' },
    { number: 'refused' },
  ],
  Object.entries(queues).map(([name, { running, places, waiting, longestSeconds, refusals }]) => [
    name,
    running,
    places,
    waiting,
    `${Math.round(longestSeconds)} s`,
    refusals,
  ]),
)}`

const state = (isWell: boolean, text: string): Html =>
  html`<span class="${isWell ? 'good' : 'bad'}">${text}</span>`

const networksPart = ({ networks }: ConsolePage): Html => html`<h2 id="chains">Chains</h2>
${
  networks.length === 0
    ? html`<p>Payments run on local chains: their money is worth nothing, and their gas does not end.</p>`
    : table(
        'Chains',
        ['Chain', 'Check', 'State', 'Found', { number: 'settlements left' }],
        networks.flatMap(({ network, checks }) =>
          checks.map(({ check, state: found, detail, settlements }) => [
            network,
            check,
            state(found === 'ok', found),
            detail,
            settlements ?? '',
          ]),
        ),
      )
}`

const accountsPart = ({ base, accounts }: ConsolePage): Html => html`<h2 id="accounts">Accounts</h2>
<p><a href="${base}/console/accounts">Find one, see its keys, and freeze it</a></p>
<dl class="tiles">${Object.entries(accounts).map(([name, count]) => html`<div><dt>${name.replaceAll('_', ' ')}</dt><dd>${count}</dd></div>`)}</dl>`

const peersPart = ({ peers }: ConsolePage): Html => html`<h2 id="peers">Peers</h2>
${
  peers.length === 0
    ? html`<p>No service here keeps a network of peers.</p>`
    : peers.map(
        ({
          url,
          count,
          members,
        }) => html`<p><a href="${url}">${count} ${count === 1 ? 'agent has' : 'agents have'} joined</a>; names and addresses are what they say of themselves.</p>
${
  members.length > 0 &&
  table(
    'Peers',
    ['Name', 'Address', 'Joined', 'Last look'],
    members.map(({ name, url: address, registered_at, seen }) => [
      html`<bdi>${name}</bdi>`,
      html`<span class="hash">${address}</span>`,
      toTime(registered_at),
      seen === null
        ? 'not looked at yet'
        : state(seen.ok, seen.ok ? `answered in ${seen.ms} ms` : 'did not answer'),
    ]),
  )
}`,
      )
}`

const alertsPart = ({ alerts, capabilities }: ConsolePage): Html => {
  const off = capabilities.filter(({ state: found }) => found !== 'on')
  return html`<h2 id="alerts">Alerts</h2>
${
  alerts.length === 0
    ? html`<p>No alert is raised.</p>`
    : html`<ul class="rows">${alerts.map(({ name, summary, cure }) => html`<li><p><strong>${name}</strong>: ${summary}</p><p class="note">${cure}</p></li>`)}</ul>`
}
${
  off.length > 0 &&
  html`<h3>Capabilities that are off</h3>
${table(
  'Capabilities that are off',
  ['Capability', 'Why', 'Variables'],
  off.map(({ capability, reason = '', variables }) => [
    capability,
    reason,
    html`<code>${variables.join(', ')}</code>`,
  ]),
)}`
}`
}

const settingsPart = ({ settings }: ConsolePage): Html => html`<h2 id="configuration">Configuration</h2>
<p>As the server read it when it began. What is secret is hidden.</p>
${settings.map(
  ({ title, settings: group }) => html`<details><summary>${title.replaceAll('`', '')}</summary>
${table(
  title,
  ['Variable', 'Value'],
  group.map(({ variable, value }) => [html`<code>${variable}</code>`, value]),
)}</details>`,
)}`

const serverPart = ({ base, canFreeze, isOut }: ConsolePage): Html => html`<h2 id="server">This server</h2>
<p>${isOut ? html`It is <span class="bad">out of rotation</span>: <code>/readyz</code> answers 503, and connections end with their answer.` : 'It takes calls.'}</p>
${form(
  `${base}/console/drain`,
  { out: isOut ? '0' : '1' },
  html`<button class="${isOut ? 'quiet' : 'grave'}">${isOut ? 'Take calls again' : 'Take it out of rotation'}</button>`,
)}
${
  canFreeze &&
  form(
    `${base}/console/freeze`,
    {},
    html`<label for="seconds">Keep the store from writing, for a copy of its files, for so many seconds</label><input id="seconds" name="seconds" type="number" min="1" max="3600" value="30" required><button class="grave">Freeze</button>`,
  )
}`

/** What the audit of the books found, without asking any chain. */
export const auditPage = (report: Answer<OperatorDesk['audit']>): Html => {
  const { ok, ledger, payments, spent, faults } = report
  return html`<h1>Audit</h1>
<p role="status">${state(ok, ok ? 'Ledger, payments and transfers agree.' : 'They do not agree.')}</p>
<dl class="tiles"><div><dt>Entries of the ledger</dt><dd>${ledger.entries}</dd></div><div><dt>Balances</dt><dd>${ledger.balances}</dd></div><div><dt>Holds</dt><dd>${ledger.holds}</dd></div><div><dt>Payments</dt><dd>${payments.records}</dd></div><div><dt>Settled</dt><dd>${payments.settled}</dd></div><div><dt>Given back</dt><dd>${payments.refunded}</dd></div><div><dt>Transfers spent</dt><dd>${spent}</dd></div></dl>
${
  faults.length > 0 &&
  table(
    'Faults',
    ['Where', 'Id', 'Fault'],
    faults.map(({ where, id, detail }) => [where, html`<span class="hash">${id}</span>`, detail]),
  )
}
<p class="note"><code>octagent audit</code> asks the chains, too.</p>`
}

/** The page of the operator: money first, then calls, then the machine. */
export const consolePage = (page: ConsolePage): Html => html`<h1>Console</h1>
<p>What this installation earns, owes and does. Only its operators see this page; refunds and what holds the server up ask for a sign-in of the last five minutes.</p>
${alertsPart(page)}
${owedPart(page)}
${unexplainedPart(page)}
${revenuePart(page)}
${callsPart(page)}
${lookUpPart(page)}
${queuesPart(page)}
${networksPart(page)}
${peersPart(page)}
${accountsPart(page)}
${settingsPart(page)}
${serverPart(page)}`
