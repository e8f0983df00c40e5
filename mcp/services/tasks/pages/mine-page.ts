import { type Html, html } from '../../../lib/text/html.ts'
import type { ApplicationOut } from '../application.ts'
import { escrowWords, type PublicTask, timeText, toWords } from './facts.ts'
import { page, signInBox, type Visit } from './page.ts'

type MyApplication = (typeof ApplicationOut)['_output'] & {
  title: string
  bounty_usd: string
  deadline: string
}

const nextLink = (base: string, name: string, cursor: string | null): Html | false =>
  cursor !== null &&
  html`<p><a href="${base}/work/mine?${new URLSearchParams({ [name]: cursor }).toString()}">More</a></p>`

const taskItem = ({ base, now }: Visit, task: PublicTask): Html =>
  html`<li><h3><a href="${base}/work/tasks/${task.task_id}">${task.title}</a></h3>
<p class="facts"><strong>${toWords(task.status)}</strong>${task.due !== null && html` until ${timeText(task.due, now)}`} · ${task.payment.released_usd} of ${task.payment.bounty_usd} USD paid · ${escrowWords(task)}</p></li>`

const applicationItem = ({ base, now }: Visit, row: MyApplication): Html =>
  html`<li><h3><a href="${base}/work/tasks/${row.task_id}">${row.title}</a></h3>
<p class="facts"><strong>${row.state}</strong> · ${row.bounty_usd} USD · ${timeText(row.deadline, now)}</p></li>`

export default page(
  {
    name: 'work_mine_page',
    title: 'My work, for people',
    description: 'A page where a signed-in person sees its tasks, its applications, and what was paid. Free.',
    path: '/work/mine',
  },
  async visit => {
    const { account, call, query, base } = visit
    const title = 'My work'
    if (account === undefined)
      return {
        title,
        body: html`<h1>My work</h1>${signInBox(visit, 'Sign in to see your tasks and applications.')}`,
      }
    const { after, applied } = query
    const [tasks, applications] = await Promise.all([
      call('list_tasks', { role: 'worker', ...(after && { after }) }),
      call('list_my_applications', { ...(applied && { after: applied }) }),
    ])
    const mine = tasks as unknown as { tasks: PublicTask[]; next: string | null }
    const all = applications as unknown as { applications: MyApplication[]; next: string | null }
    const waiting = all.applications.filter(({ state }) => state !== 'accepted')
    const current = mine.tasks.filter(({ due }) => due !== null)
    const past = mine.tasks.filter(({ due }) => due === null)
    return {
      title,
      body: html`<h1>My work</h1>
<p><a href="${base}/work/disputes">Disputes</a> · <a href="${base}/work/sessions">Paid time</a></p>
<h2>Under way</h2>
${current.length > 0 ? html`<ul class="tasks">${current.map(task => taskItem(visit, task))}</ul>` : html`<p>No task is assigned to you now. <a href="${base}/work">Find one</a>.</p>`}
<h2>Applications</h2>
${waiting.length > 0 ? html`<ul class="tasks">${waiting.map(row => applicationItem(visit, row))}</ul>` : html`<p>None waits.</p>`}
${nextLink(base, 'applied', all.next)}
<h2>Done and over</h2>
${past.length > 0 ? html`<ul class="tasks">${past.map(task => taskItem(visit, task))}</ul>` : html`<p>Nothing yet.</p>`}
${nextLink(base, 'after', mine.next)}`,
    }
  },
)
