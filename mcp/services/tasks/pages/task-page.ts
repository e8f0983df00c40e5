import { countText } from '../../../lib/text/count.ts'
import { type Html, html } from '../../../lib/text/html.ts'
import type { SubmissionOut } from '../submission.ts'
import type { Status } from '../task.ts'
import type { WorkerOut } from '../worker.ts'
import { disputeSection } from './dispute-page.ts'
import { evidenceFieldset } from './evidence-fields.ts'
import { factList, type PublicTask, personLink, taskFacts, timeText, toWords } from './facts.ts'
import type { DrawField } from './forms.ts'
import { drawRefusal, findAnswer, page, signInBox, type Visit } from './page.ts'
import { questionList } from './question-list.ts'
import { ratingSection } from './rating-section.ts'
import { submissionSection } from './submission-section.ts'

type Worker = (typeof WorkerOut)['_output']
type Submission = (typeof SubmissionOut)['_output']

const publisherFacts = async (visit: Visit, { publisher_id }: PublicTask): Promise<Html> => {
  const worker = await findAnswer<Worker>(visit, 'get_worker', { executor_id: publisher_id })
  const rating = worker?.publisher_avg_rating
  const said =
    worker &&
    `${countText(worker.published, 'task')} published${typeof rating === 'number' ? `, rated ${rating} of 100` : ', not rated yet'}`
  return html`<p class="facts">Published by ${personLink(visit.base, publisher_id, worker?.name)}${said && html`: ${said}`}.</p>`
}

const registerForm = ({ forms }: Visit): Html =>
  html`<h2>Say who you are first</h2>
${forms.form({ operation: 'register_worker', submit: 'Register', input: { kind: 'human' } }, field => [
  field({ name: 'name', label: 'Your name, as publishers see it', required: true, maxLength: 60 }),
  field({ name: 'skills|list', label: 'Skills, with commas between', maxLength: 600 }),
])}`

const testFields = (field: DrawField, { test, badge_required }: PublicTask): Html[] =>
  test === null
    ? []
    : [
        html`<p>The test can be answered once.${badge_required !== null && ` Who holds the badge ${badge_required} leaves it empty.`}</p>`,
        ...test.questions.map((question, at) =>
          field({ name: `answer.${at}`, label: question, maxLength: 200 }),
        ),
      ]

/** Section for whoever may still apply. */
const applySection = async (visit: Visit, task: PublicTask): Promise<Html> => {
  const { forms, account, call } = visit
  if (account === undefined)
    return signInBox(visit, 'Sign in to apply. Your wallet is your account, and what you earn goes there.')
  const me = await findAnswer<Worker>(visit, 'get_worker', { executor_id: account })
  if (!me?.kind) return html`<section class="work">${registerForm(visit)}</section>`
  const { applications } = (await call('list_my_applications', { limit: 100 })) as {
    applications: { task_id: string; state: string; test_percent: number | null }[]
  }
  const mine = applications.find(({ task_id }) => task_id === task.task_id)
  if (mine && mine.state !== 'withdrawn')
    return html`<section class="work"><h2>Your application</h2>
<p>${mine.state === 'failed' ? `You did not pass the test: ${mine.test_percent} per cent were right.` : `You have applied. It is ${mine.state}.`}</p>
${mine.state === 'pending' && forms.form({ operation: 'withdraw_application', submit: 'Withdraw it', quiet: true, input: { task_id: task.task_id } })}</section>`
  return html`<section class="work"><h2>Apply</h2>
${forms.form({ operation: 'apply_to_task', submit: 'Apply', input: { task_id: task.task_id } }, field => [
  ...testFields(field, task),
  field({ name: 'message', label: 'Why you', kind: 'area', maxLength: 1000 }),
])}</section>`
}

const abandonForm = ({ forms }: Visit, { task_id }: PublicTask): Html =>
  html`<details><summary>Give the task up</summary>
<p>Your reputation falls, and somebody else may do it.</p>
${forms.form({ operation: 'abandon_task', submit: 'Give it up', quiet: true, input: { task_id } }, field => field({ name: 'reason', label: 'Why', maxLength: 500 }))}</details>`

