import { type Html, html } from '../../../lib/text/html.ts'
import { formatUsd } from '../../../lib/usd.ts'
import type { ApplicationOut } from '../application.ts'
import { type LineOut, parseUsd } from '../money.ts'
import type { SeriesOut } from '../series.ts'
import type { SubmissionOut } from '../submission.ts'
import { disputeSection } from './dispute-page.ts'
import {
  dataTable,
  escrowWords,
  factList,
  moneyTable,
  type PublicTask,
  personLink,
  taskFacts,
  timeText,
  toPercent,
  toWords,
} from './facts.ts'
import type { DrawField } from './forms.ts'
import { drawRefusal, findAnswer, page, signInBox, type Visit } from './page.ts'
import { questionList } from './question-list.ts'
import { ratingSection } from './rating-section.ts'
import { submissionSection } from './submission-section.ts'

type Application = (typeof ApplicationOut)['_output']
type Submission = (typeof SubmissionOut)['_output']

type ManagedTask = PublicTask & { repeats: (typeof SeriesOut)['_output'] }

/** Applications side by side: who, what they can, what became of their work, and what they say. */
const applicationSection = async (visit: Visit, task: PublicTask): Promise<Html> => {
  const { base, call, forms, now } = visit
  const answer = await call('list_applications', { task_id: task.task_id, limit: 100 })
  const { applications } = answer as unknown as { applications: Application[] }
  const waiting = applications.filter(({ state }) => state === 'pending')
  if (waiting.length === 0) return html`<h2>Applications</h2><p>Nobody has applied yet.</p>`
  const lines = (facts: readonly (string | false)[]) =>
    html`${facts.map(fact => fact !== false && html`<div>${fact}</div>`)}`
  return html`<h2>Applications</h2>
${dataTable(
  'Applications, side by side',
  ['Who', 'Record', 'Can', 'Says'],
  waiting.map(row => {
    const { worker, reputation, executor_id, message, created_at, badges, test_percent } = row
    return [
      html`<strong>${personLink(base, executor_id, worker.name)}</strong>
${forms.form({ operation: 'assign_worker', key: executor_id, submit: 'Assign', input: { task_id: task.task_id, executor_id }, paid: true })}`,
      lines([
        `reputation ${reputation.score} (${reputation.tier})`,
        `${worker.completed} done`,
        worker.approval_rate !== null && `${toPercent(worker.approval_rate)} approved`,
        worker.on_time_rate !== null && `${toPercent(worker.on_time_rate)} on time`,
        worker.avg_rating !== null && `rated ${worker.avg_rating} of 100`,
      ]),
      lines([
        worker.skills.join(', ') || '–',
        test_percent !== null && `test: ${test_percent} % right`,
        badges.length > 0 && badges.join(', '),
      ]),
      html`${message && html`<div class="words">${message}</div>`}<div class="soft">${timeText(created_at, now)}</div>`,
    ]
  }),
)}
<p class="say" role="status" data-say></p>`
}

const reviewForms = (
  { forms }: Visit,
  { task_id, rounds_left }: PublicTask,
  { submission_id }: Submission,
): Html => {
  const input = { submission_id }
  const notes = { name: 'notes', kind: 'area', required: true, maxLength: 1000 } as const
  return html`<section class="work"><h2>Your review</h2>
${forms.form({ operation: 'approve_submission', submit: 'Approve and pay', input }, field => [field({ name: 'notes', label: 'A word to the worker', maxLength: 1000 })])}
${rounds_left > 0 && html`<details><summary>Ask for more</summary>${forms.form({ operation: 'request_more_info', submit: 'Send it back', quiet: true, input }, field => field({ ...notes, label: 'What is missing' }))}</details>`}
<details><summary>Reject</summary>${forms.form(
    { operation: 'reject_submission', submit: 'Reject', quiet: true, input },
    field => [
      field({ ...notes, label: 'What is wrong, 10 characters at least' }),
      field({
        name: 'severity',
        label: 'How',
        kind: 'select',
        options: [
          ['minor', 'it is to be done again'],
          ['major', 'for good; the worker may dispute it'],
        ],
      }),
    ],
  )}</details>
<details><summary>Let an arbiter decide</summary>${forms.form({ operation: 'open_dispute', submit: 'Open a dispute', quiet: true, input: { ...input, task_id } }, field => field({ name: 'reason', label: 'Your statement, 20 characters at least', kind: 'area', required: true, maxLength: 2000 }))}</details>
</section>`
}

