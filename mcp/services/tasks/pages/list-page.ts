import { ToolError } from '../../../kernel/error.ts'
import { type Html, html } from '../../../lib/text/html.ts'
import { categories } from '../category.ts'
import { escrowWords, type PublicTask, personLink, timeText, toMetres, toWords } from './facts.ts'
import { toToolInput } from './forms.ts'
import { page, type Visit } from './page.ts'

type OpenTask = PublicTask & { distance_m: number | null }

const taskItem = ({ base, now }: Visit, task: OpenTask): Html =>
  html`<li><h2><a href="${base}/work/tasks/${task.task_id}">${task.title}</a></h2>
<p class="facts"><span class="bounty">${task.payment.bounty_usd} USD</span> · ${toWords(task.category)} · ${timeText(task.deadline, now)}${task.location?.hint ? html` · ${task.location.hint}` : ''}${task.distance_m === null ? '' : html` · ${toMetres(task.distance_m)} away`} · from ${personLink(base, task.publisher_id)} · ${escrowWords(task)}</p></li>
`

const fieldNames = [
  'query',
  'category',
  'near_lat|number',
  'near_lng|number',
  'radius_m|number',
  'min_bounty_usd',
  'min_hours_left|number',
  'publisher_id',
  'funded_only|flag',
  'after',
] as const

type FieldName = (typeof fieldNames)[number] extends infer name
  ? name extends `${infer plain}|${string}`
    ? plain
    : name
  : never

type Search = Readonly<Partial<Record<string, string>>>

/** The fields that were filled in, as the tool takes them. */
const toInput = (search: Search) =>
  toToolInput(fieldNames.map(name => [name, search[name.split('|')[0] ?? ''] ?? '']))

const searchForm = (base: string, search: Search): Html => {
  const field = (name: FieldName, label: string, more: Html | false = false) =>
    html`<div><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${search[name]}"${more}></div>`
  const numeric = html` inputmode="decimal"`
  return html`<form method="get" action="${base}/work">
<div class="row">
${field('query', 'Words', html` maxlength="200"`)}
<div><label for="category">Kind of work</label><select id="category" name="category"><option value="">any</option>${categories.map(
    name =>
      html`<option value="${name}"${name === search.category ? html` selected` : ''}>${toWords(name)}</option>`,
  )}</select></div>
</div>
<details${toInput({ ...search, query: '', category: '', after: '' }).near_lat !== undefined && html` open`}>
<summary>Place, pay and time</summary>
<div class="row">
${field('near_lat', 'Near latitude', numeric)}
${field('near_lng', 'and longitude', numeric)}
${field('radius_m', 'within metres', numeric)}
</div>
<div class="row">
${field('min_bounty_usd', 'Pays at least, USD', numeric)}
${field('min_hours_left', 'Hours left at least', numeric)}
${field('publisher_id', 'Of this publisher')}
</div>
<p><label class="check"><input type="checkbox" name="funded_only" value="true"${search.funded_only === 'true' && html` checked`}> Only with the money in escrow</label></p>
</details>
<button type="submit">Search</button><button type="button" class="plain" data-here hidden>Near me</button>
</form>`
}

const nextLink = (base: string, search: Search, next: string): Html => {
  const fields = Object.entries({ ...search, after: next }).flatMap(([name, value]) =>
    value ? [[name, value] as [string, string]] : [],
  )
  return html`<p><a href="${base}/work?${new URLSearchParams(fields).toString()}">More tasks</a></p>`
}

export default page(
  {
    name: 'work_page',
    title: 'Open tasks, for people',
    description:
      'A page that lists open tasks, near a place, by words, kind, pay and time. It works without scripts. Free.',
    path: '/work',
  },
  async visit => {
    const { base, call, query } = visit
    const search: Search = Object.fromEntries(
      fieldNames.flatMap(name => {
        const [field = ''] = name.split('|')
        return query[field] ? [[field, query[field]]] : []
      }),
    )
    const drawn = (results: Html, status = 200) => ({
      title: 'Open tasks',
      status,
      body: html`<h1>Open tasks</h1>
<p>Find something to do, do it, and be paid in USDC. ${visit.account === undefined && html`<a href="${visit.signIn}">Sign in</a> once, and everything else is a click.`} <a href="${base}/work/people">Who works here</a>.</p>
${searchForm(base, search)}
${results}`,
    })
    try {
      const answer = await call('search_tasks', toInput(search))
      const { tasks, next } = answer as unknown as { tasks: OpenTask[]; next: string | null }
      const more = next === null ? '' : nextLink(base, search, next)
      if (tasks.length === 0) return drawn(html`<p>There is no such task at the moment.</p>${more}`)
      return drawn(html`<ul class="tasks">${tasks.map(task => taskItem(visit, task))}</ul>
${more}`)
    } catch (error) {
      if (!(error instanceof ToolError) || error.code !== 'invalid_input') throw error
      return drawn(html`<p class="say bad" role="alert">${error.message}</p>`, 422)
    }
  },
)
