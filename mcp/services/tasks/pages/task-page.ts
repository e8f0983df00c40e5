import { endpoint } from '../../../kernel/endpoint.ts'
import { ToolError } from '../../../kernel/error.ts'
import { type Html, html } from '../../../lib/text/html.ts'
import type { TaskOut } from '../task/public-task.ts'
import { answerPage, workBox } from './page.ts'

type PublicTask = (typeof TaskOut)['_output']

const locationFact = ({ location }: PublicTask): Html | false => {
  if (location === null) return false
  const { hint, lat, lng, radius_m } = location
  const point = lat === null || lng === null ? '' : `${lat}, ${lng} (within ${radius_m} m)`
  return html`<dt>Where</dt><dd>${[hint, point].filter(part => part).join(' · ')}</dd>`
}

const taskFacts = (task: PublicTask): Html =>
  html`<p class="words">${task.instructions}</p>
<dl>
<dt>Pays</dt><dd class="bounty">${task.payment.bounty_usd} USD</dd>
<dt>State</dt><dd>${task.status.replaceAll('_', ' ')}</dd>
<dt>Kind of work</dt><dd>${task.category.replaceAll('_', ' ')}</dd>
<dt>To be done by</dt><dd>${task.deadline.slice(0, 16).replace('T', ' ')} UTC</dd>
<dt>Evidence</dt><dd>${task.evidence_required.map(type => type.replaceAll('_', ' ')).join(', ')}</dd>
${locationFact(task)}
${task.skills_required.length > 0 && html`<dt>Skills</dt><dd>${task.skills_required.join(', ')}</dd>`}
${task.min_reputation > 0 && html`<dt>Reputation</dt><dd>at least ${task.min_reputation}</dd>`}
</dl>`

export default endpoint({
  name: 'work_task_page',
  title: 'A task, for people',
  description:
    'A page that shows an open task, where a wallet in the browser applies, hands in evidence and sees what was paid. Free.',
  method: 'GET',
  path: '/work/tasks/:task_id',
  body: 'none',
  answers: ['text/html'],
  needs: ['files'],
  auth: ['public'],
  limits: [{ perMinute: 120, per: 'client' }],
}).run(async ({ base, call, files }, { params }) => {
  const id = params.task_id ?? ''
  const box = workBox(html`data-task="${id}"`)
  try {
    const task = (await call('get_task', { task_id: id })) as PublicTask
    const body = html`<h1>${task.title}</h1>
${taskFacts(task)}
${box}`
    return answerPage({ title: task.title, base, files, body })
  } catch (error) {
    if (!(error instanceof ToolError) || (error.code !== 'forbidden' && error.code !== 'gone')) throw error
    const body = html`<h1>A task that is not open</h1>
<p>${error.message} If you are one, connect your wallet.</p>
${box}`
    return answerPage({ title: 'A task that is not open', base, files, body, status: error.status })
  }
})
