import type { World } from '../mcp/kernel/call.ts'
import { parseUrlQuery, type Request, type Response, type Route } from '../mcp/kernel/http.ts'
import { missingFor } from '../mcp/kernel/pipeline/provide.ts'
import type { Service } from '../mcp/kernel/service.ts'
import { type AnyTool, isPriced } from '../mcp/kernel/tool.ts'
import { countText } from '../mcp/lib/text/count.ts'
import { type Html, html } from '../mcp/lib/text/html.ts'
import { chooseForm } from './accept.ts'
import { placeText } from './discovery/documents.ts'
import { toHtml } from './html.ts'
import { sendPage } from './page-route.ts'
import { rangeText } from './price.ts'
import { needsAccount, toolTags } from './tool-page.ts'

type Place = { world: World; services: readonly Service[] }

type Found = { service: Service; tool: AnyTool }

const choices = {
  price: { free: 'free', paid: 'has a price' },
  does: { reads: 'only reads', writes: 'changes something' },
  account: { without: 'none needed', with: 'needed' },
  state: { on: 'on', off: 'off' },
} as const

type Filters = Readonly<Record<'q' | 'service' | keyof typeof choices, string>>

const readFilters = (req: Request): Filters => {
  const query = parseUrlQuery(req)
  const read = (name: keyof Filters) =>
    String([query[name]].flat()[0] ?? '')
      .trim()
      .slice(0, 300)
  return {
    q: read('q'),
    service: read('service'),
    price: read('price'),
    does: read('does'),
    account: read('account'),
    state: read('state'),
  }
}

const matches = (
  world: World,
  { service: slug, price, does, account, state }: Filters,
  found: Found,
): boolean => {
  const { service, tool } = found
  const facts = {
    price: isPriced(tool) ? 'paid' : 'free',
    does: tool.hints.readOnly ? 'reads' : 'writes',
    account: needsAccount(found) ? 'with' : 'without',
    state: missingFor(world, tool).length > 0 ? 'off' : 'on',
  }
  return (
    (!slug || service.slug === slug) &&
    (!price || facts.price === price) &&
    (!does || facts.does === does) &&
    (!account || facts.account === account) &&
    (!state || facts.state === state)
  )
}

const select = (
  name: string,
  label: string,
  options: Readonly<Record<string, string>>,
  chosen: string,
): Html =>
  html`<div><label for="filter-${name}">${label}</label><select id="filter-${name}" name="${name}"><option value="">any</option>${Object.entries(
    options,
  ).map(
    ([value, text]) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
  )}</select></div>`

const searchForm = ({ world, services }: Place, filters: Filters): Html => {
  const names = Object.fromEntries(services.map(({ slug, name }) => [slug, name]))
  const isFiltered = Object.entries(filters).some(([name, value]) => name !== 'q' && value)
  return html`<form class="search" role="search" method="get" action="${world.site.url}/">
<input type="search" name="q" value="${filters.q}" maxlength="300" placeholder="What should it do?" aria-label="Search the tools">
<button>Find</button>
<details class="row"${isFiltered && html` open`}><summary>Filters</summary><div class="row">
${select('service', 'Service', names, filters.service)}
${select('price', 'Price', choices.price, filters.price)}
${select('does', 'Does', choices.does, filters.does)}
${select('account', 'Account', choices.account, filters.account)}
${select('state', 'State', choices.state, filters.state)}
</div></details>
</form>`
}

/** A tool as a row of a list. */
const toolRow = (world: World, { service, tool }: Found): Html =>
  html`<li><h2><a href="${world.base(service)}/tools/${tool.name}">${tool.title}</a> <span class="note">${service.name}</span></h2>
<p>${tool.description}</p>
<p>${toolTags({ world, service, tool })}</p></li>
`

/** Rows of one page; more than that is found by better words. */
const maxRows = 50

const results = ({ world, services }: Place, filters: Filters): Html => {
  const all = services.flatMap(service => service.tools.map(tool => ({ service, tool })))
  const ranked = filters.q ? (world.findTools?.(filters.q) ?? []) : all
  const found = ranked.filter(each => matches(world, filters, each))
  if (found.length === 0)
    return html`<p role="status">No tool fits. Use other words or fewer filters, or <a href="${world.site.url}/">see all services</a>.</p>`
  const more = found.length > maxRows && ` The first ${maxRows} are shown.`
  return html`<p class="note" role="status">${countText(found.length, 'tool')}${filters.q && ', the best match first'}.${more}</p>
<ul class="rows">${found.slice(0, maxRows).map(each => toolRow(world, each))}</ul>`
}

const serviceCards = ({ world, services }: Place): Html =>
  html`<ul class="cards">${services.map(
    service => html`<li><h2><a href="${world.base(service)}/">${service.name}</a></h2>
<p>${service.description}</p>
<p class="note">${service.tools.length} tools · ${rangeText(service.tools)}</p></li>
`,
  )}</ul>`

/** The home page: for people the catalogue with its search, for programs what `home` answers. */
export const catalogueHandler = (place: Place, home: Route): Route['handle'] => {
  const { world, services } = place
  const count = services.reduce((sum, { tools }) => sum + tools.length, 0)
  return async (req: Request, res: Response, params) => {
    if (chooseForm(req.headers.accept) !== 'html') return home.handle(req, res, params)
    const filters = readFilters(req)
    const isSearch = Object.values(filters).some(value => value !== '')
    const body = html`<h1>${isSearch ? 'Tools' : 'Tools for agents, and for you'}</h1>
<p class="lead">${count} tools of ${services.length} services. Find one, try it here, and call it over MCP, A2A or REST: the same price, the same error, the same receipt.</p>
${searchForm(place, filters)}
${isSearch ? results(place, filters) : serviceCards(place)}
${!isSearch && { html: await toHtml(placeText(place)) }}`
    const page = world.shell({
      title: filters.q ? `${filters.q} · tools` : 'Octagent',
      description: 'Agent services over MCP, A2A and REST',
      body: body.html,
      width: 'wide',
      isMarkdown: true,
    })
    await sendPage(req, res, page, 'max-age=60')
  }
}
