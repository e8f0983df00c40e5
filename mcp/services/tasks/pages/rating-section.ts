import { type Html, html } from '../../../lib/text/html.ts'
import { dataTable, type PublicTask, timeText } from './facts.ts'
import { findAnswer, type Visit } from './page.ts'

type Rating = {
  side: 'worker' | 'publisher'
  about: string
  score: number
  comment: string
  at: string
  onchain: { state: string; sent: string | null } | null
}

const chainWords: Readonly<Record<string, string>> = {
  shown: 'left to the wallet of the rater',
  queued: 'the house sends it',
  done: 'on the chain',
  refused: 'refused by the chain',
}

/** Lets the rater make a rating known in the registry of agents, where the rated has an agent there. */
const publishForm = async (visit: Visit, { task_id }: PublicTask, mine: Rating): Promise<Html | false> => {
  if (mine.onchain !== null && mine.onchain.state !== 'shown') return false
  const about = await findAnswer<{ agent_id: string | null }>(visit, 'get_reputation', {
    executor_id: mine.about,
  })
  if (!about?.agent_id) return false
  return html`<details><summary>Publish your rating on the chain</summary>
<p>It goes into the reputation registry (ERC-8004) on Base, for agent ${about.agent_id}, and stays there.</p>
${visit.forms.form(
  { operation: 'publish_feedback', submit: 'Publish it', quiet: true, input: { task_id }, sends: true },
  field =>
    field({
      name: 'sender',
      label: 'Whose wallet says it',
      kind: 'select',
      options: [
        ['house', 'that of the house'],
        ['me', 'mine'],
      ],
    }),
)}<p class="say" role="status" data-say></p></details>`
}

/** How the two sides of a task that is over have rated each other, and a form for who has not. */
export const ratingSection = async (visit: Visit, task: PublicTask): Promise<Html | false> => {
  const { forms, now, account } = visit
  const { task_id, publisher_id, executor_id } = task
  if (executor_id === null) return false
  const feedback = await findAnswer<{ ratings: Rating[] }>(visit, 'get_feedback', { task_id })
  const ratings = feedback?.ratings ?? []
  const other = account === publisher_id ? 'worker' : 'publisher'
  const mine = ratings.find(({ side }) => side === other)
  return html`<section class="work"><h2>Ratings</h2>
${
  ratings.length > 0 &&
  dataTable(
    'Ratings of this task',
    ['Of', 'Score', 'Why', 'When', 'On the chain'],
    ratings.map(({ side, score, comment, at, onchain }) => [
      side === other ? `the ${side}` : 'you',
      `${score} of 100`,
      comment || '–',
      timeText(at, now),
      onchain === null ? '–' : (chainWords[onchain.state] ?? onchain.state),
    ]),
  )
}
${
  mine === undefined
    ? forms.form({ operation: `rate_${other}`, submit: 'Rate', quiet: true, input: { task_id } }, field => [
        field({
          name: 'score|number',
          label: `Rate the ${other}, from 0 to 100`,
          kind: 'number',
          required: true,
        }),
        field({ name: 'comment', label: 'Why', maxLength: 1000 }),
      ])
    : await publishForm(visit, task, mine)
}</section>`
}