const changeForms = ({ forms }: Visit, { task_id, status, executor_id }: PublicTask): Html => {
  const canExtend = status === 'published' || status === 'accepted' || status === 'in_progress'
  const canCancel = status === 'published' || status === 'accepted'
  const input = { task_id }
  return html`${canExtend && html`<details><summary>Give it more time</summary>${forms.form({ operation: 'update_task', submit: 'Extend', quiet: true, input }, field => field({ name: 'extend_hours|number', label: 'Hours more', kind: 'number', required: true }))}</details>`}
${canCancel && html`<details><summary>Cancel it</summary><p>What is in escrow comes back, fee included, but for a kill fee that was published.</p>${forms.form({ operation: 'cancel_task', submit: 'Cancel the task', quiet: true, input }, field => field({ name: 'reason', label: 'Why', maxLength: 500 }))}</details>`}
${
  executor_id !== null &&
  html`<details><summary>Give the worker a badge</summary><p>Tasks of yours may ask for it.</p>${forms.form({ operation: 'grant_badge', submit: 'Give it', quiet: true, input: { executor_id } }, field => field({ name: 'badge', label: 'Name of the badge', required: true, maxLength: 40 }))}</details>
<details><summary>Block the worker</summary><p>It cannot apply to your tasks any more; this one goes on.</p>${forms.form({ operation: 'block_worker', submit: 'Block', quiet: true, input: { executor_id } })}</details>`
}`
}

/** The ways to pay the worker beside an approval: a part, a deliverable of a task without escrow, a bonus. */
const payForms = (
  { forms }: Visit,
  { task_id, status, payment, submission_id }: PublicTask,
): Html | false => {
  const isAtWork = status === 'in_progress' || status === 'submitted' || status === 'verifying'
  const amount =
    (label: string, required = true) =>
    (field: DrawField) =>
      field({ name: 'amount_usd', label, kind: 'number', required })
  const input = { task_id }
  if (status === 'completed')
    return html`<section class="work"><h2>Thank the worker</h2>
${forms.form({ operation: 'send_bonus', submit: 'Pay a bonus', quiet: true, input, paid: true }, amount('A bonus, USD'))}<p class="say" role="status" data-say></p></section>`
  if (!isAtWork) return false
  if (payment.escrow === 'direct')
    return (
      submission_id !== null &&
      html`<details><summary>Pay for what was handed in</summary><p>Your wallet pays the wallet of the worker.</p>
${forms.form({ operation: 'pay_deliverable', submit: 'Pay it', quiet: true, input: { submission_id }, paid: true }, amount('Amount in USD; all that is unpaid, where you leave it empty', false))}<p class="say" role="status" data-say></p></details>`
    )
  const unpaid_usd = formatUsd(parseUsd(payment.bounty_usd) - parseUsd(payment.released_usd))
  return html`<details><summary>Pay a part now</summary><p>As for one of several deliverables; ${unpaid_usd} USD are unpaid. The rest is paid with your approval.</p>
${forms.form({ operation: 'release_payment', submit: 'Pay the part', quiet: true, input: { ...input, unpaid_usd } }, field => [amount('Part of the bounty, USD')(field), field({ name: 'note', label: 'For which deliverable', maxLength: 500 })])}</details>`
}

const reclaimForm = ({ forms, now }: Visit, { task_id, payment }: PublicTask): Html | false =>
  payment.escrow === 'onchain' &&
  payment.reclaim_after !== null &&
  Number(payment.in_escrow_usd) > 0 &&
  html`<details><summary>Take the money back from the contract</summary><p>Without us, by your wallet, after ${timeText(payment.reclaim_after, now)}. Before that, cancel the task.</p>
${forms.form({ operation: 'reclaim_escrow', submit: 'Take it back', quiet: true, input: { task_id }, sends: true })}<p class="say" role="status" data-say></p></details>`

