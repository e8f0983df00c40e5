import { endpoint } from '../../../kernel/endpoint.ts'
import { ToolError } from '../../../kernel/error.ts'
import { type Html, html } from '../../../lib/text/html.ts'
import { categories } from '../task/category.ts'
import { answerPage } from './page.ts'

type OpenTask = {
  task_id: string
  title: string
  category: string
  deadline: string
  distance_m: number | null
  location: { hint: string | null } | null
  payment: { bounty_usd: string }
}

const toDistance = (metres: number): string =>
  metres < 1000 ? `${metres} m away` : `${(metres / 1000).toFixed(1)} km away`

const taskItem = (base: string, task: OpenTask): Html =>
  html`<li><h2><a href="${base}/work/tasks/${task.task_id}">${task.title}</a></h2>
<p class="facts"><span class="bounty">${task.payment.bounty_usd} USD</span> · ${task.category.replaceAll('_', ' ')} · until ${task.deadline.slice(0, 16).replace('T', ' ')} UTC${task.location?.hint ? html` · ${task.location.hint}` : ''}${task.distance_m === null ? '' : html` · ${toDistance(task.distance_m)}`}</p></li>
`

type Search = Readonly<
  Record<'query' | 'category' | 'near_lat' | 'near_lng' | 'radius_m' | 'after', string | undefined>
>

const searchForm = (base: string, search: Search): Html =>
  html`<form method="get" action="${base}/work" data-search>
<div class="row">
<div><label for="query">Words</label><input id="query" name="query" value="${search.query}" maxlength="200"></div>
<div><label for="category">Kind of work</label><select id="category" name="category"><option value="">any</option>${categories.map(
    name =>
      html`<option value="${name}"${name === search.category ? html` selected` : ''}>${name.replaceAll('_', ' ')}</option>`,
  )}</select></div>
</div>
<div class="row">
<div><label for="near_lat">Near latitude</label><input id="near_lat" name="near_lat" inputmode="decimal" value="${search.near_lat}"></div>
<div><label for="near_lng">and longitude</label><input id="near_lng" name="near_lng" inputmode="decimal" value="${search.near_lng}"></div>
<div><label for="radius_m">within metres</label><input id="radius_m" name="radius_m" inputmode="numeric" value="${search.radius_m}" placeholder="10000"></div>
</div>
<button type="submit">Search</button><button type="button" class="plain" data-here hidden>Near me</button>
</form>`

/** The fields that were filled in, as the tool takes them. */
const toInput = ({ query, category, near_lat, near_lng, radius_m, after }: Search) => {
  const entries = { query, category, near_lat, near_lng, radius_m, after }
  const numeric = new Set(['near_lat', 'near_lng', 'radius_m'])
  return Object.fromEntries(
    Object.entries(entries).flatMap(([name, text]) => {
      const value = text?.trim()
      if (!value) return []
      return [[name, numeric.has(name) ? Number(value.replace(',', '.')) : value]]
    }),
  )
}

const nextLink = (base: string, search: Search, next: string): Html => {
  const fields = Object.entries({ ...search, after: next }).flatMap(([name, value]) =>
    value ? [[name, value] as [string, string]] : [],
  )
  return html`<p><a href="${base}/work?${new URLSearchParams(fields).toString()}">More tasks</a></p>`
}

export default endpoint({
  name: 'work_page',
  title: 'Open tasks, for people',
  description:
    'A page that lists open tasks, near a place, by words or by kind. It works without scripts. Free.',
  method: 'GET',
  path: '/work',
  body: 'none',
  answers: ['text/html'],
  needs: ['files'],
  auth: ['public'],
  limits: [{ perMinute: 120, per: 'client' }],
}).run(async ({ base, call, files }, { query: fields }) => {
  const { query, category, near_lat, near_lng, radius_m, after } = fields
  const search: Search = { query, category, near_lat, near_lng, radius_m, after }
  const show = (results: Html, status = 200) =>
    answerPage({
      title: 'Open tasks',
      base,
      files,
      status,
      body: html`<h1>Open tasks</h1>
<p>Find something to do, do it, and be paid in USDC.</p>
${searchForm(base, search)}
${results}`,
    })
  try {
    const answer = await call('search_tasks', toInput(search))
    const { tasks, next } = answer as unknown as { tasks: OpenTask[]; next: string | null }
    if (tasks.length === 0) return show(html`<p>There is no such task at the moment.</p>`)
    return show(html`<ul class="tasks">${tasks.map(task => taskItem(base, task))}</ul>
${next === null ? '' : nextLink(base, search, next)}`)
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'invalid_input') throw error
    return show(html`<p class="say bad" role="alert">${error.message}</p>`, 422)
  }
})
