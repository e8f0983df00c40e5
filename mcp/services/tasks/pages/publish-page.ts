import { type Html, html } from '../../../lib/text/html.ts'
import { categories } from '../category.ts'
import { evidenceTypes } from '../evidence.ts'
import { arbiterModes, escrowKinds } from '../task.ts'
import { escrowWords, type PublicTask, timeText, toWords } from './facts.ts'
import type { DrawField } from './forms.ts'
import { page, signInBox, type Visit } from './page.ts'
import { type TaskTemplate, templates } from './templates.ts'

const taskItem = ({ base, now }: Visit, task: PublicTask): Html =>
  html`<li><h3><a href="${base}/publish/tasks/${task.task_id}">${task.title}</a></h3>
<p class="facts"><strong>${toWords(task.status)}</strong>${task.due !== null && html` until ${timeText(task.due, now)}`} · ${task.payment.bounty_usd} USD · ${escrowWords(task)}</p></li>`

/** Tasks of a publisher: those that wait for it come first. */
export const publishPage = page(
  {
    name: 'publish_page',
    title: 'My published tasks, for people',
    description:
      'A page where a signed-in person sees the tasks that it published, and begins a new one. Free.',
    path: '/publish',
  },
  async visit => {
    const { account, call, query, base } = visit
    const title = 'Publish'
    const begin = html`<h2>Begin with</h2>
<ul>${Object.entries(templates).map(([id, { name }]) => html`<li><a href="${base}/publish/new?template=${id}">${name}</a></li>`)}<li><a href="${base}/publish/new">An empty form</a></li></ul>`
    if (account === undefined)
      return {
        title,
        body: html`<h1>Publish</h1><p>Say what is to be done and what it pays. The money waits in escrow until you have seen the work.</p>${signInBox(visit, 'Sign in to publish.')}${begin}`,
      }
    const answer = await call('list_tasks', {
      role: 'publisher',
      limit: 50,
      ...(query.after && { after: query.after }),
    })
    const { tasks, next } = answer as unknown as { tasks: PublicTask[]; next: string | null }
    const waiting = tasks.filter(({ status }) => status === 'submitted')
    const current = tasks.filter(({ status, due }) => status !== 'submitted' && due !== null)
    const past = tasks.filter(({ due }) => due === null)
    const group = (name: string, list: readonly PublicTask[]) =>
      list.length > 0 &&
      html`<h2>${name}</h2><ul class="tasks">${list.map(task => taskItem(visit, task))}</ul>`
    return {
      title,
      body: html`<h1>Publish</h1>
<p><a class="button" href="${base}/publish/new">Write a task</a> <a href="${base}/publish/analytics">Analytics</a> · <a href="${base}/work/disputes">Disputes</a> · <a href="${base}/work/people">Who works here</a></p>
${group('Wait for your review', waiting)}
${group('Under way', current)}
${begin}
${group('Over', past)}
${next !== null && html`<p><a href="${base}/publish?${new URLSearchParams({ after: next }).toString()}">Older tasks</a></p>`}`,
    }
  },
)

const choices = (
  names: readonly string[],
  words: Readonly<Record<string, string>> = {},
): [string, string][] => names.map(name => [name, words[name] ?? toWords(name)])

const escrowNames = {
  ledger: 'with the house',
  onchain: 'in a contract on Base',
  direct: 'with me: I pay each deliverable',
}
const arbiterNames = {
  manual: 'an arbiter',
  auto: 'the checks of the evidence, at once',
  hybrid: 'an arbiter, else the checks',
}