const seriesSection = ({ forms, now }: Visit, { task_id, series, repeats }: ManagedTask): Html | false =>
  series !== null &&
  repeats !== null &&
  html`<section><h2>It repeats</h2>
${factList([
  ['This is', `number ${series.number} of ${series.count}`],
  ['Next', repeats.next_at !== null && timeText(repeats.next_at, now)],
  ['Ended', repeats.state === 'stopped' && `after ${repeats.published}: ${repeats.reason}`],
])}
${repeats.state === 'running' && forms.form({ operation: 'update_task', key: 'repeat', submit: 'Publish no more of it', quiet: true, input: { task_id, 'stop_repeating|flag': 'true' } })}</section>`

const moneySection = async ({ call, now, base }: Visit, task: PublicTask): Promise<Html> => {
  const answer = await call('task_payment', { task_id: task.task_id })
  const { events, deposited_usd, released_usd, refunded_usd, fee_taken_usd } =
    answer as unknown as PublicTask['payment'] & { events: (typeof LineOut)['_output'][] }
  return html`<h2>Money</h2>
${factList([
  ['Now', escrowWords(task)],
  ['Put in', `${deposited_usd} USD`],
  ['Paid', `${released_usd} USD`],
  ['Came back', `${refunded_usd} USD`],
  ['Fee', `${fee_taken_usd} USD`],
])}
${events.length > 0 && moneyTable('Movements of its escrow', base, now, events)}`
}

const workerLink = async (visit: Visit, executor_id: string): Promise<Html> => {
  const worker = await findAnswer<{ name: string | null }>(visit, 'get_worker', { executor_id })
  return personLink(visit.base, executor_id, worker?.name)
}

export default page(
  {
    name: 'publish_task_page',
    title: 'A published task, for people',
    description:
      'A page where the publisher of a task compares applications, assigns, reviews the evidence beside the instructions, pays, disputes, extends and cancels. The page is free.',
    path: '/publish/tasks/:task_id',
  },
  async visit => {
    const id = visit.params.task_id ?? ''
    const { account, base, call, now } = visit
    if (account === undefined)
      return {
        title: 'A task of yours',
        body: html`<h1>A task of yours</h1>${signInBox(visit, 'Sign in as its publisher.')}`,
      }
    try {
      const task = (await call('get_task', { task_id: id })) as ManagedTask
      if (task.publisher_id !== account)
        return {
          title: task.title,
          status: 403,
          body: html`<h1>${task.title}</h1><p>Somebody else published this task. <a href="${base}/work/tasks/${id}">Read it</a>.</p>`,
        }
      const answer =
        task.submission_id === null ? { submissions: [] } : await call('list_submissions', { task_id: id })
      const [last, ...older] = (answer as unknown as { submissions: Submission[] }).submissions
      const isForReview = last !== undefined && (task.status === 'submitted' || task.status === 'verifying')
      return {
        title: task.title,
        body: html`<h1>${task.title}</h1>
<p><strong>${toWords(task.status)}</strong>${task.due !== null && html` until ${timeText(task.due, now)}`}${task.executor_id !== null && html` · done by ${await workerLink(visit, task.executor_id)}`}</p>
<div class="${last ? 'pair' : 'one'}"><section aria-label="The task">${taskFacts(task, now)}</section>
${last && html`<div>${await submissionSection(visit, last, 'publisher')}</div>`}</div>
${isForReview && reviewForms(visit, task, last)}
${task.status === 'published' && (await applicationSection(visit, task))}
${await disputeSection(visit, task)}
${payForms(visit, task)}
${task.due === null && (await ratingSection(visit, task))}
${seriesSection(visit, task)}
${changeForms(visit, task)}
${reclaimForm(visit, task)}
${await questionList(visit, task)}
${await moneySection(visit, task)}
${older.length > 0 && html`<h2>Handed in before</h2>${await Promise.all(older.map(submission => submissionSection(visit, submission, 'publisher')))}`}`,
      }
    } catch (error) {
      return drawRefusal(
        error,
        'A task that is not there',
        html`<p><a href="${base}/publish">Your tasks</a></p>`,
      )
    }
  },
)