const handInForm = ({ forms }: Visit, task: PublicTask): Html =>
  html`<h2>Hand in</h2>
${forms.form(
  { operation: 'submit_work', submit: 'Hand in', input: { task_id: task.task_id }, hasFiles: true },
  field => [
    ...task.evidence_required.map((type, at) => evidenceFieldset(field, type, at)),
    ...(task.evidence_optional.length > 0
      ? [
          html`<details><summary>More, if you like</summary>${task.evidence_optional.map((type, at) => evidenceFieldset(field, type, at + task.evidence_required.length, true))}</details>`,
        ]
      : []),
    field({ name: 'notes', label: 'A word to the reviewer', kind: 'area', maxLength: 2000 }),
  ],
)}
<progress hidden></progress><p class="say" role="status" data-say></p>`

const disputeForm = ({ forms }: Visit, task: PublicTask, { submission_id }: Submission): Html =>
  html`<h2>Dispute it</h2>
<p>An arbiter looks at the task, the evidence and what both sides say, and decides who gets the money.</p>
${forms.form(
  {
    operation: 'open_dispute',
    submit: 'Dispute the rejection',
    input: { task_id: task.task_id, submission_id },
    hasFiles: true,
  },
  field => [
    field({
      name: 'reason',
      label: 'Why it should be paid',
      hint: '20 to 2,000 characters',
      kind: 'area',
      required: true,
      maxLength: 2000,
    }),
    field({ name: 'files', label: 'Files that show it', kind: 'file', more: html`multiple` }),
  ],
)}
<progress hidden></progress><p class="say" role="status" data-say></p>`

const stateWords: Readonly<Record<Status, string>> = {
  published: 'It is open.',
  accepted: 'It is yours. Start when you begin to work.',
  in_progress: 'You are at work.',
  submitted: 'Your work waits for the review. Unreviewed, it counts as accepted.',
  verifying: 'Your work was rejected. You may dispute that until the time is over.',
  disputed: 'An arbiter decides.',
  completed: 'It is done.',
  expired: 'Its time is over.',
  cancelled: 'It was cancelled.',
}

const workerSection = async (visit: Visit, task: PublicTask): Promise<Html> => {
  const { forms, call, now } = visit
  const { task_id, status, payment, due } = task
  const answer = await call('list_submissions', { task_id })
  const { submissions } = answer as unknown as { submissions: Submission[] }
  const [last] = submissions
  const canAbandon = status === 'accepted' || status === 'in_progress' || status === 'submitted'
  const isBack = last !== undefined && (status === 'in_progress' || status === 'verifying')
  return html`<section class="work"><h2>Your part</h2>
<p>${stateWords[status]}</p>
${factList([
  ['State', toWords(status)],
  ['Until', due !== null && timeText(due, now)],
  ['Paid to you', `${payment.released_usd} of ${payment.bounty_usd} USD`],
  ['The reviewer says', isBack && html`<span class="words">${last?.review_notes}</span>`],
  ['Sent back', task.rounds_left < 3 && `${3 - task.rounds_left} times; ${task.rounds_left} are left`],
])}
${status === 'accepted' && forms.form({ operation: 'start_work', submit: 'Start', input: { task_id } })}
${status === 'in_progress' && handInForm(visit, task)}
${status === 'verifying' && last && disputeForm(visit, task, last)}
${await disputeSection(visit, task)}
${canAbandon && abandonForm(visit, task)}
</section>
${due === null && (await ratingSection(visit, task))}
${await Promise.all(submissions.map(submission => submissionSection(visit, submission, 'worker')))}`
}

export default page(
  {
    name: 'work_task_page',
    title: 'A task, for people',
    description:
      'A page that shows a task, where a signed-in person applies, asks, hands in evidence, disputes, and sees what was paid. Free.',
    path: '/work/tasks/:task_id',
  },
  async visit => {
    const id = visit.params.task_id ?? ''
    try {
      const task = (await visit.call('get_task', { task_id: id })) as PublicTask
      const { account, base, now } = visit
      const isMine = task.executor_id !== null && task.executor_id === account
      const isPublisher = task.publisher_id === account
      const part = () => {
        if (isPublisher)
          return html`<p><a class="button" href="${base}/publish/tasks/${id}">Manage this task of yours</a></p>`
        if (isMine) return workerSection(visit, task)
        return task.status === 'published' ? applySection(visit, task) : false
      }
      return {
        title: task.title,
        body: html`<h1>${task.title}</h1>
${await publisherFacts(visit, task)}
${taskFacts(task, now)}
${await part()}
${await questionList(visit, task)}`,
      }
    } catch (error) {
      const box =
        visit.account === undefined &&
        signInBox(visit, 'Only the two sides of it can read this task. If you are one, sign in.')
      return drawRefusal(error, 'A task that is not open', html`${box}`)
    }
  },
)