const taskFields = (field: DrawField, template: TaskTemplate | undefined): Html =>
  html`${field({ name: 'title', label: 'Title', required: true, maxLength: 255, value: template?.title })}
${field({ name: 'instructions', label: 'What is to be done', hint: '20 characters at least', kind: 'area', required: true, maxLength: 5000, value: template?.instructions })}
<div class="row">
${field({ name: 'category', label: 'Kind of work', kind: 'select', options: choices(categories), value: template?.category ?? 'simple_action' })}
${field({ name: 'bounty_usd', label: 'Pays, USD', kind: 'number', required: true, value: template?.bounty_usd, more: html`data-bounty` })}
${field({ name: 'deadline_hours|number', label: 'Hours until it must be done', kind: 'number', required: true, value: template?.deadline_hours ?? 24 })}
${field({ name: 'workers|number', label: 'Workers, each for the whole bounty', kind: 'number', value: 1 })}
</div>
<fieldset><legend>To hand in: one to five of these</legend><div class="row">${evidenceTypes.map(type =>
    field({
      name: 'evidence_required|many',
      kind: 'check',
      label: toWords(type),
      value: type,
      checked: template?.evidence_required.includes(type) ?? false,
    }),
  )}</div></fieldset>
<details${template?.needsPlace && html` open`}><summary>Where</summary>
${field({ name: 'location_hint', label: 'The place in words', maxLength: 255 })}
<div class="row">
${field({ name: 'location_lat|number', label: 'Latitude', kind: 'number' })}
${field({ name: 'location_lng|number', label: 'Longitude', kind: 'number' })}
${field({ name: 'location_radius_m|number', label: 'Within metres', kind: 'number', value: 500 })}
</div></details>
<details><summary>Who may do it, and what if not</summary>
<div class="row">
${field({ name: 'target_executor', label: 'For', kind: 'select', options: choices(['any', 'human', 'agent', 'robot'], { any: 'anybody' }) })}
${field({ name: 'min_reputation|number', label: 'Reputation at least', kind: 'number', value: 0 })}
${field({ name: 'skills_required|list', label: 'Skills, with commas between', maxLength: 600 })}
</div>
<div class="row">
${field({ name: 'escrow', label: 'The money waits', kind: 'select', options: choices(escrowKinds, escrowNames) })}
${field({ name: 'arbiter_mode', label: 'A dispute is decided by', kind: 'select', options: choices(arbiterModes, arbiterNames) })}
${field({ name: 'kill_fee_percent|number', label: 'If I cancel after assigning, the worker gets, per cent', kind: 'number', value: 0 })}
</div>
${field({ name: 'badge_required', label: 'Badge of yours that a worker must hold', maxLength: 40 })}
${field({ name: 'test_lines', label: 'A test to apply', hint: 'One question on each line, then = and its right answers with | between. Nobody reads the answers; who passes gets the badge, if there is one.', kind: 'area', maxLength: 8000 })}
${field({ name: 'golden_lines|lines', label: 'Known right answers', hint: 'One on each line. Workers do not see them; analytics counts who gives one.', kind: 'area', maxLength: 4000 })}
${field({ name: 'test_pass|number', label: 'Right answers needed, per cent', kind: 'number' })}
</details>
<details><summary>Publish it again and again</summary>
<p>The money of each comes from your balance; where that is too small, no more are published.</p>
<div class="row">
${field({ name: 'repeat_hours|number', label: 'Hours from one to the next', kind: 'number' })}
${field({ name: 'repeat_count|number', label: 'How often in all', kind: 'number' })}
</div></details>
${field({
  name: 'deposit',
  label: 'The money goes into escrow',
  kind: 'select',
  options: [
    ['later', 'when I assign a worker'],
    ['now', 'now: such tasks are found first'],
  ],
})}`

/** The form of a new task, from a template. */
export const newTaskPage = page(
  {
    name: 'publish_new_page',
    title: 'A new task, for people',
    description:
      'A page where a signed-in person writes a task, sees what it costs, and publishes it. The page is free.',
    path: '/publish/new',
  },
  async visit => {
    const { account, call, forms, query } = visit
    const title = 'A new task'
    if (account === undefined)
      return { title, body: html`<h1>A new task</h1>${signInBox(visit, 'Sign in to publish.')}` }
    const template = templates[query.template ?? '']
    const bounty_usd = template?.bounty_usd ?? '5.00'
    const [fee, balance] = await Promise.all([
      call('calculate_fee', { bounty_usd }),
      call('get_balance', { limit: 1 }),
    ])
    return {
      title,
      body: html`<h1>A new task</h1>
${forms.form({ operation: 'publish_task', submit: 'Publish', paid: true }, field => [
  taskFields(field, template),
  html`<p class="figure" data-fee="${String(fee.fee_percent)}">It costs <span class="bounty" data-total>${String(fee.total_usd)} USD</span> for a bounty of <span data-of>${bounty_usd}</span> USD: ${String(fee.fee_percent)} per cent go to the house.</p>
<p class="facts">Your balance is ${String(balance.available_usd)} USD. What it does not cover, your wallet pays.</p>`,
])}
<p class="say" role="status" data-say></p>`,
    }
  },
)
