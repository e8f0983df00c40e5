import { type Html, html } from '../../../lib/text/html.ts'
import type { DisputeOut } from '../dispute.ts'
import type { SubmissionOut } from '../submission.ts'
import { factList, type PublicTask, personLink, taskFacts, timeText } from './facts.ts'
import { drawRefusal, findAnswer, page, signInBox, type Visit } from './page.ts'
import { fileText, submissionSection } from './submission-section.ts'

type Dispute = (typeof DisputeOut)['_output']
type Disputes = { disputes: Dispute[]; next: string | null }

/** Draws the statement, files and outcome of a dispute. */
const disputeFacts = async (visit: Visit, dispute: Dispute): Promise<Html> => {
  const { state, reason, verdict, split_percent, resolution, due, opened_by, executor_id, file_ids } = dispute
  const opener = opened_by === executor_id ? 'the worker' : 'the publisher'
  const verdicts = {
    release: 'the worker is paid',
    refund: 'the publisher gets the money back',
    split: `the worker gets ${split_percent} per cent`,
  }
  const files = await Promise.all(file_ids.map(id => fileText(visit, id, `File of ${opener}`)))
  return html`${factList([
    ['Opened by', opened_by === visit.account ? 'you' : opener],
    ['Statement', html`<span class="words">${reason}</span>`],
    ['State', state === 'open' ? html`open; decided by ${timeText(due, visit.now)}` : 'decided'],
    ['Verdict', verdict && verdicts[verdict]],
    ['Because', resolution],
  ])}
${files.length > 0 && html`<ul class="tasks">${files.map(file => html`<li>${file}</li>`)}</ul>`}`
}

/** The dispute of a task, for its page; nothing where there is none. */
export const disputeSection = async (visit: Visit, { dispute_id }: PublicTask): Promise<Html | false> => {
  if (dispute_id === null) return false
  const dispute = await findAnswer<Dispute>(visit, 'get_dispute', { dispute_id })
  return (
    dispute !== undefined &&
    html`<section><h2>The dispute</h2>${await disputeFacts(visit, dispute)}</section>`
  )
}

const disputeItem = ({ base, now }: Visit, { dispute_id, reason, state, due, opened_at }: Dispute): Html =>
  html`<li><h3><a href="${base}/work/disputes/${dispute_id}">${reason.slice(0, 120)}</a></h3>
<p class="facts"><strong>${state === 'open' ? 'open' : 'decided'}</strong> · opened ${timeText(opened_at, now)}${state === 'open' && html` · decided by ${timeText(due, now)}`}</p></li>`

/** Disputes of a signed-in person, on every side: to decide, as a worker, as a publisher. */
export const disputesPage = page(
  {
    name: 'work_disputes_page',
    title: 'My disputes, for people',
    description:
      'A page that lists the disputes of a signed-in person, and for an arbiter those to decide. Free.',
    path: '/work/disputes',
  },
  async visit => {
    const { account, base, query } = visit
    const title = 'Disputes'
    if (account === undefined)
      return { title, body: html`<h1>Disputes</h1>${signInBox(visit, 'Sign in to see your disputes.')}` }
    const list = (role: string) =>
      findAnswer<Disputes>(visit, 'list_disputes', { role, ...(query[role] && { after: query[role] }) })
    const sides = [
      ['arbiter', 'For you to decide', await list('arbiter')],
      ['worker', 'About your work', await list('worker')],
      ['publisher', 'About your tasks', await list('publisher')],
    ] as const
    return {
      title,
      body: html`<h1>Disputes</h1>
${sides.map(
  ([role, name, answer]) =>
    answer !== undefined &&
    html`<h2>${name}</h2>
${answer.disputes.length > 0 ? html`<ul class="tasks">${answer.disputes.map(dispute => disputeItem(visit, dispute))}</ul>` : html`<p>None.</p>`}
${answer.next !== null && html`<p><a href="${base}/work/disputes?${new URLSearchParams({ [role]: answer.next }).toString()}">More</a></p>`}`,
)}`,
    }
  },
)

const verdictForm = ({ forms }: Visit, { dispute_id }: Dispute): Html =>
  html`<section class="work"><h2>Your verdict</h2>
<p>It is final, and the money moves at once.</p>
${forms.form({ operation: 'resolve_dispute', submit: 'Decide', input: { dispute_id } }, field => [
  field({
    name: 'verdict',
    label: 'Who gets the money',
    kind: 'select',
    options: [
      ['release', 'the worker is paid'],
      ['refund', 'the publisher gets it back'],
      ['split', 'both: it is split'],
    ],
  }),
  field({
    name: 'split_percent|number',
    label: 'With a split: what the worker gets, per cent',
    kind: 'number',
  }),
  field({
    name: 'reason',
    label: 'Why, 10 characters at least',
    kind: 'area',
    required: true,
    maxLength: 2000,
  }),
])}</section>`

/** One dispute: for its two sides to follow, and for an arbiter to decide. */
export const disputePage = page(
  {
    name: 'work_dispute_page',
    title: 'A dispute, for people',
    description:
      'A page that shows a dispute to its two sides, and to an arbiter, who decides it here beside the task and the evidence. Free.',
    path: '/work/disputes/:dispute_id',
  },
  async visit => {
    const { account, base, call, now, params } = visit
    const title = 'A dispute'
    if (account === undefined)
      return {
        title,
        body: html`<h1>A dispute</h1>${signInBox(visit, 'Sign in as one of its sides, or as an arbiter.')}`,
      }
    try {
      const dispute = (await call('get_dispute', {
        dispute_id: params.dispute_id ?? '',
      })) as unknown as Dispute
      const { task_id, publisher_id, executor_id, state } = dispute
      const task = (await call('get_task', { task_id })) as PublicTask
      const { submissions } = (await call('list_submissions', { task_id })) as unknown as {
        submissions: (typeof SubmissionOut)['_output'][]
      }
      const isParty = account === publisher_id || account === executor_id
      const [last, ...older] = submissions
      const sides = new Map([
        [executor_id, 'worker'],
        [publisher_id, 'publisher'],
      ] as const)
      const draw = (submission: typeof last) =>
        submission && submissionSection(visit, submission, sides.get(account) ?? 'arbiter')
      const room = account === publisher_id ? 'publish' : 'work'
      return {
        title: `Dispute: ${task.title}`,
        body: html`<h1>Dispute: ${task.title}</h1>
<p class="facts">Published by ${personLink(base, publisher_id)}, done by ${personLink(base, executor_id)}.${isParty && html` <a href="${base}/${room}/tasks/${task_id}">The task</a>.`}</p>
${await disputeFacts(visit, dispute)}
${state === 'open' && !isParty && verdictForm(visit, dispute)}
<div class="pair"><section aria-label="The task"><h2>The task</h2>${taskFacts(task, now)}</section>
<div>${await draw(last)}</div></div>
${older.length > 0 && html`<h2>Handed in before</h2>${await Promise.all(older.map(draw))}`}`,
      }
    } catch (error) {
      return drawRefusal(
        error,
        'No dispute of yours',
        html`<p><a href="${base}/work/disputes">Your disputes</a></p>`,
      )
    }
  },
)
