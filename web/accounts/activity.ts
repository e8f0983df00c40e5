import { type Request, Router } from 'express'
import { z } from 'zod'
import type { OwnCall } from '../../mcp/accounts/activity.ts'
import type { AccountDeps } from '../../mcp/accounts/deps.ts'
import { ToolError } from '../../mcp/kernel/error.ts'
import { escapeHtml, type Html, html } from '../../mcp/lib/text/html.ts'
import { sendPage } from './answer.ts'
import { requireSession } from './browser-session.ts'
import { pagePath } from './return-path.ts'

const pageCalls = 50

/** What came of a call, as the filter names it. */
const states = { answered: 'answered', refused: 'refused', paid: 'paid' } as const

const text = z.string().max(200)

const schema = z.object({
  service: text.optional(),
  client: text.optional(),
  state: z.enum(['answered', 'refused', 'paid']).optional(),
  before: z
    .string()
    .regex(/^\d{1,15}$/, 'a number is needed')
    .optional(),
})

type Filter = z.infer<typeof schema>

/** What the page is asked for by its address: an empty field of the form is none. */
const readFilter = ({ query }: Request): Filter => {
  const set = Object.entries(query).filter(([, value]) => value !== '')
  const { data, error } = schema.safeParse(Object.fromEntries(set))
  if (data) return data
  const path = error.issues[0]?.path.join('.') ?? 'query'
  const message = error.issues[0]?.message ?? 'one text is needed'
  throw new ToolError('invalid_input', `${path}: ${message}.`, { issues: [{ path, message }] })
}

const isWanted = ({ service, client, state, before }: Filter, call: OwnCall): boolean =>
  (service === undefined || call.service === service) &&
  (client === undefined || call.client === client) &&
  (state === undefined ||
    (state === 'paid' ? call.receipt !== null : (call.code === 'ok') === (state === 'answered'))) &&
  (before === undefined || call.number < Number(before))

const channels: Readonly<Record<string, string>> = { mcp: 'MCP', a2a: 'A2A', rest: 'HTTP' }

const priceText = ({ price, receipt, code }: OwnCall): string => {
  if (price === null) return code === 'ok' ? 'free' : 'nothing'
  const [amount = '', unit = ''] = price.split(' ')
  if (/^0(\.0*)?$/.test(amount)) return 'free'
  const words = `${amount} ${unit === 'usd' ? 'USD' : unit}`
  return receipt === null ? `${words}, not paid` : words
}

const durationText = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`

const callRow = (base: string, call: OwnCall): Html => {
  const { at, service, tool, channel, client, code, reason, ms, receipt } = call
  const from = [client ?? 'a key or a wallet of yours', channels[channel] ?? channel].join(' · ')
  // Long names break where their words do, so that the table is as narrow as a phone.
  const name = escapeHtml(`${service}.${tool}`).replace(/_/g, '$&<wbr>')
  const price = priceText(call)
  return html`<tr>
<td class="words">${{ html: name }}<br><span class="note">${at.slice(0, 19).replace('T', ' ')} · ${from}</span></td>
<td>${receipt === null ? price : html`<a href="${base}/receipts/${receipt}" aria-label="${price}, the receipt">${price}</a>`}</td>
<td>${code === 'ok' ? html`<span class="good">answered</span>` : html`<span class="bad">${(reason ?? code).replaceAll('_', ' ')}</span>`}<br><span class="note">${durationText(ms)}</span></td>
</tr>
`
}

const option = (value: string, words: string, chosen = ''): Html =>
  html`<option value="${value}"${value === chosen && html` selected`}>${words}</option>`

type ActivityPage = {
  base: string
  filter: Filter
  calls: readonly OwnCall[]
  services: readonly { slug: string; name: string }[]
}

const filterForm = ({ base, filter, calls, services }: ActivityPage): Html => {
  const called = new Set(calls.map(({ service }) => service))
  const clients = [...new Set(calls.flatMap(({ client }) => (client === null ? [] : [client])))].sort()
  return html`<form method="get" action="${base}/auth/activity">
<div class="row">
<div><label for="by-service">Service</label>
<select id="by-service" name="service">${option('', 'all', filter.service)}${services
    .filter(({ slug }) => called.has(slug))
    .map(({ slug, name }) => option(slug, name, filter.service))}</select></div>
<div><label for="by-client">Client</label>
<select id="by-client" name="client">${option('', 'all', filter.client)}${clients.map(name => option(name, name, filter.client))}</select></div>
<div><label for="by-state">State</label>
<select id="by-state" name="state">${option('', 'all', filter.state)}${Object.entries(states).map(([value, words]) => option(value, words, filter.state))}</select></div>
</div>
<button class="quiet">Filter</button>
</form>`
}

const activityPage = (page: ActivityPage): Html => {
  const { base, filter, calls } = page
  const wanted = calls.filter(call => isWanted(filter, call))
  const rows = wanted.slice(0, pageCalls)
  const last = rows.at(-1)
  const older =
    wanted.length > rows.length &&
    last &&
    new URLSearchParams({ ...toQuery(filter), before: String(last.number) }).toString()
  const first =
    filter.before !== undefined && new URLSearchParams(toQuery({ ...filter, before: undefined })).toString()
  return html`<h1>My activity</h1>
<p>Your last 200 calls, over MCP, A2A and HTTP, by every client, key and wallet of yours. What was sent and answered is not in it.</p>
${calls.length > 0 && filterForm(page)}
${
  rows.length === 0
    ? html`<p>${calls.length === 0 ? 'No call was made for you yet.' : 'No such call.'}</p>`
    : html`<div class="wide" tabindex="0" role="region" aria-label="Calls"><table><thead><tr><th scope="col">Call (UTC)</th><th scope="col">Price</th><th scope="col">State</th></tr></thead>
<tbody>${rows.map(call => callRow(base, call))}</tbody></table></div>`
}
<p class="pager">${first !== false && html`<a href="${base}/auth/activity?${first}">Newest</a>`}${older && html`<a href="${base}/auth/activity?${older}">Older</a>`}<a href="${base}/auth/balance#statement">All that was paid: the statement</a></p>`
}

const toQuery = (filter: Filter): Record<string, string> =>
  Object.fromEntries(
    Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )

/** `/auth/activity`: the last calls of a person, over all transports. */
export const activityRoutes = (deps: AccountDeps): Router => {
  const router = Router()
  router.get('/auth/activity', async (req, res) => {
    const { account } = await requireSession(deps, req)
    const body = activityPage({
      base: pagePath(deps, ''),
      filter: readFilter(req),
      calls: (await deps.activity?.list(account)) ?? [],
      services: deps.services ?? [],
    })
    sendPage(res, { title: 'My activity', tab: 'activity', width: undefined, body })
  })
  return router
}
